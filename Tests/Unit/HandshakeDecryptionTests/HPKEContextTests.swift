import ByteParsing
import TestBytes
import Testing

@testable import HandshakeDecryption

/// The test vectors of HPKE (RFC 9180 appendix A.1.1).
@Suite struct HPKEContextTests {
  private let secret = hex("fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc")
  private let info = hex("4f6465206f6e2061204772656369616e2055726e")
  private let sealed = hex(
    "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a")

  private func context(kem: UInt16 = 32, kdf: UInt16 = 1, aead: UInt16 = 1) -> HPKEContext? {
    HPKEContext(kem: kem, kdf: kdf, aead: aead, sharedSecret: secret, info: info)
  }

  @Test func `the first message is decrypted`() throws {
    let opened = try #require(context()).openFirst(sealed.span, authenticating: hex("436f756e742d30"))
    #expect(opened == Bytes("Beauty is truth, truth beauty".utf8))
  }

  @Test func `another suite, other associated data or a truncated message is not decrypted`() {
    let data = hex("436f756e742d30")
    for other in [context(kem: 16), context(kdf: 2), context(kdf: 3), context(aead: 2), context(aead: 3)] {
      #expect(other != nil)
      #expect(other?.openFirst(sealed.span, authenticating: data) == nil)
    }
    #expect(context()?.openFirst(sealed.span, authenticating: data + [0]) == nil)
    let cut = Bytes(sealed.prefix(10))
    #expect(context()?.openFirst(cut.span, authenticating: data) == nil)
    #expect(context(kdf: 4) == nil)
    #expect(context(aead: 0xFFFF) == nil)
  }
}
