// swift-format-ignore-file
// The declarations of Foundation that swift-argument-parser, swift-asn1 and CryptoKit's interface use, without their bodies.

public struct Data: Sendable, Hashable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  public init() {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
  public init(count: Int) {}
  public init?(base64Encoded text: String) {}
  public struct Base64EncodingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let lineLength64Characters = Base64EncodingOptions(rawValue: 1)
    public static let endLineWithLineFeed = Base64EncodingOptions(rawValue: 1 << 5)
  }
  public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 {
    get { 0 }
    set {}
  }
  public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == UInt8 {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public protocol ContiguousBytes {
  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}

extension Data: ContiguousBytes, DataProtocol {}
extension Array: ContiguousBytes, DataProtocol where Element == UInt8 {}
extension ArraySlice: ContiguousBytes, DataProtocol where Element == UInt8 {}
extension ContiguousArray: ContiguousBytes, DataProtocol where Element == UInt8 {}
extension Slice: DataProtocol where Base: DataProtocol {}

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

public class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }
  public var outputFormatting: OutputFormatting = []
  public init() {}
  public func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

extension String {
  public struct Encoding: Sendable {
    public static let utf8 = Encoding()
  }
  public init?(data: Data, encoding: Encoding) { return nil }
}
