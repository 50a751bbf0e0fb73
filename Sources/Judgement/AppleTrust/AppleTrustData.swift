import ByteParsing

/// The tables of `apple-trust.bin`; the certificates stay in the data until they are needed.
///
/// `Tests/Scripts/apple-trust.py` describes the layout. A test reads all of it, because any fault is a fault of the build.
struct AppleTrustData: Sendable {
  /// A release of macOS and the index of its store.
  struct Release: Sendable {
    let major: Int
    let minor: Int
    let patch: Int
    let store: Int
  }

  /// A root and its position in the data.
  struct Root: Sendable {
    /// The SHA-256 digest, 32 bytes.
    let digest: Bytes
    /// The range of the certificate in the data.
    let range: Range<Int>
    /// The range of the subject in the certificate.
    let subject: Range<Int>
    let flags: UInt16
  }

  /// The tables, read at first use.
  static let shared = EmbeddedData.read { bytes in (try? AppleTrustData(bytes)) ?? AppleTrustData() }

  /// The releases, sorted by version.
  private(set) var releases: [Release] = []
  private(set) var stores: [AppleRootStore] = []
  /// The roots, sorted by digest.
  private(set) var roots: [Root] = []
  private(set) var logListDate: UInt32 = 0
  private(set) var logCount = 0
  private(set) var logListDigest: Bytes = []
  /// One bit per root for each store.
  private var members: [Bytes] = []
  private var logListRange = 0..<0

  private init() {}

  init(_ bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    guard try reader.readUInt32("signature") == 0x4154_5352, try reader.readUInt16("layout") == 1 else {
      throw ParseError(.unexpectedValue(0), in: "signature", at: 0)
    }
    let rootCount = Int(try reader.readUInt16("roots"))
    let storeCount = Int(try reader.readUInt16("stores"))
    let releaseCount = Int(try reader.readUInt16("releases"))
    let certificates = Int(try reader.readUInt32("certificates"))
    let logList = Int(try reader.readUInt32("logList"))
    logListRange = logList..<(logList + Int(try reader.readUInt32("logListLength")))
    logListDate = try reader.readUInt32("logListDate")
    logCount = Int(try reader.readUInt16("logCount"))
    var digest = try reader.readBody(byteCount: 32, "logListDigest")
    logListDigest = digest.readRest()
    for _ in 0..<releaseCount {
      let major = Int(try reader.readUInt8("major"))
      let minor = Int(try reader.readUInt8("minor"))
      let patch = Int(try reader.readUInt8("patch"))
      releases.append(Release(major: major, minor: minor, patch: patch, store: Int(try reader.readUInt8("store"))))
    }
    for index in 0..<storeCount {
      stores.append(AppleRootStore(version: try reader.readUInt32("version"), index: index))
      var row = try reader.readBody(byteCount: (rootCount + 7) / 8, "members")
      members.append(row.readRest())
    }
    for _ in 0..<rootCount {
      var digest = try reader.readBody(byteCount: 32, "digest")
      let start = certificates + Int(try reader.readUInt32("offset"))
      let end = start + Int(try reader.readUInt16("length"))
      let subject = Int(try reader.readUInt16("subject"))
      let subjectEnd = subject + Int(try reader.readUInt16("subjectLength"))
      roots.append(
        Root(digest: digest.readRest(), range: start..<end, subject: subject..<subjectEnd, flags: try reader.readUInt16("flags")))
    }
  }

  var logList: Bytes { AppleTrustData.copy(logListRange) }

  /// Whether a store contains the root at an index.
  func isMember(_ index: Int, of store: AppleRootStore) -> Bool {
    guard members.indices.contains(store.index), index / 8 < members[store.index].count else { return false }
    return members[store.index][index / 8] & (0x80 >> UInt8(index % 8)) != 0
  }

  func indices(in store: AppleRootStore) -> [Int] { roots.indices.filter { isMember($0, of: store) } }

  /// The index of the root with this SHA-256 (64 hexadecimal digits); nil if no store contains it.
  func index(of sha256: String) -> Int? {
    guard let digest = bytes(ofHexadecimal: sha256.utf8) else { return nil }
    let index = roots.partitioningIndex { !$0.digest.lexicographicallyPrecedes(digest) }
    return index < roots.count && roots[index].digest == digest ? index : nil
  }

  /// The certificate and the subject of the root at an index, both in DER.
  func root(at index: Int) -> (certificate: Bytes, subject: Bytes) {
    let certificate = AppleTrustData.copy(roots[index].range)
    let subject = roots[index].subject
    return (certificate, subject.upperBound <= certificate.count ? Bytes(certificate[subject]) : [])
  }

  private static func copy(_ range: Range<Int>) -> Bytes {
    EmbeddedData.read { bytes in
      range.upperBound <= bytes.count ? Bytes(copying: bytes.extracting(range)) : []
    }
  }
}
