public import Values

/// What became of one input.
public struct InputSummary: Hashable, Sendable {
  package struct Interface: Hashable, Sendable {
    /// Its name; nil where the capture shows none.
    package var name: String?
    package var linkType: Int
    /// The name of its link type; nil for unknown ones.
    package var linkTypeName: String?
    /// The snapshot length in bytes; nil for none.
    package var snapshotLength: UInt64?
    /// Packets that the capturing side says it received; nil where it says nothing.
    package var received: UInt64?
    /// Packets that it says it dropped; nil where it says nothing.
    package var dropped: UInt64?

    /// Creates an interface of which the link type alone is known.
    package init(name: String?, linkType: Int, linkTypeName: String?) {
      self.name = name
      self.linkType = linkType
      self.linkTypeName = linkTypeName
    }
  }

  /// A fault that ended the reading, or part of it.
  public struct Fault: Hashable, Sendable {
    /// What is wrong, as a clause.
    public package(set) var text: String
    /// The offset in bytes from the start of the file, or the line of a file of saved sessions; nil if nothing was read.
    public package(set) var offset: UInt64?
    /// Whether the input is merely truncated at its end.
    public package(set) var isCutOff: Bool

    package init(_ text: String, at offset: UInt64?, isCutOff: Bool = false) {
      self.text = text
      self.offset = offset
      self.isCutOff = isCutOff
    }
  }

  /// One file of a capture that was written as several files.
  public struct Part: Hashable, Sendable {
    /// The file by its display name.
    public package(set) var file: String
    /// Bytes read, as they are stored.
    public package(set) var bytes: UInt64 = 0
    /// Packets in it; frame numbers run on from part to part.
    public package(set) var packets: UInt64 = 0
    /// SHA-256 of the file, 64 hexadecimal digits, where the options require it.
    public package(set) var sha256: String?
    /// What ended the reading of the part; nil where all was read.
    public package(set) var error: Fault?

    /// Creates the account of a part of which nothing was read.
    package init(file: String) { self.file = file }
  }

  /// What an input is.
  public enum Kind: String, Hashable, Sendable {
    case capture
    /// Saved sessions.
    case sessions
    case archive
    case directory
    /// A key log.
    case keyLog = "keylog"
    /// A file that an option names for judging, and that cannot be used.
    case option
    /// Anything else, and what could not be read at all.
    case other
  }

  /// The input by its display name, as in the sessions' `capture.file`.
  public package(set) var file: String
  /// What it is.
  public package(set) var kind: Kind
  /// The format, such as `pcapng`; nil where it is not known.
  public package(set) var format: String?
  /// How it was compressed, such as `gzip`; nil where it was not.
  public package(set) var compression: String?
  /// Bytes read, as they are stored.
  public package(set) var bytes: UInt64 = 0
  /// Packets read.
  public package(set) var packets: UInt64 = 0
  /// Sessions found.
  public package(set) var sessions: UInt64 = 0
  /// The earliest time of a packet.
  public package(set) var firstTime: Timestamp?
  /// The latest time of a packet.
  public package(set) var lastTime: Timestamp?
  /// The operating system that captured.
  public package(set) var os: String?
  /// The hardware that captured.
  public package(set) var hardware: String?
  /// The program that captured.
  public package(set) var application: String?
  /// Comments on the whole capture.
  public package(set) var comments: [String] = []
  /// The interfaces in their order.
  package var interfaces: [Interface] = []
  /// Anomalies, and packets and data that were not read.
  public package(set) var health: [NamedCount] = []
  /// Limits that were reached.
  public package(set) var limits: [NamedCount] = []
  /// SHA-256 of the input, 64 hexadecimal digits, where the options require it.
  public package(set) var sha256: String?
  /// The files of a rotated series in their order; empty for a capture in one file.
  public package(set) var parts: [Part] = []
  /// What ended the reading; nil where all was read.
  public package(set) var error: Fault?

  package init(file: String, kind: Kind, format: String?) {
    self.file = file
    self.kind = kind
    self.format = format
  }
}

extension InputSummary: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("file", file)
    json.string("kind", kind.rawValue)
    json.string("format", format)
    if let compression { json.string("compression", compression) }
    json.number("bytes", bytes)
    json.number("packets", packets)
    json.number("sessions", sessions)
    json.time("firstTime", firstTime)
    json.time("lastTime", lastTime)
    json.object("metadata") { json in
      json.text("os", os)
      json.text("hardware", hardware)
      json.text("application", application)
      json.texts("comments", comments)
      json.objects("interfaces", interfaces)
    }
    json.counts("health", health)
    json.counts("limits", limits)
    if let sha256 { json.string("sha256", sha256) }
    if !parts.isEmpty { json.objects("parts", parts) }
    json.object("error", error)
  }
}

extension InputSummary.Interface: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("name", name)
    json.number("linkType", linkType)
    json.string("linkTypeName", linkTypeName)
    json.number("snapshotLength", snapshotLength)
    json.number("received", received)
    json.number("dropped", dropped)
  }
}

extension InputSummary.Part: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("file", file)
    json.number("bytes", bytes)
    json.number("packets", packets)
    if let sha256 { json.string("sha256", sha256) }
    json.object("error", error)
  }
}

extension InputSummary.Fault: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("text", text)
    json.number("offset", offset)
    json.boolean("cutOff", isCutOff)
  }
}

extension JSONObject {
  /// Writes counts as an object in their order; counts of one name are added up.
  mutating func counts(_ key: String, _ counts: [NamedCount]) {
    object(key) { json in
      for item in NamedCount.sums(of: counts) { json.number(DisplayText.escaped(item.name), item.count) }
    }
  }
}
