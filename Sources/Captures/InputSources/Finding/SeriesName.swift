import ByteParsing

/// A file's name with its digits taken out, equal for names that differ in nothing else.
struct SeriesName: Hashable {
  /// Everything in front of the file's own name, `!` of an archive included.
  let folder: Bytes

  /// The name with a zero byte, which no name holds, in place of each row of digits.
  let pattern: Bytes

  /// The rows of digits.
  let numbers: [Bytes]

  static func == (a: SeriesName, b: SeriesName) -> Bool { a.folder == b.folder && a.pattern == b.pattern }

  func hash(into hasher: inout Hasher) {
    hasher.combine(folder)
    hasher.combine(pattern)
  }

  init(_ file: InputFile) {
    let path = SeriesName.path(of: file)
    let start = path.lastIndex { $0 == UInt8(ascii: "/") }.map { $0 + 1 } ?? 0
    let name = path[start...]
    folder = Bytes(path[..<start])
    var pattern = Bytes()
    var numbers: [Bytes] = []
    for byte in name {
      if byte >= 0x30, byte <= 0x39 {
        if pattern.last != 0 {
          pattern.append(0)
          numbers.append([])
        }
        numbers[numbers.count - 1].append(byte)
      } else {
        pattern.append(byte)
      }
    }
    self.pattern = pattern
    self.numbers = numbers
  }

  /// The same name without any digits, as the first part of a series may have it (`trace.pcap`, `trace.pcap1`, …).
  var withoutDigits: SeriesName { SeriesName(folder: folder, pattern: Bytes(pattern.filter { $0 != 0 })) }

  /// Whether the name has digits.
  var hasDigits: Bool { pattern.contains(0) }

  private init(folder: Bytes, pattern: Bytes) {
    self.folder = folder
    self.pattern = pattern
    numbers = []
  }

  private static func path(of file: InputFile) -> Bytes {
    switch file.location {
    case .standardInput: []
    case .named(let path), .found(let path), .expected(let path): path.bytes
    // A name in an archive may have no folder: the archive is one.
    case .member(let archive, _):
      path(of: archive) + Bytes("!/".utf8)
        + Bytes(file.displayName.utf8.dropFirst(archive.displayName.utf8.count + 1))
    }
  }
}

extension SeriesName {
  /// Rows of digits in a name that are looked at; of names with more, the last one alone counts.
  static let mostNumbers = 16

  /// The sets of names of one pattern that differ in one counter or time stamp, or in both as dumpcap has them; each by the places of
  /// its names. A name without digits, with which a series may begin, goes with all others.
  static func sets(of names: [SeriesName]) -> [[Int]] {
    let numbered = names.indices.filter { names[$0].hasDigits }
    guard let first = numbered.first else { return [] }
    let count = names[first].numbers.count
    let varying = (0..<count).filter { place in
      numbered.contains { names[$0].numbers[place] != names[first].numbers[place] }
    }
    if varying.count < 2 || areOneNumbering(names, numbered, varying) { return [Array(names.indices)] }
    // What tells several series apart comes before what counts their parts.
    var sets: [[Bytes]: [Int]] = [:]
    for index in numbered {
      var others = names[index].numbers
      others[varying[varying.count - 1]] = []
      sets[others, default: []].append(index)
    }
    return sets.values.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }

  /// Whether the rows of digits in which names differ are a time stamp, or that and a counter of at least five digits beside it.
  private static func areOneNumbering(_ names: [SeriesName], _ numbered: [Int], _ varying: [Int]) -> Bool {
    guard let first = varying.first, let last = varying.last, last < mostNumbers else { return false }
    if areStamps(names, numbered, from: first, to: last) { return true }
    if areCounters(names, numbered, at: first), areStamps(names, numbered, from: varying[1], to: last) {
      return true
    }
    return areCounters(names, numbered, at: last)
      && areStamps(names, numbered, from: first, to: varying[varying.count - 2])
  }

  private static func areCounters(_ names: [SeriesName], _ numbered: [Int], at place: Int) -> Bool {
    numbered.allSatisfy { names[$0].numbers[place].count >= 5 }
  }

  /// Whether these rows are part of a time stamp in each of the names, at the same place.
  static func areStamps(_ names: [SeriesName], _ numbered: [Int], from first: Int, to last: Int)
    -> Bool
  {
    (0...first).contains { begin in
      (last..<min(names[numbered[0]].numbers.count, begin + 6)).contains { end in
        numbered.allSatisfy { isStamp(names[$0].numbers[begin...end].joined()) }
      }
    }
  }

  /// Whether digits are a date with or without a time of day, or such a time: `20260501101112`, `101112`.
  private static func isStamp(_ digits: some Sequence<UInt8>) -> Bool {
    let digits = Array(digits)
    func value(_ place: Int, _ count: Int) -> Int {
      digits[place..<(place + count)].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
    func isTime(at place: Int) -> Bool {
      guard place < digits.count else { return true }
      return value(place, 2) < 24
        && stride(from: place + 2, to: digits.count, by: 2).allSatisfy { value($0, 2) < 61 }
    }
    switch digits.count {
    case 4, 6: return isTime(at: 0)
    case 8, 10, 12, 14:
      return (1970...2199).contains(value(0, 4)) && (1...12).contains(value(4, 2))
        && (1...31).contains(value(6, 2)) && isTime(at: 8)
    default: return false
    }
  }
}
