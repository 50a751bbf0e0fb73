// swift-format-ignore-file
// The declarations of swift-crypto's CryptoExtras that Sources/ uses, without their bodies.
public import Crypto
public import FoundationEssentials

public enum _RSA {
  public enum Signing {
    public struct Padding: Sendable {
      public static let insecurePKCS1v1_5 = Padding()
      public static let PSS = Padding()
    }
    public struct RSASignature: Sendable { public init<D: DataProtocol>(rawRepresentation: D) {} }
    public struct PublicKey: Sendable {
      public init<D: DataProtocol>(unsafeDERRepresentation: D) throws {}
      public var keySizeInBits: Int { 0 }
      public func isValidSignature<D: Digest>(_ signature: RSASignature, for digest: D, padding: Padding) -> Bool { false }
    }
  }
}

extension AES {
  public static func permute<B: MutableCollection & RandomAccessCollection>(
    _ block: inout B, key: SymmetricKey
  ) throws where B.Element == UInt8 {}
  public enum _CBC {
    public struct IV: Sendable { public init<D: Collection>(ivBytes: D) throws where D.Element == UInt8 {} }
    public static func decrypt<C: DataProtocol>(
      _ ciphertext: C, using key: SymmetricKey, iv: IV, noPadding: Bool
    ) throws -> Data { Data() }
  }
}

extension Insecure {
  public enum ChaCha20CTR {
    public struct Counter: Sendable { public init<D: DataProtocol>(data: D) throws {} }
    public struct Nonce: Sendable { public init<D: DataProtocol>(data: D) throws {} }
    public static func encrypt<P: DataProtocol>(
      _ plaintext: P, using key: SymmetricKey, counter: Counter = Counter(), nonce: Nonce
    ) throws -> Data { Data() }
  }
}
extension Insecure.ChaCha20CTR.Counter { public init() { fatalError() } }
