import ArgumentParser
import Values

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The option for commands that accept findings of the project file.
struct ExpiryArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The day used to expire accepted findings, such as 2027-01-31. Default: today.", valueName: "date"))
  var today: DayArgument?

  /// Returns the date for expiry; a date from the clock is reported on standard error, because the results then depend on it.
  func day() -> Timestamp {
    if let today { return today.day }
    let now = ExpiryArguments.machineTime
    StandardError.note("accepted findings expire as of today, \(now.date) (--today)")
    return now
  }

  /// The current time; the only use of the clock that affects results.
  private static var machineTime: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}

struct DayArgument: ExpressibleByArgument {
  var day: Timestamp

  init?(argument: String) {
    guard let day = Timestamp(day: argument) else { return nil }
    self.day = day
  }
}
