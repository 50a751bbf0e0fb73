import ByteParsing
import SystemCalls
import Values

/// A file name, parsed according to the conventions of programs that rotate captures.
///
/// | program | names |
/// | --- | --- |
/// | tcpdump `-C` | `trace.pcap`, `trace.pcap1`, …; with `-W` `trace.pcap00`, `trace.pcap01`, … |
/// | tcpdump `-G`, Suricata, daemonlogger | `trace-2026-05-01_10.11.12.pcap`, `log.pcap.1777630272` |
/// | dumpcap, tshark, Wireshark, editcap | `trace_00001_20260501101112.pcap`, `trace_20260501101112_00001.pcap` |
///
/// Other digits, such as those of a version, port, or address, are part of the name: `ios17.pcap` and `ios18.pcap` are two captures.
struct SeriesName {
  /// The path without counter, timestamp, and compression suffix; equal for the parts of a series.
  let series: Bytes

  /// The number of the part; nil if there is none, as in tcpdump's first part.
  private(set) var counter: Int?

  /// The timestamp, interpreted as UTC.
  private(set) var stamp: Timestamp?

  /// Whether counter and timestamp are those of a dumpcap file set, in which the counter decides.
  private(set) var isFileSet = false

  /// Whether the timestamp is in seconds since 1970, which a serial number may resemble.
  private(set) var isUnixTime = false

  /// Whether the name has no extension, so that its counter counts only in a series that begins with the name alone.
  private(set) var needsFirstPart = false

  init(_ file: InputFile) {
    let (folder, name) = SeriesName.split(file)
    let base = SeriesName.withoutCompression(name)
    let rows = SeriesName.rows(of: base)
    var stamps: [Range<Int>] = []
    if let (range, stamp) = SeriesName.date(in: base, rows) ?? SeriesName.unixTime(in: base, rows) {
      self.stamp = stamp.time
      isUnixTime = stamp.isUnixTime
      stamps.append(range)
      if let row = rows.first(where: { SeriesName.isFileSet(base, counter: $0, time: range) }) {
        counter = SeriesName.value(base[row])
        isFileSet = true
        stamps.append(row)
      }
    }
    var end = base.count
    if !isFileSet, let row = rows.last, row.upperBound == end, row.lowerBound > 0, row.count <= 6, !stamps.contains(row) {
      let stem = base[..<row.lowerBound]
      needsFirstPart = stamp == nil && !stem.contains(UInt8(ascii: "."))
      if needsFirstPart || SeriesName.extensions.contains(where: { stem.suffix($0.count).elementsEqual($0) }) {
        counter = SeriesName.value(base[row])
        end = row.lowerBound
      }
    }
    // A zero byte, which no name contains, replaces a stamp; tcpdump's counter is removed, as its first part has none.
    var series = folder
    for index in 0..<end {
      guard let range = stamps.first(where: { $0.contains(index) }) else {
        series.append(base[index])
        continue
      }
      if index == range.lowerBound { series.append(0) }
    }
    self.series = series
  }

  /// The path without digits; equal for files that differ only in these.
  static func withoutDigits(_ file: InputFile) -> Bytes {
    let (folder, name) = split(file)
    return folder + name.filter { !isDigit($0) }
  }

  /// Extensions after which tcpdump writes its counter.
  private static let extensions = [".pcap", ".pcapng", ".cap", ".dmp", ".dump", ".tcpdump", ".trc", ".trace"]
    .map { Bytes($0.utf8) }

  private static let compressions = [".gz", ".bz2", ".xz", ".zst", ".lz4"].map { Bytes($0.utf8) }

  private static func split(_ file: InputFile) -> (folder: Bytes, name: Bytes) {
    let path = path(of: file)
    let start = path.lastIndex { $0 == UInt8(ascii: "/") }.map { $0 + 1 } ?? 0
    return (Bytes(path[..<start]), Bytes(path[start...]))
  }

  private static func path(of file: InputFile) -> Bytes {
    switch file.location {
    case .standardInput: []
    case .memory: Bytes(file.displayName.utf8)
    case .named(let path), .found(let path), .expected(let path): path.bytes
    // A name in an archive may have no folder, since the archive is one.
    case .member(let archive, _):
      path(of: archive) + Bytes("!/".utf8) + Bytes(file.displayName.utf8.dropFirst(archive.displayName.utf8.count + 1))
    }
  }

  private static func withoutCompression(_ name: Bytes) -> Bytes {
    let suffix = compressions.first { name.suffix($0.count).elementsEqual($0) }
    return Bytes(name.dropLast(suffix?.count ?? 0))
  }

  /// The ranges of digits.
  private static func rows(of name: Bytes) -> [Range<Int>] {
    var rows: [Range<Int>] = []
    for index in name.indices where isDigit(name[index]) {
      if let last = rows.last, last.upperBound == index {
        rows[rows.count - 1] = last.lowerBound..<(index + 1)
      } else {
        rows.append(index..<(index + 1))
      }
    }
    return rows
  }

  /// The value of up to 15 digits.
  private static func value(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
  }
}

extension SeriesName {
  private typealias Stamp = (range: Range<Int>, stamp: (time: Timestamp, isUnixTime: Bool))

  /// The first date in a name, with the time of day that follows: rows of digits separated by at most one byte.
  private static func date(in name: Bytes, _ rows: [Range<Int>]) -> Stamp? {
    for first in rows.indices {
      var found: Stamp?
      var digits = Bytes()
      for last in first..<min(first + 6, rows.count) {
        if last > first, rows[last].lowerBound - rows[last - 1].upperBound > 1 { break }
        digits += name[rows[last]]
        guard digits.count <= 14 else { break }
        if let time = time(digits) { found = (rows[first].lowerBound..<rows[last].upperBound, (time, false)) }
      }
      if let found { return found }
    }
    return nil
  }

  /// The time of `YYYYMMDD`, alone or with `hh`, `hhmm` or `hhmmss`.
  private static func time(_ digits: Bytes) -> Timestamp? {
    guard [8, 10, 12, 14].contains(digits.count), let year = value(digits[..<4]), (1970...2199).contains(year) else { return nil }
    func part(_ index: Int) -> Int { index < digits.count ? value(digits[index..<(index + 2)]) ?? 0 : 0 }
    return Timestamp(year: year, month: part(4), day: part(6), hour: part(8), minute: part(10), second: part(12))
  }

  /// The first ten digits that are seconds since 1970, from 2001 on.
  private static func unixTime(in name: Bytes, _ rows: [Range<Int>]) -> Stamp? {
    for row in rows where row.count == 10 {
      if let seconds = value(name[row]), (1_000_000_000..<5_000_000_000).contains(seconds) {
        return (row, (Timestamp(seconds: Int64(seconds)), true))
      }
    }
    return nil
  }

  /// Whether a row of at least five digits is a counter next to a timestamp, as in `_00001_20260501101112`.
  private static func isFileSet(_ name: Bytes, counter: Range<Int>, time: Range<Int>) -> Bool {
    let (first, second) = counter.lowerBound < time.lowerBound ? (counter, time) : (time, counter)
    return (5...9).contains(counter.count) && time.count == 14 && second.lowerBound == first.upperBound + 1
      && name[first.upperBound] == UInt8(ascii: "_") && first.lowerBound > 0 && name[first.lowerBound - 1] == UInt8(ascii: "_")
  }
}

extension SeriesName {
  /// Whether a part's name directly follows another's, or follows numbers in `empty`, those of parts without packets; `start` and
  /// `nextStart` are the times of their first packets. A ring of files, whose numbers end with `ringEnd`, continues with its first one.
  func precedes(_ next: SeriesName, _ start: Timestamp, _ nextStart: Timestamp, ringEnd: Int?, passing empty: Set<Int>) -> Bool {
    if isFileSet || stamp == next.stamp {
      guard let number = next.counter else { return false }
      var following = (counter ?? 0) + 1
      while empty.contains(following) { following += 1 }
      return number == following || number == 0 && counter != nil && counter == ringEnd
    }
    guard let stamp, let later = next.stamp, next.counter ?? 0 == 0 else { return false }
    // A ten-digit number is a time if the capture is from that time.
    if next.isUnixTime, abs(Double(later.seconds) - Double(nextStart.seconds)) > 86_400 { return false }
    let named = Double(later.seconds - stamp.seconds)
    let captured = Double(nextStart.seconds) - Double(start.seconds)
    // Captures of two builds may be a day apart by name and seconds by content, but a rotated part lasts as long as its timestamps differ.
    func lasts(_ seconds: Double) -> Bool { seconds > 0 && 2 * captured + 120 >= seconds }
    if lasts(named) { return true }
    // tcpdump writes local times, which go one hour back or forward if daylight saving ends or begins.
    func lastsAlmost(_ seconds: Double) -> Bool { lasts(seconds) && 2 * seconds + 120 >= captured }
    return !isUnixTime && !next.isUnixTime && (lastsAlmost(named - 3600) || lastsAlmost(named + 3600))
  }
}
