public import InputSources
public import PacketFiltering
public import Values

/// How inputs are read.
public struct ReadingOptions: Sendable {
  /// Whether a capture that is truncated at its end is a warning and not a fault.
  public var allowIncomplete = false

  /// Whether the summary contains the SHA-256 of every input.
  public var digest = false

  /// Which files count as one capture in parts; nil for `auto` below directories and in archives, and `never` for files that are
  /// named one by one.
  public var series: SeriesMode?

  /// Whether saved sessions are linked to the handshakes that they resume, where another capture showed these.
  public var linksSavedSessions = true

  /// Key logs in NSS format (SSLKEYLOGFILE), which decrypt handshakes.
  public var keyLogs: [String] = []

  /// Chains to assume for hosts, for sessions that hide theirs.
  public var chains = SuppliedChains()

  /// The time before which packets are omitted, in UTC; nil for none.
  public var from: Timestamp?

  /// The time after which packets are omitted, in UTC; nil for none.
  public var to: Timestamp?

  /// The filter that packets have to match; nil for none.
  public var filter: PacketFilter?

  /// Whether all knowledge ends with each unit of the inputs.
  package var isIsolated = false

  /// The name of the unit that is read, in an isolated run.
  var unit: String?

  /// Called repeatedly while inputs are read.
  public var progress: (@Sendable (ReadingProgress) -> Void)?

  /// Called before each read; once it returns true, reading ends and what was read is reported. For standard input that is the end of
  /// the input; elsewhere it is a fault.
  package var isInterrupted: (@Sendable () -> Bool)?

  /// Creates the default options.
  public init() {}
}

/// The progress of reading the inputs.
public struct ReadingProgress: Hashable, Sendable {
  /// Bytes read, as they are stored.
  public var bytesRead: UInt64

  /// The size of all inputs in bytes; nil if it is not known, as for a pipe.
  public var bytesInAll: UInt64?

  /// Whether everything has been read: no further report will come.
  public var isOver = false
}
