// swift-format-ignore-file
// The declarations of CryptoKit and of swift-crypto's CryptoExtras that Sources/ uses, without their bodies.
@_exported import FoundationEssentials

public protocol Digest: Sequence, Sendable, Hashable, ContiguousBytes where Element == UInt8 {}

public protocol HashFunction: Sendable {
  associatedtype Digest: Crypto.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}

extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { fatalError() }
  public mutating func update<D: DataProtocol>(data: D) {}
}

public struct AnyDigest: Digest {
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct SHA256: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> AnyDigest { AnyDigest() }
}
public struct SHA384: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> AnyDigest { AnyDigest() }
}
public struct SHA512: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> AnyDigest { AnyDigest() }
}

public enum Insecure {
  public struct SHA1: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest { AnyDigest() }
  }
  public struct MD5: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest { AnyDigest() }
  }
}

public struct SymmetricKeySize: Sendable {
  public static let bits128 = SymmetricKeySize()
}

public struct SymmetricKey: ContiguousBytes, Sendable, Equatable {
  public init<D: ContiguousBytes>(data: D) {}
  public init(size: SymmetricKeySize) {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct HashedAuthenticationCode<H: HashFunction>: Sequence, ContiguousBytes, Sendable {
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct HMAC<H: HashFunction>: Sendable {
  public typealias MAC = HashedAuthenticationCode<H>
  public init(key: SymmetricKey) {}
  public mutating func update<D: DataProtocol>(data: D) {}
  public func finalize() -> MAC { MAC() }
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { MAC() }
}

@available(macOS 11, *)
public struct HKDF<H: HashFunction> {
  public static func extract<Salt: DataProtocol>(
    inputKeyMaterial: SymmetricKey, salt: Salt?
  ) -> HashedAuthenticationCode<H> { fatalError() }
}

public enum AES {
  public enum GCM {
    public struct Nonce: ContiguousBytes, Sequence, Sendable {
      public init<D: DataProtocol>(data: D) throws {}
      public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    }
    public struct SealedBox: Sendable {
      public var ciphertext: Data { Data() }
      public var tag: Data { Data() }
      public init<D: DataProtocol>(combined: D) throws {}
    }
    public static func open<A: DataProtocol>(
      _ box: SealedBox, using key: SymmetricKey, authenticating header: A
    ) throws -> Data { Data() }
    public static func seal<P: DataProtocol, A: DataProtocol>(
      _ message: P, using key: SymmetricKey, nonce: Nonce? = nil, authenticating header: A
    ) throws -> SealedBox { fatalError() }
  }
}

public enum ChaChaPoly {
  public struct Nonce: ContiguousBytes, Sendable {
    public init<D: DataProtocol>(data: D) throws {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
  }
  public struct SealedBox: Sendable {
    public init<D: DataProtocol>(combined: D) throws {}
  }
  public static func open<A: DataProtocol>(
    _ box: SealedBox, using key: SymmetricKey, authenticating header: A
  ) throws -> Data { Data() }
}

public enum P256 { public typealias Signing = CurveSigning }
public enum P384 { public typealias Signing = CurveSigning384 }
public enum P521 { public typealias Signing = CurveSigning521 }

public enum CurveSigning {
  public struct ECDSASignature: Sendable { public init<D: DataProtocol>(rawRepresentation: D) throws {} }
  public struct PublicKey: Sendable {
    @available(macOS 13, *)
    public init<B: ContiguousBytes>(compressedRepresentation: B) throws {}
    public init<B: ContiguousBytes>(x963Representation: B) throws {}
    public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { false }
  }
}
public enum CurveSigning384 {
  public struct ECDSASignature: Sendable { public init<D: DataProtocol>(rawRepresentation: D) throws {} }
  public struct PublicKey: Sendable {
    @available(macOS 13, *)
    public init<B: ContiguousBytes>(compressedRepresentation: B) throws {}
    public init<B: ContiguousBytes>(x963Representation: B) throws {}
    public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { false }
  }
}
public enum CurveSigning521 {
  public struct ECDSASignature: Sendable { public init<D: DataProtocol>(rawRepresentation: D) throws {} }
  public struct PublicKey: Sendable {
    @available(macOS 13, *)
    public init<B: ContiguousBytes>(compressedRepresentation: B) throws {}
    public init<B: ContiguousBytes>(x963Representation: B) throws {}
    public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { false }
  }
}

public enum Curve25519 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
      public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool { false }
    }
  }
}
