package import ByteParsing

/// One structure of a file of certificates or lists: a block of PEM (RFC 7468), or the whole file where it is DER.
package struct PEMBlock: Hashable, Sendable {
  /// What the block is labeled as.
  package enum Label: String, Hashable, Sendable, CaseIterable {
    /// A certificate; `X509 CERTIFICATE`, an old form of the label, counts as this.
    case certificate = "CERTIFICATE"

    /// A certificate followed by OpenSSL's trust settings, which are ignored.
    case trustedCertificate = "TRUSTED CERTIFICATE"

    /// A CRL.
    case certificateRevocationList = "X509 CRL"

    /// An OCSP response.
    case ocspResponse = "OCSP RESPONSE"
  }

  /// The label; nil where the file is DER, which does not say what it is.
  package var label: Label?

  /// The structure in DER.
  package var der: Bytes

  /// The line of the block's beginning, counted from 1; 0 where the file is DER.
  package var line: Int

  /// Creates a block.
  package init(label: Label?, der: Bytes, line: Int) {
    self.label = label
    self.der = der
    self.line = line
  }
}

/// A file of certificates or lists cannot be read: what, and in which line.
package struct PEMError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is the matter.
  package enum Reason: Hashable, Sendable {
    /// There is neither a block of a label that is read here nor DER.
    case nothingFound

    /// A block does not end, or another begins or ends within it.
    case notEnded

    /// What is in a block is not Base64.
    case notBase64

    /// The content of a block is not DER, or is truncated.
    case notDER

    /// There are more blocks than this.
    case tooManyBlocks(Int)
  }

  /// What is the matter.
  package var reason: Reason

  /// The line, counted from 1; 0 where it is about the whole file.
  package var line: Int

  /// Creates an error.
  package init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }

  /// One line for people, such as `line 7: not Base64`.
  package var description: String {
    let what =
      switch reason {
      case .nothingFound: "neither PEM nor DER"
      case .notEnded: "the PEM block that begins here has no end"
      case .notBase64: "not Base64"
      case .notDER: "the PEM block that begins here contains no DER"
      case .tooManyBlocks(let limit): "more than \(limit) PEM blocks"
      }
    return line > 0 ? "line \(line): \(what)" : what
  }
}
