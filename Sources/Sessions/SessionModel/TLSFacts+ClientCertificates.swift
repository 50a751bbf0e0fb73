import TLSParsing

extension Shared<TLSFacts> {
  /// Whether the server requested a client certificate; nil if the capture cannot show it.
  package func requestsClientCertificate(_ evidence: borrowing Evidence) -> Bool? {
    if self.isClientCertificateRequested { return true }
    if self.forgoesClientCertificate { return false }
    // Bytes in lost datagrams are not counted as missing, so in DTLS only the flight itself shows whether it is complete.
    let isDTLS = self.sharedServerHello?.version?.isDTLS == true
    if self.isEstablished, !isDTLS, evidence.incomplete == nil, evidence.missingBytes == 0 {
      // With secrets, the whole flight was read if the certificates were.
      let isTLS13 = self.sharedServerHello?.hasTLS13Handshake == true
      if !isTLS13 || self.isDecrypted && self.chain?.isComplete == true { return false }
    }
    // A resumed handshake, or one with a pre-shared key, cannot contain the request (RFC 5246 §7.3, RFC 8446 §4.3.2), unless certificates
    // are used with an external key (RFC 8773).
    guard self.isResumed == true || evidence.contains(.externalPSK) else { return nil }
    return self.sharedServerHello?.extensions.contains { $0.rawValue == 33 } == true ? nil : false
  }
}
