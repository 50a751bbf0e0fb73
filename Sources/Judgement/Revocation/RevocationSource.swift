import ByteParsing
package import CertificateParsing

/// A source of revocation data from a file: a CRL or an OCSP response.
package enum RevocationSource: Sendable {
  case list(CertificateRevocationList)

  case response(OCSPResponse)
}

extension RevocationSource {
  /// The maximum size of a file of lists and responses; the longest CRLs in use have about 40 MiB.
  package static let maximumByteCount = 256 * 1024 * 1024

  /// Parses a file of CRLs and OCSP responses: PEM or DER with any number of them.
  package static func read(_ bytes: Span<UInt8>) throws(RevocationFileError) -> [RevocationSource] {
    let blocks: [PEMBlock]
    do throws(PEMError) { blocks = try PEMBlock.read(bytes) } catch {
      // An error response is so short that with trailing bytes it resembles text.
      let isRefusal = (try? OCSPResponse(parsing: bytes)) != nil
      throw isRefusal ? .noSingleResponse : RevocationFileError("\(error)")
    }
    var sources: [RevocationSource] = []
    for block in blocks {
      switch block.label {
      case .certificateRevocationList, .ocspResponse, nil: sources.append(try source(of: block))
      // Tools print certificates together with the data that they show.
      case .certificate, .trustedCertificate: continue
      }
    }
    if sources.isEmpty { throw RevocationFileError("contains certificates, but neither CRLs nor OCSP responses") }
    return sources
  }

  private static func source(of block: PEMBlock) throws(RevocationFileError) -> RevocationSource {
    let location = block.line > 0 ? "line \(block.line): " : ""
    let isResponse = block.label.map { $0 == .ocspResponse } ?? looksLikeResponse(block.der)
    guard isResponse else {
      do throws(ParseError) {
        return .list(try CertificateRevocationList(parsing: block.der.span))
      } catch {
        throw RevocationFileError("\(location)not a usable CRL: \(error)")
      }
    }
    let response: OCSPResponse
    do throws(ParseError) { response = try OCSPResponse(parsing: block.der.span) } catch {
      throw RevocationFileError("\(location)not a usable OCSP response: \(error)")
    }
    guard response.status == .successful, response.responderID != nil else {
      throw RevocationFileError("\(location)\(RevocationFileError.noSingleResponse.description)")
    }
    return .response(response)
  }

  /// Whether the first field of the SEQUENCE is the ENUMERATED of an OCSP response rather than the SEQUENCE of a CRL.
  private static func looksLikeResponse(_ der: Bytes) -> Bool {
    guard der.count > 2 else { return false }
    let lengthOctets = der[1] < 0x80 ? 0 : Int(der[1] & 0x7F)
    return der.count > 2 + lengthOctets && der[2 + lengthOctets] == 0x0A
  }
}

/// The error of a file of CRLs and OCSP responses that cannot be used.
package struct RevocationFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// The fault of a response that is not successful, or has no SingleResponse; programs recognize its last three words.
  static let noSingleResponse = RevocationFileError("an OCSP response without an answer")

  package init(_ description: String) { self.description = description }
}
