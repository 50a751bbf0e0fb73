public import ByteParsing
package import ExceptionPlanning
import Reporting

/// The result of `nscurl --ats-diagnostics` for each host, derived from recorded sessions.
public struct Diagnosis: Sendable {
  /// The matrices, one for each host, port and scheme, in the order in which the hosts were met.
  package let hosts: [HostDiagnosis]

  /// How the reading ended.
  public let outcome: RunOutcome

  /// Sessions of hosts beyond the limit of distinct hosts.
  public let sessionsOfOtherHosts: Int

  private let options: AuditOptions

  /// Reads the inputs and tries every configuration on every host; with `includesOurs` also rows that nscurl does not have.
  public static func run(_ options: AuditOptions, includesOurs: Bool = false) -> Diagnosis {
    var sink = JudgedSink(options, SessionSamples()) { $0.add($1, $2) }
    let outcome = Audit.read(options, into: &sink)
    let trial = TrialJudge(options, sink.evaluator)
    let matrix = DiagnosticMatrix(
      release: options.assumptions.release, includesOurs: includesOurs
    ) { session, dictionary, context in trial.judgement(of: session, dictionary, context) }
    let samples = sink.finished()
    return Diagnosis(
      hosts: samples.hosts.flatMap { matrix.diagnoses(of: $0) }, outcome: outcome,
      sessionsOfOtherHosts: samples.sessionsOfOtherHosts, options: options)
  }

  /// The matrices for people.
  public func text(width: Int = 80, useColor: Bool = false) -> Bytes {
    let text = DiagnosisText(TextOptions(width: width, useColor: useColor))
    var output = text.heading(options.run(.diagnose, .text))
    for (index, host) in hosts.enumerated() {
      output.append(contentsOf: (index > 0 ? "\n\n" : "\n").utf8)
      output.append(contentsOf: text.rendered(host))
    }
    if hosts.isEmpty { output.append(contentsOf: "\n\(outcome.summary.absence)\n".utf8) }
    return output
  }

  /// The matrices for programs: an object of the schema `atscope.diagnosis/1`.
  public func json() -> Bytes {
    DiagnosisJSON.rendered(
      hosts, release: options.assumptions.release, context: options.assumptions.context,
      run: options.run(.diagnose, .json))
  }
}
