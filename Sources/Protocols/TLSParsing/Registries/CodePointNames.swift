import ByteParsing

/// Looks code points up in the sorted tables of this folder.
enum CodePointNames {
  /// The index of `codePoint` in a table of `count` rows that ascends by code point.
  static func index<CodePoint: FixedWidthInteger>(
    of codePoint: CodePoint, count: Int, at row: (Int) -> CodePoint
  ) -> Int? {
    let index = (0..<count).partitioningIndex { row($0) >= codePoint }
    return index < count && row(index) == codePoint ? index : nil
  }

  /// The name beside `codePoint` in a table that ascends by code point.
  static func name<CodePoint: FixedWidthInteger>(
    of codePoint: CodePoint, in table: [(codePoint: CodePoint, name: String)]
  ) -> String? {
    index(of: codePoint, count: table.count) { table[$0].codePoint }.map { table[$0].name }
  }
}
