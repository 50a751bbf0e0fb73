package import ByteParsing
import CertificateParsing
import PolicyResolution
import PropertyLists
package import Reporting
import SessionModel
import SessionRecords
import Values

/// The chains that servers sent, the digests of their keys, and pins for them.
package struct CertificatesReport: Sendable {
  private let chains: [SeenChain]
  private let pins: PinProposal

  /// Whether only the sessions of some hosts or processes were considered.
  private let selectsSessions: Bool

  /// Creates the report; `names` are the hosts that clients named, as pins require names.
  package init(_ chains: [SeenChain], names: Set<String>, selectsSessions: Bool = false) {
    self.chains = chains
    self.selectsSessions = selectsSessions
    pins = PinProposal(chains, names: names)
  }

  /// Returns an object of the schema `atscope.certificates/1`; with `namingFiles`, as the index of a folder, each complete chain names its
  /// file.
  package func json(namingFiles: Bool = false) -> Bytes {
    Bytes.jsonDocument { json in
      json.string("schema", "atscope.certificates/1")
      json.objects("chains", chains) { json, chain in
        if namingFiles, chain.chain.isComplete { json.string("file", chain.identifier + ".pem") }
        CertificatesReport.write(chain, to: &json)
      }
      json.settings("settings", pins.dictionary)
    }
  }

  private static func write(_ seen: SeenChain, to json: inout JSONObject) {
    json.string("sha256", seen.identifier)
    json.boolean("complete", seen.chain.isComplete)
    json.number("sessions", seen.sessions)
    json.texts("hosts", seen.hosts)
    json.number("furtherHosts", seen.furtherHosts)
    json.packet("firstSeen", file: seen.file, frame: seen.firstFrame)
    json.objects("certificates", seen.chain.certificates) { json, observed in
      let certificate = observed.certificate
      json.string("sha256", observed.sha256)
      json.string("spkiSHA256", observed.spkiSHA256)
      json.string("spkiSHA256Base64", observed.pin)
      json.text("subject", certificate.subject)
      json.text("issuer", certificate.issuer)
      json.time("notBefore", certificate.notBefore)
      json.time("notAfter", certificate.notAfter)
      json.boolean("isCA", certificate.isCA)
      json.text("decodingError", certificate.decodingError)
    }
  }

  /// Returns the proposed pins as an XML Info.plist; nil if a host name contains characters that XML forbids.
  package func propertyList() -> Bytes? {
    PropertyListValue.dictionary(PropertyListDictionary([(ATSKeys.root, .dictionary(pins.dictionary))])).xml()
  }

  /// Returns the chains as text.
  package func text(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    if chains.isEmpty {
      let absence = selectsSessions ? "No server certificate in the selected sessions." : "No server certificate was found."
      writer.writeFields([(absence, .unstyled)], indent: 0)
      return writer.output
    }
    for (index, chain) in chains.enumerated() {
      if index > 0 { writer.endLine() }
      write(chain, to: &writer)
    }
    guard !pins.hosts.isEmpty, propertyList() != nil else { return writer.output }
    writer.endLine()
    writer.writeLine(
      "--format plist writes NSPinnedDomains entries for these keys. The app cannot connect once a server changes a pinned key, so pin a "
        + "backup key too.", indent: 0, style: .dim)
    return writer.output
  }

  private func write(_ seen: SeenChain, to writer: inout TextWriter) {
    let shown = seen.hosts.prefix(8).map(DisplayText.escaped)
    let further = seen.hosts.count - shown.count + seen.furtherHosts
    var fields: [(text: String, style: TextStyle)] = [
      (shown.joined(separator: ", "), .bold),
      (further > 0 ? "and \(Wording.count(further, "further host{s}"))" : "", .unstyled),
      (Wording.count(seen.sessions, "session{s}"), .unstyled),
    ]
    if !seen.chain.isComplete { fields.append(("truncated in the capture", .yellow)) }
    writer.writeFields(fields, indent: 0)
    for (index, observed) in seen.chain.certificates.enumerated() {
      let certificate = observed.certificate
      let name = certificate.subject.isEmpty ? "(no subject)" : DisplayText.escaped(certificate.subject)
      let validity =
        certificate.notBefore.flatMap { start in
          certificate.notAfter.map { "\(start.date) to \($0.date)" }
        } ?? "dates unreadable"
      writer.writeFields([("\(index)  \(name)", .unstyled), (validity, .dim)], indent: 2)
      writer.writeFields([("SPKI SHA-256  \(observed.pin ?? "key unreadable")", .cyan)], indent: 5)
    }
  }
}
