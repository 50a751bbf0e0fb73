import ByteParsing
import TLSParsing

extension FuzzTarget {
  /// Any bytes either parse or throw in each format; fields are within the bytes.
  static let serverHello = FuzzTarget("ServerHello") { bytes in
    let hello = try? ServerHello(parsing: bytes)
    if let hello, let fields = try? HelloFields(ofServer: bytes) {
      precondition(fields.fault == nil)
      var key = Bytes()
      fields.appendServerKey(of: bytes, to: &key)
      precondition(key.count <= bytes.count)
      _ = ja3sString(of: hello)
    }
    let prefix = try? ServerHello(parsingPrefix: bytes)
    precondition(hello == nil || prefix == hello)
    _ = try? SSL2ServerHello(parsing: bytes)
    _ = try? EncryptedExtensions(parsing: bytes)
  }
}
