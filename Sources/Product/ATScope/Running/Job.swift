/// Work of the library: a value with its options, which can be run any number of times.
///
/// ``Audit``, ``Extraction`` and ``Annotation`` write what may be large incrementally, through a closure.
public protocol Job: Sendable {
  /// What the work results in.
  associatedtype Result: JobResult

  /// Does the work. Throws if it cannot be done at all; inputs that could not be read completely are in the result's ``JobResult/outcome``.
  func run() throws(AuditError) -> Result
}

/// The result of a job.
public protocol JobResult: Sendable {
  /// How the run ended: faults, warnings, and what was not read.
  var outcome: RunOutcome { get }
}
