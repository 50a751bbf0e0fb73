import ByteParsing
import HandshakeDecryption
import TLSParsing

extension FuzzTarget {
  /// Any EncodedClientHelloInner and ClientHelloOuter either decode within bounds or throw; decryption of any ClientHelloOuter returns.
  /// The length of the EncodedClientHelloInner comes first.
  static let innerHello = FuzzTarget("InnerHello") { input in
    var reader = ByteReader(input)
    guard let length = try? reader.readUInt16("length"),
      let encoded = try? reader.readBody(byteCount: min(Int(length), reader.remaining), "inner")
    else { return }
    let outer = reader.rest
    if let body = try? InnerClientHello.decode(encoded.rest, outer: outer) {
      precondition(body.count <= encoded.remaining + outer.count)
      _ = ClientHello(parsingPrefix: body.span)
    }
    let keys = EncryptedClientHelloKeys(
      secret: Bytes(repeating: 1, count: 32), config: Bytes(copying: encoded.rest))
    _ = InnerHello(in: outer, keys)
    if let range = InnerClientHello.confirmation(inRetry: outer) {
      precondition(range.upperBound <= outer.count)
    }
  }
}
