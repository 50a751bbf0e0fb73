package import ByteParsing
package import HTTPParsing

extension FieldDecoder {
  /// A block with the same fields in which values that nothing is read of are replaced by others of the same length; `fields` are those
  /// that were decoded from it.
  package static func neutralized(_ block: Bytes, _ fields: [DecodedField]) -> Bytes {
    var result = block
    for field in fields {
      guard let literal = field.literal, block.indices.contains(literal.range) else { continue }
      for hidden in field.hiddenRanges where !hidden.isEmpty {
        if literal.isHuffman {
          guard let text = HuffmanCode.neutralized(result.span.extracting(literal.range), symbols: hidden),
            text.count == literal.range.count
          else { continue }
          result.replaceSubrange(literal.range, with: text)
        } else {
          let start = literal.range.lowerBound
          for index in hidden where start + index < literal.range.upperBound { result[start + index] = 0x30 }
        }
      }
    }
    return result
  }
}

extension Range<Int> {
  fileprivate func contains(_ other: Range<Int>) -> Bool {
    other.lowerBound >= lowerBound && other.upperBound <= upperBound
  }
}

extension DecodedField {
  /// The parts of the value that name neither a host nor a path, nor anything else that is read.
  var hiddenRanges: [Range<Int>] {
    switch String(decoding: name, as: UTF8.self) {
    case ":method", ":scheme", ":status", ":protocol": []
    case ":authority", "host": [0..<userEnd(in: 0..<value.count)]
    case ":path":
      // The query.
      [(value.firstIndex { $0 == 0x3F || $0 == 0x23 }.map { $0 + 1 } ?? value.count)..<value.count]
    case "content-type": HTTPReduction.keepsMediaType(value[...]) ? [] : [0..<value.count]
    case "location": hiddenOfLocation
    default: [0..<value.count]
    }
  }

  private func userEnd(in authority: Range<Int>) -> Int {
    value[authority].lastIndex(of: 0x40) ?? authority.lowerBound
  }

  /// The ranges of a reference besides its scheme and host.
  private var hiddenOfLocation: [Range<Int>] {
    let slash: UInt8 = 0x2F
    guard let start = value.indices.first(where: { value[$0...].starts(with: [slash, slash]) }),
      value[..<start].allSatisfy({ $0 != slash && $0 != 0x3F && $0 != 0x23 })
    else { return [min(1, value.count)..<value.count] }
    let authority = (start + 2)..<(value[(start + 2)...].firstIndex { [slash, 0x3F, 0x23].contains($0) } ?? value.count)
    return [authority.lowerBound..<userEnd(in: authority), min(authority.upperBound + 1, value.count)..<value.count]
  }
}
