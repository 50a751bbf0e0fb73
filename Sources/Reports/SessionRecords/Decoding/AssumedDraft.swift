import JSONReading
import SessionModel

/// The state of reading assumed certificates and their source.
struct AssumedDraft {
  private var certificates = CertificatesDraft()
  private var source: AssumedChain.Source?
  private var origin: AssumedChain.Origin?
  private var file: String?

  /// Reads a member by its key in `assumedCertificatesAlternatives`.
  mutating func read(_ key: String, _ reader: inout JSONReader, with decoder: inout SessionDecoder) throws(JSONError) {
    switch key {
    case "certificates": try certificates.read(&reader, with: &decoder)
    case "source": source = try reader.readOptionalCase()
    case "from": origin = try reader.readNull() ? nil : AssumedDraft.readOrigin(&reader)
    case "file": file = try reader.readOptionalText()
    default: try reader.skipValue()
    }
  }

  /// Returns the chain; nil if no source was read.
  func chain(sharingWith decoder: inout SessionDecoder) -> AssumedChain? {
    source.map { source in
      AssumedChain(
        chain: decoder.share(certificates.list, isComplete: true), source: source, origin: origin, file: file,
        ocspResponse: certificates.ocspResponse, issuerOCSPResponses: certificates.issuerOCSPResponses, sctList: certificates.sctList)
    }
  }

  private static func readOrigin(_ reader: inout JSONReader) throws(JSONError) -> AssumedChain.Origin {
    var origin = AssumedChain.Origin(session: "", file: "", frames: FrameList())
    try reader.readObject { (key, reader) throws(JSONError) in
      switch key {
      case "session": origin.session = try reader.readText()
      case "file": origin.file = try reader.readText()
      case "frames": origin.frames = try reader.readFrames()
      default: try reader.skipValue()
      }
    }
    return origin
  }
}
