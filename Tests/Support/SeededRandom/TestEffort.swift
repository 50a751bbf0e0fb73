import Foundation

/// The extent of long property tests: `make test` runs a small part of them, `make test-long` all.
package enum TestEffort {
  /// Indicates whether `ATSCOPE_LONG_TESTS` is set in the environment.
  package static let isLong = ProcessInfo.processInfo.environment["ATSCOPE_LONG_TESTS"] != nil

  /// All of `seeds` in a long run, otherwise only the first.
  package static func seeds(_ seeds: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    isLong ? seeds : seeds.lowerBound...seeds.lowerBound
  }

  /// All elements in a long run, otherwise every sixteenth.
  package static func part<Element>(of elements: [Element]) -> [Element] {
    isLong ? elements : stride(from: 0, to: elements.count, by: 16).map { elements[$0] }
  }

  /// `count` rounds in a long run, otherwise a tenth of them.
  package static func rounds(_ count: Int) -> Int { isLong ? count : count / 10 }
}
