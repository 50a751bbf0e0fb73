package import ByteParsing
import Values

/// One structure in a file of certificates, CRLs or OCSP responses: a PEM block (RFC 7468), or a structure in DER.
package struct PEMBlock: Hashable, Sendable {
  /// The type of a block.
  package enum Label: String, Hashable, Sendable, CaseIterable {
    /// A certificate, including the old label `X509 CERTIFICATE`.
    case certificate = "CERTIFICATE"

    /// A certificate followed by OpenSSL's trust settings, which are ignored.
    case trustedCertificate = "TRUSTED CERTIFICATE"

    /// A CRL.
    case certificateRevocationList = "X509 CRL"

    case ocspResponse = "OCSP RESPONSE"
  }

  /// The label; nil for DER, which does not identify its type.
  package var label: Label?

  /// The structure in DER.
  package var der: Bytes

  /// The line at which the block begins, counted from 1; 0 for DER.
  package var line: Int

  package init(label: Label?, der: Bytes, line: Int) {
    self.label = label
    self.der = der
    self.line = line
  }
}

/// The reason and the line at which a file of PEM or DER cannot be read.
package struct PEMError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// There is neither DER nor a PEM block.
    case nothingFound

    /// There are PEM blocks, but none with a known label; the first one has this label.
    case otherLabel(String)

    /// A line has a boundary of a block, and something else.
    case notABoundary

    /// A block does not end, or another one begins or ends within it.
    case notEnded

    /// The content of a block is not Base64.
    case notBase64

    /// The content of a block is not DER, or is truncated.
    case notDER

    /// There are more blocks than this limit.
    case tooManyBlocks(Int)

    /// This number of bytes after the structures in DER is not another one.
    case leftOver(Int)
  }

  package var reason: Reason

  /// The line, counted from 1; 0 if the error concerns the whole file.
  package var line: Int

  package init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }

  /// One line of text, such as `line 7: not Base64`.
  package var description: String {
    let what =
      switch reason {
      case .nothingFound: "neither PEM nor DER"
      case .otherLabel(let label): "the PEM block that begins here has the label \(label)"
      case .notABoundary: "a PEM block must begin with a separate line, such as '-----BEGIN CERTIFICATE-----'"
      case .notEnded: "the PEM block that begins here has no end"
      case .notBase64: "not Base64"
      case .notDER: "the PEM block that begins here contains no DER"
      case .tooManyBlocks(let limit): "more than \(limit) blocks"
      case .leftOver(let count): count.counted("byte{s} left over")
      }
    return line > 0 ? "line \(line): \(what)" : what
  }
}
