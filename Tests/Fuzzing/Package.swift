// swift-tools-version: 6.2
import PackageDescription

/// One fuzzer: it hands any bytes to one parser, in `Sources/FuzzNAME`.
func fuzzer(_ name: String, of modules: [String]) -> Target {
  .executableTarget(
    name: "Fuzz\(name)",
    dependencies: ["FuzzDriver"] + modules.map { .product(name: $0, package: "atscope") },
    swiftSettings: [.enableExperimentalFeature("Lifetimes")])
}

let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "atscope", path: "../..")],
  targets: [
    .target(name: "CFuzz"),
    .target(name: "FuzzDriver", dependencies: ["CFuzz"]),
    fuzzer("Audit", of: ["ATScope", "ByteParsing"]),
    fuzzer("Capture", of: ["ByteParsing", "CaptureFormats"]),
    fuzzer("PacketHeaders", of: ["ByteParsing", "PacketParsing"]),
    fuzzer("Fragments", of: ["ByteParsing", "PacketParsing", "Reassembly"]),
    fuzzer("ClientHello", of: ["ByteParsing", "TLSParsing"]),
    fuzzer("ServerHello", of: ["ByteParsing", "TLSParsing"]),
    fuzzer("CertificateMessage", of: ["ByteParsing", "TLSParsing"]),
    fuzzer("ServerKeyExchange", of: ["ByteParsing", "TLSParsing"]),
    fuzzer("HTTPHead", of: ["ByteParsing", "HTTPParsing"]),
    fuzzer("HTTP2Fields", of: ["ByteParsing", "HTTPParsing"]),
    fuzzer("DTLS", of: ["ByteParsing", "TLSParsing"]),
    fuzzer("DNSMessage", of: ["ByteParsing", "DNSParsing"]),
    fuzzer("QUICPacket", of: ["ByteParsing", "QUICParsing"]),
    fuzzer("QUICFrames", of: ["ByteParsing", "QUICParsing"]),
    fuzzer("QUICReduction", of: ["ByteParsing", "QUICParsing"]),
    fuzzer("QUICDatagrams", of: ["ByteParsing", "HandshakeDecryption", "QUICObservation"]),
    fuzzer("Conversation", of: ["ByteParsing", "SessionModel", "SessionTracking", "Values"]),
    fuzzer("KeyLog", of: ["ByteParsing", "HandshakeDecryption"]),
    fuzzer("InnerHello", of: ["ByteParsing", "HandshakeDecryption", "TLSParsing"]),
    fuzzer("CertificateDecompression", of: ["ByteParsing", "TLSParsing", "HandshakeDecryption"]),
    fuzzer("InfoPlist", of: ["ByteParsing", "PropertyLists", "PolicyResolution", "InfoPlistReading"]),
    fuzzer("Certificate", of: ["ByteParsing", "CertificateParsing"]),
    fuzzer("SCTList", of: ["ByteParsing", "CertificateParsing", "Values"]),
    fuzzer("OCSP", of: ["ByteParsing", "CertificateParsing"]),
    fuzzer("CRL", of: ["ByteParsing", "CertificateParsing"]),
    fuzzer("PEM", of: ["ByteParsing", "CertificateParsing"]),
    fuzzer("LogList", of: ["ByteParsing", "CertificateTransparency"]),
    fuzzer("Revocation", of: ["ByteParsing", "CertificateParsing", "CertificateSignatures", "Revocation"]),
  ],
  swiftLanguageModes: [.v6]
)
