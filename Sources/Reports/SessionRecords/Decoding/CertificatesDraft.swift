import ByteParsing
import JSONReading
import SessionModel

/// The state of reading a list of certificates and the data delivered with them.
struct CertificatesDraft {
  private(set) var list: [ObservedCertificate] = []
  private(set) var ocspResponse: Bytes?
  private(set) var sctList: Bytes?
  /// The OCSP responses stapled to certificates above the leaf, by certificate index.
  private(set) var issuerOCSPResponses: [Int: Bytes] = [:]

  mutating func read(_ reader: inout JSONReader, with decoder: inout SessionDecoder) throws(JSONError) {
    try reader.readArray(limit: SessionDraft.maximumListCount) { (reader) throws(JSONError) in
      var der: Bytes?
      try reader.readObject { (key, reader) throws(JSONError) in
        switch key {
        case "der": der = try reader.readBase64()
        case "ocspResponse" where list.isEmpty: ocspResponse = try reader.readOptionalBase64()
        case "ocspResponse": issuerOCSPResponses[list.count] = try reader.readOptionalBase64()
        case "sctList" where list.isEmpty: sctList = try reader.readOptionalBase64()
        default: try reader.skipValue()
        }
      }
      guard let der else { throw reader.error(.missingField, in: "der") }
      list.append(decoder.share(der: der))
    }
  }
}
