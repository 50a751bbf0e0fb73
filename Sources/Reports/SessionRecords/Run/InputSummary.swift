public import Values

/// The result of reading one input.
public struct InputSummary: Hashable, Sendable {
  package struct Interface: Hashable, Sendable {
    /// The name of the interface; nil if the capture contains none.
    package var name: String?
    package var linkType: Int
    /// The name of the link type; nil if it is unknown.
    package var linkTypeName: String?
    /// The snapshot length in bytes; nil if there is none.
    package var snapshotLength: UInt64?
    /// The number of received packets in the capture's statistics; nil if they do not contain it.
    package var received: UInt64?
    /// The number of dropped packets in the capture's statistics; nil if they do not contain it.
    package var dropped: UInt64?

    /// Creates an interface of which only the name and the link type are known.
    package init(name: String?, linkType: Int, linkTypeName: String?) {
      self.name = name
      self.linkType = linkType
      self.linkTypeName = linkTypeName
    }
  }

  /// A fault that ended the reading of an input or of a part of it.
  public struct Fault: Hashable, Sendable {
    /// The description of the fault, as a clause; escaped for display.
    public package(set) var text: String
    /// The offset in bytes from the start of the file, or the line of a file of saved sessions; nil if nothing was read.
    public package(set) var offset: UInt64?
    /// Whether the only fault is that the input is truncated at its end.
    public package(set) var isTruncated: Bool
    /// Whether the input is a report of this program that contains no sessions.
    package var isReport = false
    /// Whether the input was read, and only the run that saved its sessions did not read everything.
    package var isOfSavedRun = false
    /// Whether the saved run did not read everything, and nothing in its file is damaged.
    package var isIncomplete = false
    /// Whether the reading was interrupted.
    package var isInterruption: Bool

    package init(_ text: String, at offset: UInt64?, isTruncated: Bool = false, isInterruption: Bool = false) {
      self.text = text
      self.offset = offset
      self.isTruncated = isTruncated
      self.isInterruption = isInterruption
    }
  }

  /// One file of a rotated capture.
  public struct Part: Hashable, Sendable {
    /// The display name of the file.
    public package(set) var file: String
    /// The number of bytes read, before decompression.
    public package(set) var bytes: UInt64 = 0
    /// The number of packets in the file; frame numbers continue from part to part.
    public package(set) var packets: UInt64 = 0
    /// The SHA-256 digest of the file, 64 hexadecimal digits, if the options require it.
    public package(set) var sha256: String?
    /// The fault that ended the reading of the part; nil if all of it was read.
    public package(set) var error: Fault?

    /// Creates the summary of a part that has not been read.
    package init(file: String) { self.file = file }
  }

  /// The kind of an input.
  public enum Kind: String, Hashable, Sendable {
    /// A capture, in one file or in the files of a rotation.
    case capture
    /// Saved sessions.
    case sessions
    /// An archive as a whole; each capture in it is a separate input.
    case archive
    /// All directories, if files below them were skipped.
    case directory
    /// A key log.
    case keyLog = "keylog"
    /// A file for judging that an option names and that cannot be used.
    case option
    /// Any other file, and inputs that could not be read at all.
    case other
  }

  /// The display name of the input, as in the sessions' `capture.file`.
  public package(set) var file: String
  /// The kind of the input.
  public package(set) var kind: Kind
  /// The format, such as `pcapng`; nil if it is unknown.
  public package(set) var format: String?
  /// The compression, such as `gzip`; nil if the input is not compressed.
  public package(set) var compression: String?
  /// The number of bytes read, before decompression.
  public package(set) var bytes: UInt64 = 0
  /// The number of packets read.
  public package(set) var packets: UInt64 = 0
  /// The number of sessions found.
  public package(set) var sessions: UInt64 = 0
  /// The earliest time of a packet, or the earliest start of saved sessions.
  public package(set) var firstTime: Timestamp?
  /// The latest time of a packet, or the latest end of saved sessions.
  public package(set) var lastTime: Timestamp?
  /// The operating system on which the capture was made.
  public package(set) var os: String?
  /// The hardware on which the capture was made.
  public package(set) var hardware: String?
  /// The application that made the capture.
  public package(set) var application: String?
  /// The comments on the capture as a whole.
  public package(set) var comments: [String] = []
  /// The interfaces in the order of the capture.
  package var interfaces: [Interface] = []
  /// The anomalies, and the packets and data that were not read.
  public package(set) var health: [NamedCount] = []
  /// The limits that were reached.
  public package(set) var limits: [NamedCount] = []
  /// The SHA-256 digest of the input, 64 hexadecimal digits, if the options require it.
  public package(set) var sha256: String?
  /// The files of a rotated capture in their order; empty for a capture in one file.
  public package(set) var parts: [Part] = []
  /// The fault that ended the reading; nil if all of the input was read.
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
    let versions = health.flatMap(\.details)
    if !versions.isEmpty { json.strings("quicVersionsNotRead", versions) }
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
    json.string("text", text)
    json.number("offset", offset)
    json.boolean("cutOff", isTruncated)
  }
}

extension JSONObject {
  /// Writes counts as an object in their order; counts with the same name are added.
  mutating func counts(_ key: String, _ counts: [NamedCount]) {
    object(key) { json in
      for item in NamedCount.sums(of: counts) { json.number(DisplayText.escaped(item.name), item.count) }
    }
  }
}
