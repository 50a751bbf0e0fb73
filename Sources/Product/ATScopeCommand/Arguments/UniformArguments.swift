import ArgumentParser

/// `--progress` on commands without progress to show. Every command accepts it, so that a script can give
/// the same options to all.
struct UnusedProgress: ParsableArguments {
  @Option(help: .hidden) var progress = ProgressArgument.auto
}

/// `--config` on commands that the project file does not affect, accepted for the same reason. A given file is still validated.
struct UnusedProject: ParsableArguments {
  @Option(help: .hidden) var config: String?

  @Flag(help: .hidden) var noConfig = false

  func validate() throws { try ProjectArguments.check(config, noConfig: noConfig) }

  /// Exits with status 2 if the given file is not a project file.
  func check() throws {
    if let config { _ = try ProjectArguments.read(config) }
  }
}
