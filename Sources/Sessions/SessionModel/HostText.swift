package import ByteParsing
import Crypto
import Values

/// The text of a host that a client names, such as in the `server_name` extension or in a Host field.
package enum HostText {
  /// The maximum length of a DNS name in bytes, without its final dot (RFC 1035 §2.3.4).
  package static let maximumNameByteCount = 253

  /// The bytes that are kept of a longer name, which is not a valid host.
  private static let keptBytes = 64

  /// The name itself. A name that is too long is replaced by its first bytes, length and SHA-256, so that different names remain distinct.
  package static func text(_ name: Bytes) -> String {
    if name.count <= maximumNameByteCount || name.count == maximumNameByteCount + 1 && name.last == UInt8(ascii: ".") {
      return InputText.string(decoding: name)
    }
    let digest = hexadecimal(SHA256.hash(data: name))
    return "\(InputText.string(decoding: name.prefix(keptBytes)))... (\(name.count) bytes, sha256 \(digest))"
  }
}
