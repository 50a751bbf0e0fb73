package import PolicyResolution
import TLSParsing

extension EffectivePolicy: JSONRecord {
  /// Writes the members of an `atscope.policy/1` object.
  package func writeMembers(to json: inout JSONObject) {
    writeDecision(to: &json)
    json.objects("reasons", reasons) { json, reason in
      json.string("setting", reason.setting.rawValue)
      json.text("key", reason.key)
      json.text("entry", reason.entry)
      json.text("text", reason.text)
    }
  }

  /// Writes the members without the reasons, for the record of a session.
  func writeDecision(to json: inout JSONObject) {
    json.string("schema", "atscope.policy/1")
    json.text("host", host)
    json.boolean("direct", isDirect)
    json.string("os", release.name)
    json.string("context", context.rawValue)
    json.string("contextSource", contextSource.rawValue)
    json.text("matched", matchedEntry)
    json.boolean("httpsRequired", requiresHTTPS)
    json.boolean("atsEnforced", trust == .strict)
    json.codePoint("minimumTLSVersion", minimumTLSVersion?.rawValue)
    json.string("cipherPolicy", cipherPolicy.rawValue)
    json.boolean("forwardSecrecyRequired", requiresForwardSecrecy)
    json.boolean("niapPackageRequired", requiresNIAPPackage)
    json.object("pins") { json in
      json.texts("leaf", leafPins)
      json.texts("ca", caPins)
    }
  }
}
