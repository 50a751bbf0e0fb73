package import ByteParsing

/// A field of a header block.
package struct DecodedField: Hashable, Sendable {
  /// The name, in lower case as HTTP/2 requires; pseudo-fields begin with a colon.
  package var name: Bytes

  package var value: Bytes

  /// The range of the literal value in the block; nil if it is indexed.
  package var literal: Literal?

  /// A literal value.
  package struct Literal: Hashable, Sendable {
    package var range: Range<Int>
    package var isHuffman: Bool
  }
}

/// Decodes the header blocks of one direction of an HTTP/2 connection, in order (HPACK, RFC 7541).
package struct FieldDecoder {
  /// The maximum size of a field section, counted as for SETTINGS_MAX_HEADER_LIST_SIZE. Servers reject a fraction of it.
  package static let maximumListSize = 262_144

  private var table = FieldTable()

  package init() {}

  /// The size of the dynamic table, as HPACK counts it.
  package var tableSize: Int { table.size }

  /// Decodes a block. After an error the table is undefined, and no later block can be decoded.
  package mutating func decode(_ block: Span<UInt8>) throws(ParseError) -> [DecodedField] {
    var fields: [DecodedField] = []
    try decode(block, into: &fields)
    return fields
  }

  /// Decodes a block whose end may be missing; returns the fields before the first incomplete one.
  package mutating func decode(prefix block: Span<UInt8>) -> [DecodedField] {
    var fields: [DecodedField] = []
    try? decode(block, into: &fields)
    return fields
  }

  private mutating func decode(_ block: Span<UInt8>, into fields: inout [DecodedField]) throws(ParseError) {
    var reader = ByteReader(block)
    var listSize = 0
    while reader.remaining > 0 {
      let start = reader.offset
      let first = try reader.readUInt8("field")
      var field: DecodedField
      switch first {
      case 0x80...:
        let entry = try entry(Self.integer(first & 0x7F, of: 7, &reader), at: start)
        field = DecodedField(name: entry.name, value: entry.value)
      case 0x40...:
        field = try literal(first & 0x3F, of: 6, &reader)
        table.insert(FieldTable.Entry(name: field.name, value: field.value))
      case 0x20...:
        let size = try Self.integer(first & 0x1F, of: 5, &reader)
        guard fields.isEmpty else { throw ParseError(.unexpectedValue(UInt64(first)), in: "size update", at: start) }
        guard size <= FieldTable.maximumSize else { throw ParseError(.limitReached(FieldTable.maximumSize), in: "size update", at: start) }
        table.resize(to: size)
        continue
      default:
        field = try literal(first & 0x0F, of: 4, &reader)
      }
      listSize += field.name.count + field.value.count + 32
      guard listSize <= FieldDecoder.maximumListSize else {
        throw ParseError(.limitReached(FieldDecoder.maximumListSize), in: "field section", at: start)
      }
      fields.append(field)
    }
  }

  private func entry(_ index: Int, at offset: Int) throws(ParseError) -> FieldTable.Entry {
    guard let entry = table[index] else { throw ParseError(.unexpectedValue(UInt64(index)), in: "index", at: offset) }
    return entry
  }

  /// Decodes a field with a literal value, and an indexed or literal name (RFC 7541 §6.2).
  private func literal(_ prefix: UInt8, of bits: Int, _ reader: inout ByteReader) throws(ParseError) -> DecodedField {
    let start = reader.offset
    let index = try Self.integer(prefix, of: bits, &reader)
    let name = index == 0 ? try Self.string(&reader).text : try entry(index, at: start).name
    let (value, literal) = try Self.string(&reader)
    return DecodedField(name: name, value: value, literal: literal)
  }

  private static func string(_ reader: inout ByteReader) throws(ParseError) -> (text: Bytes, DecodedField.Literal) {
    let first = try reader.readUInt8("string length")
    let length = try integer(first & 0x7F, of: 7, &reader)
    let start = reader.offset
    var body = try reader.readBody(byteCount: length, "string")
    let literal = DecodedField.Literal(range: start..<(start + length), isHuffman: first & 0x80 != 0)
    return (literal.isHuffman ? try HuffmanCode.decode(body.rest, at: start) : body.readRest(), literal)
  }

  /// Decodes an integer whose first bits are given (RFC 7541 §5.1).
  private static func integer(_ prefix: UInt8, of bits: Int, _ reader: inout ByteReader) throws(ParseError) -> Int {
    let largest = (1 << bits) - 1
    var value = Int(prefix)
    guard value == largest else { return value }
    var shift = 0
    while true {
      let byte = try reader.readUInt8("integer")
      // Five bytes exceed any accepted length or index; an unlimited number of zeros could follow.
      guard shift <= 28 else { throw ParseError(.limitReached(28), in: "integer", at: reader.offset) }
      value += Int(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 == 0 { return value }
    }
  }
}
