import ArgumentParser
import ATScope
import SessionRecords
import Values

struct AnnotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "annotate", abstract: "Copy a capture and add the verdicts as packet comments for Wireshark.",
    discussion: """
      Writes a pcapng with every packet of the capture. The ClientHello, or the first cleartext request, has a comment \
      with the host and its verdict; the packets that prove a finding have one with the finding and its fix.

        atscope annotate trace.pcapng -o annotated.pcapng
        atscope annotate trace.pcap.gz --info-plist Info.plist -o annotated.pcapng
        tshark -r annotated.pcapng -Y 'frame.comment contains "atscope FAIL"'

      Comments begin with atscope and a word: FAIL, UNKNOWN, EXEMPT or PASS for sessions; FAIL, REFUSED (by the \
      system, although ATS is off), RELAXED, ADVICE or OUTCOME for what a packet shows; RUN, at the first session, for \
      the settings of the run. They replace the comments that an earlier run of annotate wrote. The input is never \
      changed. Packets, times, interfaces, other comments and all other blocks of a pcapng are copied unchanged; pcap, \
      compressed and archived captures become pcapng. Simple Packet Blocks cannot have comments; a warning counts those \
      that are omitted.

      The input is one capture, or the files of one rotated capture (--series auto), which become the sections of one \
      file. --host and --process select the sessions that get comments; --filter, --from and --to select the packets \
      that are judged. All packets are copied. The capture is read twice at the same time, which is not possible with \
      standard input.

      Exit status: 0 everything was read; 2 an input could not be read completely; 64 usage error.
      """)

  @OptionGroup(title: "Reading") var reading: ReadingArguments

  @OptionGroup(title: "Judging") var judging: JudgingArguments

  /// Has no effect, since the output has no color; every command accepts the option.
  @Option(help: .hidden) var color = ColorArgument.auto

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write, which appears complete or not at all; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["pcapng"])) var output: String

  func validate() throws {
    if reading.inputs.contains("-") {
      throw ValidationError("annotate reads its input twice, which is not possible with standard input. Save the capture to a file.")
    }
    try OutputGuard.check([output], against: reading.files + judging.files)
  }

  mutating func run() throws {
    StandardStreams.ignoreBrokenPipes()
    var options = try reading.auditOptions(besides: [output])
    try judging.apply(to: &options)
    let annotation = try Execution.attempt { () throws(AuditError) in try Annotation(options) }
    let sink = try OutputSink(output)
    Sandbox.enter(options, outputs: [output])
    let result = annotation.write(while: sink.write)
    Execution.report(result.outcome)
    if result.wasInterrupted {
      sink.abandon()
      StandardError.note("interrupted: \(DisplayText.escaped(output)) is not written")
      throw ExitCode(2)
    }
    if result.bytes == 0 {
      sink.abandon()
      throw ExitCode(2)
    }
    try sink.close(isWhole: true)
    report(result)
    if !result.outcome.faults.isEmpty { throw ExitCode(2) }
  }

  private func report(_ counts: Annotation.Counts) {
    StandardError.note(
      "\(counts.packets.counted("packet{s}")) copied, \(counts.comments.counted("comment{s}")) on "
        + "\(counts.sessions.counted("session{s}"))"
        + (counts.replacedComments > 0 ? "; \(counts.replacedComments.counted("comment{s}")) of an earlier run replaced" : ""))
    if counts.omittedComments > 0 {
      StandardError.warn("\(counts.omittedComments.counted("comment{s}")) omitted: the blocks of these packets cannot have comments")
    }
    if counts.lateComments > 0 {
      StandardError.warn(
        "\(counts.lateComments.counted("comment{s}")) omitted: these packets were copied before their sessions were judged, "
          + "or are no longer in the input")
    }
  }
}
