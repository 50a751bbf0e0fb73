import JSONReading
import SessionModel
import Values

/// The state of reading a session's record: keys may come in any order.
struct SessionDraft {
  private(set) var schema: String?
  /// Whether a run's record allows its sessions to be judged again.
  private(set) var isRejudgeable = true
  /// Whether a run's record names the program that wrote it.
  private(set) var namesTool = false
  private(set) var summary = SavedSummary()
  /// The session with its optional fields; the properties below hold the required fields.
  private var session = ObservedSession(
    file: "", firstFrame: 0, lastFrame: 0, start: nil, end: nil, transport: .tcp, application: .tls,
    client: Endpoint(address: IPAddress(v4: 0), port: 0), server: Endpoint(address: IPAddress(v4: 0), port: 0))
  private var file: String?
  private var firstFrame: UInt64?
  private var lastFrame: UInt64?
  private var transport: ObservedSession.Transport?
  private var application: ObservedSession.Application?
  private var client: Endpoint?
  private var server: Endpoint?
  private var http: HTTPFacts?
  private var tls: TLSFacts?
  private var evidence: Evidence?
  private var certificates = CertificatesDraft()
  private var clientCertificates = CertificatesDraft()
  private var assumed = AssumedDraft()
  private var assumedAlternatives: [AssumedDraft] = []
  private var certificatesSource: String?

  /// The maximum length of lists of objects; far more than observation keeps.
  static let maximumListCount = 4096

  /// The maximum number of files of a rotated capture that hold one session.
  static let maximumParts = 1_000_000

  /// Reads the object; of a run and its summary, little is kept.
  mutating func read(_ reader: inout JSONReader, with decoder: inout SessionDecoder) throws(JSONError) {
    try reader.readObject { (key, reader) throws(JSONError) in
      if key == "schema" {
        schema = try reader.readString()
      } else if let schema, schema != "atscope.session/1" {
        try readOther(schema, key, &reader)
      } else {
        try read(key, &reader, with: &decoder)
      }
    }
  }

  private mutating func read(_ key: String, _ reader: inout JSONReader, with decoder: inout SessionDecoder) throws(JSONError) {
    switch key {
    case "capture": try readCapture(&reader)
    case "start": session.start = try reader.readTime()
    case "end": session.end = try reader.readTime()
    case "transport": transport = try reader.readCase()
    case "application": application = try reader.readCase()
    case "client": client = try reader.readEndpoint()
    case "server": server = try reader.readEndpoint()
    case "process": session.process = try SessionDraft.readProcess(&reader)
    case "serverName": session.serverName = try reader.readOptionalText()?.asciiLowercase
    case "serverNameSource": session.serverNameSource = try reader.readOptionalCase()
    case "tunnel": session.tunnel = try reader.readTexts().map { EnclosingLayer($0) }
    case "controlSession": session.controlSession = try reader.readOptionalText()
    case "quic": session.quic = try reader.readNull() ? nil : reader.readQUIC()
    case "http": http = try reader.readNull() ? nil : reader.readHTTP()
    case "tls":
      if try reader.readNull() { return }
      var draft = TLSDraft()
      try draft.read(&reader)
      tls = draft.facts(sharingWith: &decoder)
      session.resumedFrom = draft.resumedFrom
      session.resumedFromCapture = draft.resumedFromCapture
    case "certificates": try certificates.read(&reader, with: &decoder)
    case "clientCertificates": try clientCertificates.read(&reader, with: &decoder)
    case "certificatesSource": certificatesSource = try reader.readNull() ? nil : reader.readString()
    case "assumedCertificates": try assumed.read("certificates", &reader, with: &decoder)
    case "assumedCertificatesSource": try assumed.read("source", &reader, with: &decoder)
    case "assumedCertificatesFrom": try assumed.read("from", &reader, with: &decoder)
    case "assumedCertificatesFile": try assumed.read("file", &reader, with: &decoder)
    case "assumedCertificatesAlternatives":
      try reader.readArray(limit: AssumedChain.maximumCandidates) { (reader) throws(JSONError) in
        var draft = AssumedDraft()
        try reader.readObject { (key, reader) throws(JSONError) in
          try draft.read(key, &reader, with: &decoder)
        }
        assumedAlternatives.append(draft)
      }
    case "nameHints": session.nameHints = try reader.readNameHints()
    case "evidence": evidence = try reader.readEvidence()
    case "rejudgeable": isRejudgeable = try reader.readBool()
    case "tool": namesTool = try reader.readString() == "atscope"
    default: try summary.read(key, &reader)
    }
  }

  /// Reads a member of a record that is not a session.
  private mutating func readOther(_ schema: String, _ key: String, _ reader: inout JSONReader) throws(JSONError) {
    switch (schema, key) {
    case ("atscope.run/1", "rejudgeable"): isRejudgeable = try reader.readBool()
    case ("atscope.run/1", "tool"): namesTool = try reader.readString() == "atscope"
    case ("atscope.summary/1", _): try summary.read(key, &reader)
    default: try reader.skipValue()
    }
  }

  private mutating func readCapture(_ reader: inout JSONReader) throws(JSONError) {
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "file": file = try reader.readText()
      case "firstFrame": firstFrame = try reader.readInteger()
      case "lastFrame": lastFrame = try reader.readInteger()
      case "parts": session.parts = try reader.readParts()
      default: try reader.skipValue()
      }
    }
  }

  private static func readProcess(_ reader: inout JSONReader) throws(JSONError) -> CapturedProcess? {
    if try reader.readNull() { return nil }
    var name: String?
    var numbers: (pid: Int?, uid: Int?) = (nil, nil)
    var isEffective = false
    var service: String?
    var source: CapturedProcess.Source?
    var certainty: CapturedProcess.Certainty?
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "name": name = try reader.readOptionalText()
      case "pid": numbers.pid = try reader.readOptionalCount()
      case "uid": numbers.uid = try reader.readOptionalCount()
      case "effective": isEffective = try reader.readBool()
      case "service": service = try reader.readOptionalText()
      case "source": source = try reader.readCase()
      case "certainty": certainty = try reader.readCase()
      default: try reader.skipValue()
      }
    }
    guard let source else { throw reader.error(.missingField, in: "source") }
    let (pid, uid) = (numbers.pid.map { Int32(exactly: $0) }, numbers.uid.map { Int32(exactly: $0) })
    if pid == .some(nil) || uid == .some(nil) { throw reader.error(.numberOutOfRange) }
    return CapturedProcess(
      name: name, pid: pid ?? nil, uid: uid ?? nil, isEffective: isEffective, service: service, source: source, certainty: certainty)
  }

  /// Returns the session; throws `missing` with the field's name if a required field is missing.
  func session(sharingWith decoder: inout SessionDecoder, _ missing: JSONError) throws(JSONError) -> ObservedSession {
    func require<Value>(_ value: Value?, _ field: String) throws(JSONError) -> Value {
      guard let value else { throw JSONError(.missingField, in: field, line: missing.line, offset: missing.offset) }
      return value
    }
    var session = session
    session.evidence = try require(evidence, "evidence")
    session.file = try require(file, "file")
    session.firstFrame = try require(firstFrame, "firstFrame")
    session.lastFrame = try require(lastFrame, "lastFrame")
    session.transport = try require(transport, "transport")
    session.application = try require(application, "application")
    session.client = try require(client, "client")
    session.server = try require(server, "server")
    if var chain = assumed.chain(sharingWith: &decoder) {
      for draft in assumedAlternatives {
        if let other = draft.chain(sharingWith: &decoder) { chain.alternatives.append(other) }
      }
      session.sharedAssumedChain = Shared(chain)
    }
    switch session.application {
    case .http: session.http = http
    case .tls, .dtls:
      var tls = tls
      if !certificates.list.isEmpty || (certificatesSource ?? "none") != "none" {
        tls?.chain = decoder.share(certificates.list, isComplete: session.evidence.certificates == .complete)
      }
      if !clientCertificates.list.isEmpty {
        tls?.clientChain = decoder.share(clientCertificates.list, isComplete: true)
      }
      if let response = certificates.ocspResponse { tls?.ocspResponse = response }
      if let list = certificates.sctList { tls?.sctList = list }
      if !certificates.issuerOCSPResponses.isEmpty {
        tls?.issuerOCSPResponses = certificates.issuerOCSPResponses
      }
      session.sharedTLS = tls.map { Shared($0) }
    }
    return session
  }
}
