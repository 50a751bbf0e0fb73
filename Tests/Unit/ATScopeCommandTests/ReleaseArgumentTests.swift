import ATScope
import ArgumentParser
import PolicyResolution
import TestFiles
import Testing

@testable import ATScopeCommand

@Suite struct ReleaseArgumentTests {
  @Test func `a command that requires one release uses the newest if the project file has at-session`() throws {
    let file = try TemporaryFile(#"{"os": "at-session"}"#)
    let project = try ProjectFile(reading: file.path)
    #expect(ReleaseArgument().inForce(project).isAtSession)
    #expect(try ReleaseArgument().one(project) == .newest)
    #expect(try ReleaseArgument("ios15").one(project).name == "ios15")
    #expect(throws: ValidationError.self) { try ReleaseArgument("at-session", allowsAtSession: true).one(project) }
    var options = AuditOptions(inputs: [])
    options.project = project
    options.judging.assumptions.isReleaseAtSession = true
    try ReleaseArgument().apply(to: &options)
    #expect(!options.judging.assumptions.isReleaseAtSession)
  }
}
