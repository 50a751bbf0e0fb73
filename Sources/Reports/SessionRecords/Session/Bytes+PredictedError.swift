package import ATSEvaluation
import ByteParsing

extension Bytes {
  /// Appends the members that every object for an error of a device begins with.
  package mutating func appendJSONMembers(of error: PredictedError) {
    appendRaw("\"domain\":")
    appendJSONString(error.domain)
    appendRaw(",\"code\":")
    appendJSON(error.code)
    appendRaw(",\"underlying\":")
    if let domain = error.underlyingDomain {
      appendRaw("{\"domain\":")
      appendJSONString(domain)
      appendRaw(",\"code\":")
      appendJSON(error.underlyingCode)
      append(0x7D)
    } else {
      appendRaw("null")
    }
  }
}
