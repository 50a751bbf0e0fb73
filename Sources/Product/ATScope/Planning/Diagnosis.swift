public import ByteParsing
import CommandReports
package import ExceptionPlanning
import Reporting
import TrustEvaluation

/// Derives the result of `nscurl --ats-diagnostics` for each host from recorded sessions.
public struct Diagnosis: Sendable {
  private let options: AuditOptions
  private let includesFurtherRows: Bool

  /// Creates a diagnosis of the sessions that the options choose; of the programs' settings, only the SDK is used.
  ///
  /// Further rows are configurations that nscurl does not have: the NIAP package, local networking, web content.
  public init(_ options: AuditOptions, includesFurtherRows: Bool = false) {
    self.options = options
    self.includesFurtherRows = includesFurtherRows
  }

  /// Reads the inputs and tries every configuration on every host.
  public func run() -> Matrices {
    let judge = ProgramJudges(options.judging)
    let evaluator = judge.evaluator
    var sink = JudgedSink(options, SessionSamples(), judge: judge) { $0.add($1, $2, asOf: evaluator.generation) }
    let outcome = Audit.read(options, into: &sink)
    let trial = TrialJudge(options.judging, evaluator)
    let matrix = DiagnosticMatrix(
      release: options.judging.assumptions.release, includesOurs: includesFurtherRows
    ) { sample, dictionary, context in trial.judgement(of: sample, dictionary, context) }
    let samples = sink.finished()
    return Matrices(
      outcome: outcome, hosts: samples.hosts.flatMap { matrix.diagnoses(of: $0) },
      sessionsBeyondLimit: samples.sessionsOfOtherHosts, options: options)
  }

  /// A matrix for each host, port and scheme.
  public struct Matrices: Report {
    /// The outcome of reading the inputs.
    public let outcome: RunOutcome

    /// The matrices in the order of the hosts' first sessions.
    package let hosts: [HostDiagnosis]

    /// The number of sessions with further hosts after the first 20,000; these hosts have no matrix.
    public let sessionsBeyondLimit: Int

    fileprivate let options: AuditOptions

    /// The report in a format; JSON is an object of the schema `atscope.diagnosis/1`.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .json:
        let assumptions = options.judging.assumptions
        return DiagnosisJSON.rendered(
          hosts, release: assumptions.release, context: assumptions.context, run: options.runRecord("diagnose", .json))
      case .text:
        let textOptions = TextOptions(width: width, useColor: useColor)
        let text = DiagnosisText(textOptions)
        var output = TextWriter.basis(of: options.runRecord("diagnose", .text), outcome.summary, textOptions)
        for (index, host) in hosts.enumerated() {
          output.append(contentsOf: (index > 0 ? "\n\n" : "\n").utf8)
          output.append(contentsOf: text.rendered(host))
        }
        if hosts.isEmpty { output.append(contentsOf: "\n\(outcome.summary.absence)\n".utf8) }
        return output
      }
    }
  }
}
