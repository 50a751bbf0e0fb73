import ByteParsing

/// Looks up code points in the sorted tables of this folder.
enum CodePointNames {
  /// The row of `codePoint` in a table in ascending order of the code points in `column`.
  static func row<CodePoint: Comparable, Row>(of codePoint: CodePoint, in table: [Row], by column: (Row) -> CodePoint) -> Row? {
    let index = table.partitioningIndex { column($0) >= codePoint }
    return index < table.count && column(table[index]) == codePoint ? table[index] : nil
  }

  /// The name of `codePoint` in a table in ascending order of code points.
  static func name<CodePoint: FixedWidthInteger>(of codePoint: CodePoint, in table: [(codePoint: CodePoint, name: String)]) -> String? {
    row(of: codePoint, in: table, by: { $0.codePoint })?.name
  }
}

/// Whether a code point is a GREASE value (RFC 8701): `0x0a0a`, `0x1a1a` … `0xfafa`.
package func isGREASE(_ codePoint: UInt16) -> Bool {
  codePoint & 0x0F0F == 0x0A0A && codePoint >> 8 == codePoint & 0xFF
}
