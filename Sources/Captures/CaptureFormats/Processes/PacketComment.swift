enum PacketComment {
  /// The format of pymobiledevice3: `PID: 412, ProcName: MyApp, EPID: 0, EProcName: , SVC: 0`.
  case device(process: PKTAPHeader.NamedProcess, effective: PKTAPHeader.NamedProcess)

  /// The format of PCAPdroid: `u-10123`.
  case androidUser(Int32)

  /// The format of etl2pcapng: `PID=412`, possibly followed by more.
  case eventTrace(pid: Int32)

  /// Parses a comment; nil for any other text.
  init?(_ text: String) {
    if let rest = PacketComment.drop("PID: ", from: text[...]) {
      guard let (process, effective) = PacketComment.device(rest) else { return nil }
      self = .device(process: process, effective: effective)
    } else if let rest = PacketComment.drop("u-", from: text[...]) {
      guard let uid = Int32(rest) else { return nil }
      self = .androidUser(uid)
    } else if let rest = PacketComment.drop("PID=", from: text[...]) {
      guard let pid = Int32(rest.prefix { $0.isASCII && $0.isNumber }) else { return nil }
      self = .eventTrace(pid: pid)
    } else {
      return nil
    }
  }

  /// Names may contain commas and spaces, so the text is split at the labels.
  private static func device(_ text: Substring) -> (PKTAPHeader.NamedProcess, PKTAPHeader.NamedProcess)? {
    guard let (pid, afterPID) = split(text, at: ", ProcName: "), let (name, afterName) = split(afterPID, at: ", EPID: "),
      let (effectivePID, afterEffectivePID) = split(afterName, at: ", EProcName: "),
      let number = Int32(pid), let effectiveNumber = Int32(effectivePID)
    else { return nil }
    let effectiveName = split(afterEffectivePID, at: ", SVC: ")?.0 ?? afterEffectivePID
    return (
      PKTAPHeader.NamedProcess(pid: number, name: String(name)), PKTAPHeader.NamedProcess(pid: effectiveNumber, name: String(effectiveName))
    )
  }

  private static func drop(_ prefix: String, from text: Substring) -> Substring? {
    text.utf8.starts(with: prefix.utf8) ? text[text.utf8.index(text.startIndex, offsetBy: prefix.utf8.count)...] : nil
  }

  /// The text before and after the first occurrence of `label`.
  private static func split(_ text: Substring, at label: String) -> (Substring, Substring)? {
    var index = text.startIndex
    while index < text.endIndex {
      if let rest = drop(label, from: text[index...]) { return (text[..<index], rest) }
      index = text.utf8.index(after: index)
    }
    return nil
  }
}
