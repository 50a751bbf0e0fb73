import ByteParsing

/// Looks up code points in the sorted tables of this folder.
enum CodePointNames {
  /// The index of `codePoint` in a table of `count` rows in ascending order of code points.
  static func index<CodePoint: FixedWidthInteger>(of codePoint: CodePoint, count: Int, at row: (Int) -> CodePoint) -> Int? {
    let index = (0..<count).partitioningIndex { row($0) >= codePoint }
    return index < count && row(index) == codePoint ? index : nil
  }

  /// The name of `codePoint` in a table in ascending order of code points.
  static func name<CodePoint: FixedWidthInteger>(of codePoint: CodePoint, in table: [(codePoint: CodePoint, name: String)]) -> String? {
    index(of: codePoint, count: table.count) { table[$0].codePoint }.map { table[$0].name }
  }
}

/// Whether a code point is a GREASE value (RFC 8701): `0x0a0a`, `0x1a1a` … `0xfafa`.
package func isGREASE(_ codePoint: UInt16) -> Bool {
  codePoint & 0x0F0F == 0x0A0A && codePoint >> 8 == codePoint & 0xFF
}
