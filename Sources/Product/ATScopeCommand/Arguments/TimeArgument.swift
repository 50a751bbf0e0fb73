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
    if Timestamp(iso8601: completed) != nil {
      description = "add a time of day, such as \(completed)"
    } else if let before = TimeArgumentError.second59(of: argument) {
      description = "second 60 is a leap second, which packet times do not have; use the second before, \(before), or the one after"
    } else {
      description = "not a date with a time of day and a zone, such as 2026-05-01T10:11:12Z or 2026-05-01T12:11:12.5+02:00"
    }
  }

  /// Returns the time with second 59 instead of 60, which ISO 8601 allows for leap seconds; nil for other text.
  private static func second59(of argument: String) -> String? {
    var characters = Array(argument)
    guard characters.count > 19, characters[17] == "6", characters[18] == "0" else { return nil }
    (characters[17], characters[18]) = ("5", "9")
    let before = String(characters)
    return Timestamp(iso8601: before).map { _ in before }
  }
}
