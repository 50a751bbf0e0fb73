import ByteParsing
import TLSParsing

/// Hellos of which the scan and what was found by it are known, by their patterns: one that fits need not be scanned again.
///
/// What is kept is bounded, and a hello that is not found costs time alone.
struct RecentHellos<Found> {
  /// Hellos that may lie at one place, and the places: few programs, and few lengths of names, make up most of a capture.
  private static var ways: Int { 4 }
  private static var placeCount: Int { 64 }

  /// One in so many hellos that were not found is kept: some clients say hello in another way each time.
  private static var interval: Int { 4 }

  private var patterns = ContiguousArray<HelloPattern?>(repeating: nil, count: placeCount * ways)
  private var founds = ContiguousArray<Found?>(repeating: nil, count: placeCount * ways)
  private var missed = 0

  /// What was found by a hello that this one fits; nil where there is none.
  func found(by body: Span<UInt8>) -> Found? {
    let first = Self.place(of: body)
    for index in first..<(first + Self.ways) {
      guard let pattern = patterns[index] else { return nil }
      if pattern.matches(body) { return founds[index] }
    }
    return nil
  }

  /// Keeps what was found by a hello, the one that was scanned last, now and then.
  mutating func keep(_ found: Found, _ shape: borrowing HelloShape, _ body: Span<UInt8>) {
    missed &+= 1
    guard missed % Self.interval == 0, let pattern = shape.pattern(of: body) else { return }
    let first = Self.place(of: body)
    let places = first..<(first + Self.ways)
    let index = places.first { patterns[$0] == nil } ?? first + missed / Self.interval % Self.ways
    patterns[index] = pattern
    founds[index] = found
  }

  /// Where hellos of a length and of a list of suites lie, or with a suite.
  private static func place(of body: Span<UInt8>) -> Int {
    guard body.count > 35 else { return 0 }
    let suites = 35 + Int(body[34])
    guard suites + 1 < body.count else { return 0 }
    let mixed = body.count &* 31 &+ Int(body[suites]) &* 7 &+ Int(body[suites + 1])
    return mixed % placeCount * ways
  }
}
