package import ATSEvaluation

extension PredictedError: JSONRecord {
  /// Writes the members that are common to all objects for a device error.
  package func writeMembers(to json: inout JSONObject) {
    json.string("domain", domain)
    json.number("code", code)
    guard let underlyingDomain else { return json.null("underlying") }
    json.object("underlying") { json in
      json.string("domain", underlyingDomain)
      json.number("code", underlyingCode)
    }
  }
}
