public import InputSources
public import PacketFiltering
public import Values

/// The options for reading inputs.
public struct ReadingOptions: Sendable {
  /// Whether the truncated end of a capture is a warning instead of a fault.
  public var allowsIncomplete = false

  /// Whether the summary contains the SHA-256 digest of every input.
  public var computesDigests = false

  /// The recognition of rotated captures; nil for `auto` in directories and archives, and `never` for files that are given individually.
  public var series: SeriesMode?

  /// Key logs in NSS format (SSLKEYLOGFILE), which decrypt handshakes.
  public var keyLogs: [String] = []

  /// The time before which packets are omitted, in UTC; nil for none.
  public var from: Timestamp?

  /// The time after which packets are omitted, in UTC; nil for none.
  public var to: Timestamp?

  /// The filter for packets; nil for none.
  public var filter: PacketFilter?

  /// Whether nothing learned from one unit of the inputs is used for the next.
  package var isIsolated = false

  /// Whether sessions are counted, so that inputs with the same sessions need a warning. The inputs of an extract may be a capture and the
  /// sessions saved from it.
  package var countsSessions = true

  /// The name of the current unit of an isolated run.
  package var unit: String?

  /// The closure that is called repeatedly while inputs are read; nil for none.
  public var progress: (@Sendable (ReadingProgress) -> Void)?

  /// The closure that is called before each read, to cancel a run; nil for none. Once it returns true, reading ends and the results so far
  /// are reported: for standard input this is the end of the input, for others a fault.
  public var isInterrupted: (@Sendable () -> Bool)?

  /// Creates the default options.
  public init() {}

  /// The options that select packets, as in the command line.
  var packetOptions: [String] {
    [filter.map { _ in "--filter" }, from.map { _ in "--from" }, to.map { _ in "--to" }].compactMap(\.self)
  }

  package func find(_ inputs: [AuditInput]) -> FoundInputs { InputFinder(series: series).find(inputs) }
}

/// The progress of reading the inputs.
public struct ReadingProgress: Hashable, Sendable {
  /// The number of bytes read, before decompression.
  public package(set) var bytesRead: UInt64

  /// The size of all inputs in bytes; nil if it is not known, as for a pipe.
  public package(set) var totalBytes: UInt64?

  /// Whether everything has been read; no further report follows.
  public package(set) var isOver = false
}
