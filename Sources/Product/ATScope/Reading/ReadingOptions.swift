public import InputSources
public import PacketFiltering
public import Values

/// How inputs are read.
public struct ReadingOptions: Sendable {
  /// Whether a capture may be truncated at its end without being a fault.
  public var allowIncomplete = false

  /// Whether the SHA-256 of every input is wanted.
  public var digest = false

  /// What is taken for one capture in parts; nil for `auto` below directories and in archives, and `never` for files that are
  /// named one by one.
  public var series: SeriesMode?

  /// Whether saved sessions are linked to the handshakes that they resume, where another capture showed these.
  public var linksSavedSessions = true

  /// Key logs in the format of NSS, whose secrets open handshakes.
  public var keyLogs: [String] = []

  /// Chains to assume for hosts, for sessions that hide theirs.
  public var chains = SuppliedChains()

  /// Packets before this time are omitted.
  public var from: Timestamp?

  /// Packets after this time are omitted.
  public var to: Timestamp?

  /// Packets that do not match this are left out.
  public var filter: PacketFilter?

  /// Whether all knowledge ends with each unit of the inputs.
  package var isIsolated = false

  /// The name of the unit that is read, in an isolated run.
  var unit: String?

  /// Called now and then, while inputs are read, with how far that has come.
  public var progress: (@Sendable (ReadingProgress) -> Void)?

  /// Called before each read; once it returns true, reading ends and what was read is reported. For standard input that is the end of
  /// the input; elsewhere it is a fault.
  package var isInterrupted: (@Sendable () -> Bool)?

  /// Creates the default options.
  public init() {}
}

/// How far the reading of inputs has come.
public struct ReadingProgress: Hashable, Sendable {
  /// Bytes read, as they are stored.
  public var bytesRead: UInt64

  /// Bytes of all inputs; nil where that is not known, as of a pipe.
  public var bytesInAll: UInt64?

  /// Whether everything has been read: no further report will come.
  public var isOver = false
}
