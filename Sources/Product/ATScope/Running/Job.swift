public import SessionReading

/// A task of the library: a value with its options that can be run any number of times.
///
/// ``Audit``, ``Extraction`` and ``Annotation`` write large results incrementally, through a closure.
public protocol Job: Sendable {
  /// The type of the result.
  associatedtype Result: JobResult

  /// Runs the task. Throws if it cannot run at all; ``JobResult/outcome`` lists inputs that could not be read completely.
  func run() throws(AuditError) -> Result
}

/// The result of a job.
public protocol JobResult: Sendable {
  /// The outcome of the run: faults, warnings, and what was not read.
  var outcome: RunOutcome { get }
}
