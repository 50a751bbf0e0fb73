import ByteParsing
public import PolicyResolution

extension ContiguousArray where Element == UInt8 {
  /// Appends a policy as an `atscope.policy/1` object; a session's record has it without the reasons.
  public mutating func appendJSON(_ policy: EffectivePolicy, withReasons: Bool = true) {
    appendRaw("{\"schema\":\"atscope.policy/1\",\"host\":")
    appendJSONText(policy.host)
    appendRaw(",\"direct\":")
    appendJSON(policy.isDirect)
    appendRaw(",\"os\":")
    appendJSONString(policy.release.name)
    appendRaw(",\"context\":")
    appendJSONString(policy.context.rawValue)
    appendRaw(",\"contextSource\":")
    appendJSONString(policy.contextSource)
    appendRaw(",\"matched\":")
    appendJSONText(policy.matchedEntry)
    appendRaw(",\"httpsRequired\":")
    appendJSON(policy.httpsRequired)
    appendRaw(",\"atsEnforced\":")
    appendJSON(policy.atsEnforced)
    appendRaw(",\"minimumTLSVersion\":")
    appendJSONCodePoint(policy.minimumTLSVersion)
    appendRaw(",\"cipherPolicy\":")
    appendJSONString(policy.cipherPolicy.rawValue)
    appendRaw(",\"forwardSecrecyRequired\":")
    appendJSON(policy.forwardSecrecyRequired)
    appendRaw(",\"niapPackageRequired\":")
    appendJSON(policy.niapPackageRequired)
    appendRaw(",\"pins\":{\"leaf\":")
    appendPins(policy.leafPins)
    appendRaw(",\"ca\":")
    appendPins(policy.caPins)
    append(0x7D)
    if withReasons { appendReasons(of: policy) }
    append(0x7D)
  }

  private mutating func appendReasons(of policy: EffectivePolicy) {
    appendRaw(",\"reasons\":[")
    for reason in policy.reasons {
      appendJSONComma()
      appendRaw("{\"setting\":")
      appendJSONString(reason.setting)
      appendRaw(",\"key\":")
      appendJSONText(reason.key)
      appendRaw(",\"entry\":")
      appendJSONText(reason.entry)
      appendRaw(",\"text\":")
      appendJSONText(reason.text)
      append(0x7D)
    }
    append(0x5D)
  }

  private mutating func appendPins(_ pins: [String]?) {
    if let pins { appendJSONTexts(pins) } else { appendRaw("null") }
  }
}
