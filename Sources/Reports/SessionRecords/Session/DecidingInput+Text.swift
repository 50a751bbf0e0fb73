package import ATSEvidence

extension DecidingInput {
  /// The option that supplies the input, or the data to capture.
  package var text: String {
    switch self {
    case .evidence(let text): text
    case .keyLog: "--keylog FILE"
    case .captureSecrets: "a pcapng with its secrets"
    case .chain(let server): "--chain \(server)=FILE"
    case .time: "--at TIME"
    case .laterTime: "--at with a later time"
    case .anchors: "--anchors FILE"
    case .systemAnchors: "--system-anchors FILE"
    case .intermediates: "--intermediates FILE"
    case .revocations: "--revocations FILE"
    case .logList(let isNewer, let needsIssuer):
      (isNewer ? "a newer --ct-log-list" : "a --ct-log-list that contains the logs") + (needsIssuer ? ", and the issuer's certificate" : "")
    case .issuerCertificate: "the issuer's certificate"
    }
  }
}
