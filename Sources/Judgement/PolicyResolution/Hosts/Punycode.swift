import Values

/// Encodes labels in other scripts for the DNS (RFC 3492).
enum Punycode {
  /// The maximum length of a label: longer ones are not host names, and the encoder takes quadratic time.
  private static let maximumLabelByteCount = 256

  /// `xn--` and the encoded label; the label itself if it cannot be part of a host name.
  static func aLabel(of label: some StringProtocol) -> String {
    let input = label.unicodeScalars.map(\.value)
    guard input.count <= maximumLabelByteCount, label.unicodeScalars.allSatisfy(isMapped),
      let encoded = encode(input)
    else { return String(label) }
    return "xn--" + encoded
  }

  /// Whether a lowercase character stands for itself in the mapping that browsers use (UTS #46).
  ///
  /// Combining accents, full-width forms and similar characters would need normalization first.
  private static func isMapped(_ scalar: Unicode.Scalar) -> Bool {
    if (0x0300...0x036F).contains(scalar.value) || InputText.isCarrier(scalar) || HostKeyFault.isInvisible(scalar) { return false }
    // Sharp s, final sigma and joiners stay, although case folding changes them.
    if [0x00DF, 0x03C2, 0x200C, 0x200D].contains(scalar.value) { return true }
    return !scalar.properties.changesWhenNFKCCaseFolded
  }

  private static let base: UInt32 = 36
  private static let tMin: UInt32 = 1
  private static let tMax: UInt32 = 26

  /// Encodes code points; nil on overflow, which a label of bounded length does not reach.
  static func encode(_ input: [UInt32]) -> String? {
    var output = input.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
    let basicCount = UInt32(truncatingIfNeeded: output.count)
    var handled = basicCount
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var current: UInt32 = 128
    var delta: UInt32 = 0
    var bias: UInt32 = 72
    while handled < input.count {
      guard let next = input.lazy.filter({ $0 >= current }).min() else { return nil }
      let (step, overflow) = (next - current).multipliedReportingOverflow(by: handled + 1)
      let (sum, overflow2) = delta.addingReportingOverflow(step)
      if overflow || overflow2 { return nil }
      delta = sum
      current = next
      for point in input {
        if point < current {
          guard delta < .max else { return nil }
          delta += 1
        }
        if point == current {
          appendVariableLength(delta, bias: bias, to: &output)
          bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
          delta = 0
          handled += 1
        }
      }
      guard delta < .max else { return nil }
      delta += 1
      current += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func appendVariableLength(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = delta
    var k = base
    while true {
      let threshold = k <= bias ? tMin : min(max(k - bias, tMin), tMax)
      if rest < threshold { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      k += base
    }
    output.append(digit(rest))
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
  }

  private static func adapt(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var rest = isFirst ? delta / 700 : delta / 2
    rest += rest / count
    var k: UInt32 = 0
    while rest > (base - tMin) * tMax / 2 {
      rest /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * rest / (rest + 38)
  }
}
