/// A function that runs one parser on arbitrary bytes and checks its invariants; a violation traps.
package struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The name of the target and of its folder in `Tests/Fuzzing/Seeds`.
  package let name: String

  package let run: @Sendable (Span<UInt8>) -> Void

  init(_ name: String, _ run: @escaping @Sendable (Span<UInt8>) -> Void) {
    self.name = name
    self.run = run
  }

  package var description: String { name }

  package static let all: [FuzzTarget] = [
    .audit,
    .crl,
    .capture,
    .certificate,
    .certificateDecompression,
    .certificateMessage,
    .clientHello,
    .conversation,
    .dnsMessage,
    .dtls,
    .fragments,
    .http2Fields,
    .httpHead,
    .infoPlist,
    .innerHello,
    .keyLog,
    .logList,
    .ocsp,
    .pem,
    .packetHeaders,
    .quicDatagrams,
    .quicFrames,
    .quicPacket,
    .quicReduction,
    .revocation,
    .sctList,
    .serverHello,
    .serverKeyExchange,
  ]
}
