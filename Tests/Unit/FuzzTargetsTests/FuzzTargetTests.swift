import Foundation
import FuzzTargets
import SeededRandom
import TestBytes
import TestFiles
import Testing

@Suite struct FuzzTargetTests {
  private static let seeds = Repository.root.appending(path: "Tests/Fuzzing/Seeds")

  /// The numbers of changed seeds for targets that take longer than most.
  private static let fewer = [
    "Audit": 4, "Conversation": 100, "Capture": 200, "InnerHello": 200, "Revocation": 400, "Certificate": 500, "InfoPlist": 500,
    "KeyLog": 500, "PEM": 500, "QUICDatagrams": 500, "QUICPacket": 500, "QUICReduction": 500, "CRL": 1000, "CertificateMessage": 1000,
    "LogList": 1000, "OCSP": 1000,
  ]

  /// Runs the targets as `make fuzz` does, without searching for new paths. A violation traps; the backtrace names the target.
  @Test(arguments: FuzzTarget.all)
  func `a fuzz target accepts its seeds, and changed copies of them, without a trap`(target: FuzzTarget) throws {
    let folder = FuzzTargetTests.seeds.appending(path: target.name)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let seeds = try files.sorted { $0.path() < $1.path() }.map { Array(try Data(contentsOf: $0)) }
    try #require(!seeds.isEmpty)
    for seed in seeds { target.run(seed.span) }
    let changeable = seeds.filter { !$0.isEmpty }
    try #require(!changeable.isEmpty)
    let count = TestEffort.rounds(10 * (FuzzTargetTests.fewer[target.name] ?? 2000))
    // Each of the four kinds of change, to one seed after another.
    for round in 0..<count / 4 {
      torment(.init(changeable[round % changeable.count]), rounds: 4, seed: UInt64(round)) { target.run($0) }
    }
  }

  @Test func `the fuzz targets match the folders of seeds`() throws {
    #expect(FuzzTargetTests.fewer.keys.allSatisfy { name in FuzzTarget.all.contains { $0.name == name } })
    let folders = try FileManager.default.contentsOfDirectory(atPath: FuzzTargetTests.seeds.path())
    #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
  }
}
