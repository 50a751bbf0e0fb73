public import JSONReading

/// A line of a session file is not a record that we could have written: what, in which field, and where.
public typealias SessionRecordError = JSONError
