import ArgumentParser
import Values

/// An ISO 8601 time.
struct TimeArgument {
  var time: Timestamp

  init(_ argument: String) throws {
    guard let time = Timestamp(iso8601: argument) else { throw TimeArgumentError(argument) }
    self.time = time
  }
}

/// The error for a value that is not a time.
struct TimeArgumentError: Error, CustomStringConvertible {
  let description: String

  init(_ argument: String) {
    let completed = argument + "T00:00:00Z"
    description =
      Timestamp(iso8601: completed) != nil
      ? "add a time of day, such as \(completed)"
      : "not a date with a time of day and a zone, such as 2026-05-01T10:11:12Z or 2026-05-01T12:11:12.5+02:00"
  }
}
