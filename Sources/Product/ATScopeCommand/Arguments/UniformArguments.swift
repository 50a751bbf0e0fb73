import ArgumentParser

/// `--progress` on commands that are done before there is any to show. Every command takes it, so that a script can give
/// the same options to all.
struct UnusedProgress: ParsableArguments {
  @Option(help: .hidden) var progress = ProgressArgument.auto
}

/// `--config` on commands about which a project file says nothing; as above. A file that is named is looked at all the same.
struct UnusedProject: ParsableArguments {
  @Option(help: .hidden) var config: String?

  @Flag(help: .hidden) var noConfig = false

  func validate() throws { try ProjectArguments.check(config, noConfig: noConfig) }

  /// Ends with status 2 if the file that was named is no project file.
  func check() throws {
    if let config { _ = try ProjectArguments.read(config) }
  }
}
