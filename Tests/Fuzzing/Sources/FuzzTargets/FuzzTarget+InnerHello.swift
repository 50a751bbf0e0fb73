import ByteParsing
import HandshakeDecryption
import TLSParsing

extension FuzzTarget {
  /// Any encoded inner hello and any outer one, behind the length of the first, are put together within bounds, or not at all; and any
  /// hello is decrypted, or not.
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
    if let place = InnerClientHello.confirmation(inRetry: outer) {
      precondition(place.upperBound <= outer.count)
    }
  }
}
