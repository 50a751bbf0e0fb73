import ArgumentParser
import Values

/// A moment in ISO 8601.
struct TimeArgument {
  var time: Timestamp

  init(_ argument: String) throws {
    guard let time = Timestamp(iso8601: argument) else { throw TimeArgumentError() }
    self.time = time
  }
}

/// A moment that cannot be read.
struct TimeArgumentError: Error, CustomStringConvertible {
  let description = "a time is written like 2026-05-01T10:11:12Z or 2026-05-01T12:11:12.5+02:00"
}
