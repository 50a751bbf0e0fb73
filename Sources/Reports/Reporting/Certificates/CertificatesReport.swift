public import ByteParsing
import CertificateParsing
import PropertyLists
import SessionModel
import SessionRecords
import Values

/// The chains that servers showed, their keys' digests, and pins that would fit them.
public struct CertificatesReport {
  private let chains: [SeenChain]
  private let pins: PinProposal

  /// Takes the chains; `names` are the hosts that were loaded by name.
  public init(_ chains: [SeenChain], names: Set<String>) {
    self.chains = chains
    pins = PinProposal(chains, names: names)
  }

  /// One object of the form `atscope.certificates/1`; as the index of a folder it names the file of each chain.
  public func json(namingFiles: Bool = false) -> Bytes {
    var output = Bytes()
    output.appendRaw("{\"schema\":\"atscope.certificates/1\",\"chains\":[")
    for chain in chains {
      output.appendJSONComma()
      append(chain, namingFile: namingFiles, to: &output)
    }
    output.appendRaw("],\"settings\":")
    output.appendJSONSettings(pins.dictionary)
    output.appendRaw("}\n")
    return output
  }

  private func append(_ seen: SeenChain, namingFile: Bool, to output: inout Bytes) {
    output.appendRaw("{")
    if namingFile {
      output.appendJSONKey("file")
      output.appendJSONString(seen.identifier + ".pem")
    }
    output.appendJSONKey("sha256")
    output.appendJSONString(seen.identifier)
    output.appendJSONKey("complete")
    output.appendJSON(seen.chain.isComplete)
    output.appendJSONKey("sessions")
    output.appendJSON(seen.sessions)
    output.appendJSONKey("hosts")
    output.append(0x5B)
    for host in seen.hosts {
      output.appendJSONComma()
      output.appendJSONText(host)
    }
    output.append(0x5D)
    output.appendJSONKey("furtherHosts")
    output.appendJSON(seen.furtherHosts)
    output.appendJSONKey("firstSeen")
    output.appendRaw("{\"file\":")
    output.appendJSONText(seen.file)
    output.appendJSONKey("frame")
    output.appendJSON(seen.firstFrame)
    output.appendRaw("}")
    output.appendJSONKey("certificates")
    output.append(0x5B)
    for observed in seen.chain.certificates {
      output.appendJSONComma()
      append(observed, to: &output)
    }
    output.appendRaw("]}")
  }

  private func append(_ observed: ObservedCertificate, to output: inout Bytes) {
    let certificate = observed.certificate
    output.appendRaw("{\"sha256\":")
    output.appendJSONString(observed.sha256)
    output.appendJSONKey("spkiSHA256")
    output.appendJSONString(observed.spkiSHA256)
    output.appendJSONKey("spkiSHA256Base64")
    output.appendJSONString(observed.spkiSHA256.flatMap(PinProposal.base64))
    output.appendJSONKey("subject")
    output.appendJSONText(certificate.subject)
    output.appendJSONKey("issuer")
    output.appendJSONText(certificate.issuer)
    output.appendJSONKey("notBefore")
    output.appendJSONString(certificate.notBefore?.description)
    output.appendJSONKey("notAfter")
    output.appendJSONString(certificate.notAfter?.description)
    output.appendJSONKey("isCA")
    output.appendJSON(certificate.isCA)
    output.appendJSONKey("decodingError")
    output.appendJSONText(certificate.decodingError)
    output.append(0x7D)
  }

  /// The proposed pins as an XML property list; nil where a host's name has characters that XML forbids.
  public func propertyList() -> Bytes? { PropertyListValue.dictionary(pins.dictionary).xml() }

  /// The chains for people, and the pins that would fit.
  public func text(_ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    if chains.isEmpty {
      writer.writeFields([("No certificate of a server was seen.", .plain)], indent: 0)
      return writer.output
    }
    for (index, chain) in chains.enumerated() {
      if index > 0 { writer.endLine() }
      write(chain, to: &writer)
    }
    guard !pins.hosts.isEmpty, let list = propertyList() else { return writer.output }
    writer.endLine()
    writer.writeFields([("pins that would fit", .bold)], indent: 0)
    for sentence in CertificatesReport.advice(pins) { writer.writeFields([(sentence, .plain)], indent: 2) }
    writer.endLine()
    return writer.output + list
  }

  private static func advice(_ pins: PinProposal) -> [String] {
    var sentences = [
      "This goes into NSAppTransportSecurity. A pin lasts as long as its key: leave out what you do not mean to pin, and "
        + "add the keys that are to follow these, or the app loses its servers with the next certificate."
    ]
    if pins.hosts.contains(where: \.isLeaf) {
      sentences.append("Where a server sent no CA's certificate, its own key is pinned.")
    }
    return sentences
  }

  private func write(_ seen: SeenChain, to writer: inout TextWriter) {
    let shown = seen.hosts.prefix(8).map(DisplayText.escaped)
    let further = seen.hosts.count - shown.count + seen.furtherHosts
    var fields: [(text: String, style: TextStyle)] = [
      (shown.joined(separator: ", "), .bold),
      (further > 0 ? "and \(Wording.count(further, "further host"))" : "", .plain),
      (Wording.count(seen.sessions, "session"), .plain),
    ]
    if !seen.chain.isComplete { fields.append(("cut off in the capture", .yellow)) }
    writer.writeFields(fields, indent: 0)
    for (index, observed) in seen.chain.certificates.enumerated() {
      let certificate = observed.certificate
      let name = certificate.subject.isEmpty ? "(no subject)" : DisplayText.escaped(certificate.subject)
      let validity =
        certificate.notBefore.flatMap { start in
          certificate.notAfter.map { "\(start.date) to \($0.date)" }
        } ?? "dates unreadable"
      writer.writeFields([("\(index)  \(name)", .plain), (validity, .dim)], indent: 2)
      let digest = observed.spkiSHA256.flatMap(PinProposal.base64) ?? "key unreadable"
      writer.writeFields([("SPKI SHA-256  \(digest)", .cyan)], indent: 5)
    }
  }
}
