import Foundation

/// How much of a long property test runs: `make test` tries a small part, `make test-long` all of it.
package enum TestEffort {
  /// Whether `ATSCOPE_LONG_TESTS` is set in the environment.
  package static let isLong = ProcessInfo.processInfo.environment["ATSCOPE_LONG_TESTS"] != nil

  /// All of `seeds` in a long run, else the first one alone.
  package static func seeds(_ seeds: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    isLong ? seeds : seeds.lowerBound...seeds.lowerBound
  }

  /// All elements in a long run, else every eighth.
  package static func part<Element>(of elements: [Element]) -> [Element] {
    isLong ? elements : stride(from: 0, to: elements.count, by: 8).map { elements[$0] }
  }

  /// How long a parser is fed changed seeds.
  package static let time: Duration = isLong ? .seconds(10) : .milliseconds(200)

  /// `count` repetitions in a long run, else a tenth of them.
  package static func rounds(_ count: Int) -> Int { isLong ? count : count / 10 }
}
