import ByteParsing

/// Reads the binary format: a header, objects, a table of their offsets, and a trailer.
///
/// ```
/// 8 bytes   "bplist00"
/// objects   a marker each: type in the upper four bits, size in the lower four
/// table     the offset of each object
/// 32 bytes  5 unused, sort version, offset size, reference size, object count, root, table's offset
/// ```
///
/// Objects refer to each other by number, so a small file can describe an endless tree: the walk keeps
/// its current path, and has a budget.
struct BinaryPropertyListReader {
  private static let headerLength = 8
  private static let trailerLength = 32

  let bytes: Bytes
  let offsetSize: Int
  let referenceSize: Int
  let objectCount: Int

  /// The offset of the table, at which the objects end.
  let tableOffset: Int

  /// The numbers of the containers that enclose the current object.
  private var path: Set<Int> = []
  private var objectBudget = PropertyListLimits.objectCount
  private var contentBudget = PropertyListLimits.contentByteCount

  static func read(_ bytes: Bytes) throws(PropertyListError) -> PropertyListValue {
    var reader: BinaryPropertyListReader
    let root: Int
    (reader, root) = try open(bytes)
    return try reader.readObject(root, depth: 0)
  }

  private static func open(_ bytes: Bytes) throws(PropertyListError) -> (BinaryPropertyListReader, root: Int) {
    guard bytes.count > headerLength + trailerLength else { throw PropertyListError(.truncated, at: .byte(bytes.count)) }
    guard bytes[6] == UInt8(ascii: "0") else {
      throw PropertyListError(.malformed("a binary property list of a version other than 0"), at: .byte(6))
    }
    let trailer = bytes.count - trailerLength
    func field(_ offset: Int) throws(PropertyListError) -> Int {
      guard let value = integer(in: bytes, at: trailer + offset, byteCount: 8),
        let value = Int(exactly: value)
      else { throw wrongTrailer(trailer + offset) }
      return value
    }
    func wrongTrailer(_ offset: Int) -> PropertyListError {
      PropertyListError(.malformed("the trailer does not match the file, which may be truncated"), at: .byte(offset))
    }
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw wrongTrailer(trailer + 6) }
    let objectCount = try field(8)
    let root = try field(16)
    let tableOffset = try field(24)
    // The table must end exactly at the trailer, which also bounds the number of objects.
    guard tableOffset > headerLength, tableOffset < trailer,
      (trailer - tableOffset).isMultiple(of: offsetSize), (trailer - tableOffset) / offsetSize == objectCount
    else { throw wrongTrailer(trailer + 24) }
    guard root < objectCount else { throw wrongTrailer(trailer + 16) }
    let reader = BinaryPropertyListReader(
      bytes: bytes, offsetSize: offsetSize, referenceSize: referenceSize, objectCount: objectCount, tableOffset: tableOffset)
    return (reader, root)
  }

  private mutating func readObject(_ number: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
    let offset = try offset(of: number)
    objectBudget -= 1
    guard objectBudget >= 0 else { throw PropertyListError(.limit(.objects, PropertyListLimits.objectCount), at: .byte(offset)) }
    let marker = bytes[offset]
    guard marker >> 4 >= 0xA else { return try readScalar(at: offset) }

    guard depth < PropertyListLimits.depth else { throw PropertyListError(.limit(.depth, PropertyListLimits.depth), at: .byte(offset)) }
    guard path.insert(number).inserted else { throw PropertyListError(.cycle(object: number), at: .byte(offset)) }
    defer { path.remove(number) }
    switch marker >> 4 {
    case 0xA: return .array(try readItems(at: offset, depth: depth))
    case 0xC: return .set(try readItems(at: offset, depth: depth))
    case 0xD: return .dictionary(try readDictionary(at: offset, depth: depth))
    default: throw unknownMarker(at: offset)
    }
  }

  private mutating func readItems(at offset: Int, depth: Int) throws(PropertyListError) -> [PropertyListValue] {
    let (count, start) = try readCount(at: offset, itemSize: referenceSize)
    var items: [PropertyListValue] = []
    for index in 0..<count {
      items.append(try readObject(try reference(at: start + index * referenceSize), depth: depth + 1))
    }
    return items
  }

  private mutating func readDictionary(at offset: Int, depth: Int) throws(PropertyListError) -> PropertyListDictionary {
    let (count, start) = try readCount(at: offset, itemSize: 2 * referenceSize)
    var dictionary = PropertyListDictionary()
    for index in 0..<count {
      let key = try readObject(try reference(at: start + index * referenceSize), depth: depth + 1)
      let value = try readObject(try reference(at: start + (count + index) * referenceSize), depth: depth + 1)
      if case .string(let key) = key {
        dictionary.append(key, value)
      } else {
        dictionary.nonTextKeyCount += 1
      }
    }
    return dictionary
  }

  /// Subtracts text or data from the budget.
  mutating func spend(_ byteCount: Int, at offset: Int) throws(PropertyListError) {
    contentBudget -= byteCount
    guard contentBudget >= 0 else { throw PropertyListError(.limit(.content, PropertyListLimits.contentByteCount), at: .byte(offset)) }
  }
}
