package import TLSParsing

extension SignatureMethod {
  /// The method for a TLS signature scheme; nil if it is not supported.
  package init?(_ scheme: SignatureScheme) {
    let digest = scheme.hash.flatMap { Digest(rawValue: $0.rawValue) }
    switch (scheme.algorithm, digest) {
    case (.rsaPKCS1?, let digest?): self = .rsaPKCS1(digest)
    case (.rsaPSS?, let digest?): self = .rsaPSS(digest)
    case (.ecdsa?, let digest?): self = .ecdsa(digest)
    case (.edDSA?, _) where scheme.rawValue == 0x0807: self = .ed25519
    default: return nil
    }
  }
}
