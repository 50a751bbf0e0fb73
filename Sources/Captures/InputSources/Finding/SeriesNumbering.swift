import ByteParsing

/// The numbers in the names of one set, by which a part is named as the one after another.
///
/// What holds for all names is found out once, so that a series costs as much for each part however long it is.
struct SeriesNumbering {
  /// The values of one row of digits over all names.
  private struct Row {
    var least: Int?
    var greatest: Int?
    var distinct = 0
    /// Whether it is a counter of dumpcap, which has five digits at least, and no part of a stamp.
    var isCounter = true
    /// Whether it may be a time in seconds (`%s`).
    var isUnixTime = true
  }

  private let names: [SeriesName]
  private let numbered: [Int]
  private let rows: [Row]

  /// Whether rows of digits are a time stamp in all names, by the first and the last of the rows.
  private var stamps: [Range<Int>: Bool] = [:]

  /// Creates the numbering of names of one pattern, the one without digits included with which a series may begin.
  init(_ names: [SeriesName]) {
    self.names = names
    numbered = names.indices.filter { names[$0].hasDigits }
    let count = numbered.map { names[$0].numbers.count }.min() ?? 0
    var rows: [Row] = []
    for place in 0..<min(count, SeriesName.mostNumbers) {
      var row = Row()
      var values: Set<Int> = []
      for index in numbered {
        let digits = names[index].numbers[place]
        if !(5...7).contains(digits.count) || count < 2 { row.isCounter = false }
        if digits.count != 10 { row.isUnixTime = false }
        if let value = SeriesNumbering.value(digits) { values.insert(value) }
      }
      (row.least, row.greatest, row.distinct) = (values.min(), values.max(), values.count)
      rows.append(row)
    }
    self.rows = rows
  }

  /// Whether a part is named as the one after another: by the next number, or by the first one where a ring of files has come to its last,
  /// or by a later time stamp. Numbers that do not count on, such as those of ports, name captures of their own.
  mutating func goesOn(from previous: Int, to next: Int) -> Bool {
    let (previous, next) = (names[previous], names[next])
    // The part without a number is the first of all.
    guard previous.hasDigits else {
      return next.hasDigits && next.numbers.contains { [0, 1].contains(SeriesNumbering.value($0)) }
    }
    guard next.hasDigits, previous.numbers.count == next.numbers.count else { return false }
    let varying = next.numbers.indices.filter { previous.numbers[$0] != next.numbers[$0] }
    guard let first = varying.first, let last = varying.last, last < rows.count else { return false }
    // A counter decides, whatever stamp is beside it.
    let counters = varying.filter { rows[$0].isCounter }
    if varying.count == 1 || counters.count == 1, let place = counters.first ?? varying.first {
      guard let old = SeriesNumbering.value(previous.numbers[place]),
        let new = SeriesNumbering.value(next.numbers[place])
      else { return false }
      if old < .max, new == old + 1 { return true }
      // Two files may as well be named in no order.
      let row = rows[place]
      if new == row.least, new <= 1, old == row.greatest, row.distinct == old - new + 1, row.distinct > 2 {
        return true
      }
    }
    // Four digits are a year or a version as often as a time of day.
    let isLong = next.numbers.reduce(0) { $0 + $1.count } > 4
    guard isLong && areStamps(first..<(last + 1)) || varying.count == 1 && rows[first].isUnixTime else {
      return false
    }
    // Rows of one stamp have equal lengths: they compare as they are read.
    return previous.numbers.joined().lexicographicallyPrecedes(next.numbers.joined())
  }

  private mutating func areStamps(_ rows: Range<Int>) -> Bool {
    if let known = stamps[rows] { return known }
    let areStamps = SeriesName.areStamps(names, numbered, from: rows.lowerBound, to: rows.upperBound - 1)
    stamps[rows] = areStamps
    return areStamps
  }

  /// The number that digits are; nil beyond what counters and times have.
  private static func value(_ digits: Bytes) -> Int? {
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
  }
}
