import Foundation
import FuzzTargets
import RepositoryFiles
import SeededRandom
import TestBytes
import Testing

@Suite struct FuzzTargetTests {
  private static let seeds = Repository.root.appending(path: "Tests/Fuzzing/Seeds")

  /// Runs the targets as `make fuzz` does, without searching for new paths. A violation traps; the backtrace names the target.
  @Test(arguments: FuzzTarget.all)
  func `a fuzz target accepts its seeds, and changed copies of them, without a trap`(target: FuzzTarget) throws {
    let folder = FuzzTargetTests.seeds.appending(path: target.name)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let seeds = try files.sorted { $0.path() < $1.path() }.map { Array(try Data(contentsOf: $0)) }
    try #require(!seeds.isEmpty)
    for seed in seeds { target.run(seed.span) }
    let end = ContinuousClock.now + TestEffort.time
    var round: UInt64 = 0
    while ContinuousClock.now < end {
      round += 1
      for seed in seeds where !seed.isEmpty && ContinuousClock.now < end {
        torment(.init(seed), rounds: 4, seed: round) { target.run($0) }
      }
    }
  }

  @Test func `the fuzz targets match the folders of seeds`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: FuzzTargetTests.seeds.path())
    #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
  }
}
