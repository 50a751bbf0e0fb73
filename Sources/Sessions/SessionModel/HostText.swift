package import ByteParsing
import Crypto
import Values

/// The text of a host that a client names, such as in the server_name extension or in a Host field.
package enum HostText {
  /// Bytes of the longest name of DNS without its final dot (RFC 1035 §2.3.4).
  package static let maximumNameByteCount = 253

  /// Bytes that are kept of a longer one, which names no host.
  private static let keptBytes = 64

  /// The name itself; of one that is longer than any, its first bytes, length and SHA-256, which keep it apart from others.
  package static func text(_ name: Bytes) -> String {
    if name.count <= maximumNameByteCount
      || name.count == maximumNameByteCount + 1 && name.last == UInt8(ascii: ".")
    {
      return InputText.string(decoding: name)
    }
    let digest = hexadecimal(SHA256.hash(data: name))
    return "\(InputText.string(decoding: name.prefix(keptBytes)))... (\(name.count) bytes, sha256 \(digest))"
  }
}
