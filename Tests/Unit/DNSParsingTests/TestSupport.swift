import ByteParsing
import TestBytes
import Testing

@testable import DNSParsing

/// A name of labels that ends with the root or a compression pointer.
func name(_ labels: String..., pointingTo target: Int? = nil) -> Bytes {
  var bytes = Bytes()
  for label in labels {
    bytes.append(UInt8(label.utf8.count))
    bytes.append(contentsOf: label.utf8)
  }
  return bytes + (target.map { two(0xC000 | $0) } ?? [0])
}

/// A resource record with a TTL of 60 seconds.
func record(_ name: Bytes, _ type: Int, _ data: Bytes, class: Int = 1) -> Bytes {
  name + two(type) + two(`class`) + [0, 0, 0, 60] + two(data.count) + data
}

/// A response with the given records to one question, whose name is at offset 12.
func answer(
  to question: Bytes = name("www", "example", "com"), flags: Int = 0x8180, _ answers: [Bytes],
  authority: [Bytes] = [], additional: [Bytes] = []
) -> Bytes {
  var bytes: Bytes = two(0x1234) + two(flags) + two(1)
  bytes += two(answers.count) + two(authority.count) + two(additional.count)
  bytes += question + two(1) + two(1)
  for record in answers + authority + additional { bytes += record }
  return bytes
}

extension DNSMessage {
  init(_ bytes: Bytes) throws { self = try DNSMessage(parsing: bytes.span) }

  /// The named addresses as text, each with its name.
  var hints: [String] { namedAddresses.map { "\($0.address) \($0.name)" } }
}
