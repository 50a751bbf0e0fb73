import ByteParsing
import TLSParsing

extension FuzzTarget {
  /// Any bytes either parse or throw in each format; fields are within the bytes; any parsed hello has fingerprints.
  static let clientHello = FuzzTarget("ClientHello") { bytes in
    let hello = try? ClientHello(parsing: bytes)
    let fields = HelloFields(ofClient: bytes)
    precondition((hello == nil) == (fields.fault != nil))
    if let hello {
      precondition(fields.serverName(in: bytes)?.count == hello.serverName?.count)
      var key = Bytes()
      fields.appendClientKey(of: bytes, to: &key)
      precondition(key.count <= bytes.count)
      _ = ja3String(of: hello)
      _ = JA4Inputs(of: hello)
    }
    let prefix = ClientHello(parsingPrefix: bytes)
    precondition(hello == nil || prefix == hello)
    _ = try? ClientHello(parsingSSL2: bytes)
    _ = TLSRecognition.handshakeStart(bytes)
    _ = TLSRecognition.ssl2Hello(bytes)
    _ = TLSRecognition.alertStart(bytes)
    _ = TLSRecognition.dtlsHello(bytes)
  }
}
