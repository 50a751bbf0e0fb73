// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  // Where the project is developed: elsewhere the C library may be imported in ways that warn.
  .treatAllWarnings(as: .error, .when(platforms: [.linux])),
  .treatWarning("DeprecatedDeclaration", as: .warning),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
]

/// The settings of tests. Each compiler process expands all macros of a module again, so one process a module instead of three saves an
/// eighth of the time for compiling tests.
let testing = strict + [.unsafeFlags(["-driver-batch-count", "1"])]

/// A module of ours: it lives in `Sources/STAGE/NAME` and sees only what is named here.
func module(_ stage: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(stage)/\(name)",
    swiftSettings: strict)
}

/// The tests of one module, in `Tests/Unit/NAMETests`.
func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies,
    path: "Tests/Unit/\(name)Tests", exclude: exclude, swiftSettings: testing)
}

/// What several test targets use, in `Tests/Support/NAME`.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: strict)
}

let package = Package(
  name: "atscope",
  platforms: [.macOS(.v14)],
  products: [
    .executable(name: "atscope", targets: ["ATScopeCommand"]),
    .library(name: "ATScope", targets: ["ATScope"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
  ],
  targets: [
    // In the order the data takes: a module imports earlier rows only.
    module("Bytes", "ByteParsing"),
    module("Bytes", "Values", ["ByteParsing"]),
    module("Bytes", "JSONReading", ["ByteParsing"]),

    module("Captures", "CaptureFormats", ["ByteParsing", "Values"]),
    .systemLibrary(
      name: "CArchive", path: "Sources/Captures/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(
      name: "CZlib", path: "Sources/Captures/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CLZMA", path: "Sources/Captures/CLZMA", pkgConfig: "liblzma",
      providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/Captures/CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CBrotli", path: "Sources/Captures/CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    module("Captures", "Decompression", ["ByteParsing", "CZlib", "CLZMA", "CZstd", "CBrotli"]),
    module(
      "Captures", "ArchiveReading",
      ["ByteParsing", "Values", "CaptureFormats", "Decompression", "CArchive"]),
    module("Captures", "SystemCalls", ["ByteParsing", "Values"]),
    module(
      "Captures", "InputSources",
      ["ByteParsing", "Values", "CaptureFormats", "ArchiveReading", "SystemCalls"]),

    module("Packets", "PacketParsing", ["ByteParsing", "Values"]),
    .systemLibrary(
      name: "CPcap", path: "Sources/Packets/CPcap", pkgConfig: "libpcap",
      providers: [.apt(["libpcap-dev"]), .brew(["libpcap"])]),
    module("Packets", "PacketFiltering", ["ByteParsing", "Values", "PacketParsing", "CPcap"]),
    module(
      "Packets", "Reassembly",
      [
        "ByteParsing", "Values", "PacketParsing",
        .product(name: "BasicContainers", package: "swift-collections"),
        .product(name: "DequeModule", package: "swift-collections"),
      ]),

    module("Protocols", "TLSParsing", ["ByteParsing"]),
    module("Protocols", "HTTPParsing", ["ByteParsing"]),
    module("Protocols", "DNSParsing", ["ByteParsing", "Values"]),
    module("Protocols", "CertificateParsing", ["ByteParsing", "Values"]),
    module(
      "Protocols", "CertificateSignatures",
      [
        "ByteParsing", "TLSParsing", "CertificateParsing",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    module("Protocols", "QUICParsing", ["ByteParsing"]),
    module(
      "Protocols", "HandshakeDecryption",
      [
        "ByteParsing", "Decompression", "TLSParsing", "QUICParsing",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),

    module(
      "Sessions", "QUICObservation",
      ["ByteParsing", "Values", "TLSParsing", "QUICParsing", "HandshakeDecryption"]),
    module(
      "Sessions", "SessionModel",
      [
        "ByteParsing", "Values", "PacketParsing", "TLSParsing", "CertificateParsing", "HandshakeDecryption",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    module("Sessions", "SessionLinking", ["ByteParsing", "Values", "TLSParsing", "SessionModel"]),
    module(
      "Sessions", "TLSObservation",
      [
        "ByteParsing", "Values", "PacketParsing", "Reassembly", "TLSParsing", "CertificateParsing",
        "CertificateSignatures", "QUICParsing", "HandshakeDecryption", "QUICObservation", "SessionModel",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
      ]),
    module(
      "Sessions", "CleartextObservation",
      [
        "ByteParsing", "Values", "TLSParsing", "HTTPParsing", "DNSParsing", "SessionModel", "TLSObservation",
      ]),
    module(
      "Sessions", "SessionTracking",
      [
        "ByteParsing", "Values", "PacketParsing", "Reassembly", "TLSParsing", "HTTPParsing", "DNSParsing",
        "QUICParsing", "HandshakeDecryption", "QUICObservation", "SessionModel", "SessionLinking",
        "TLSObservation", "CleartextObservation",
        .product(name: "BasicContainers", package: "swift-collections"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ]),

    module(
      "Judgement", "Revocation",
      [
        "ByteParsing", "Values", "CertificateParsing", "CertificateSignatures",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    module(
      "Judgement", "CertificateTransparency",
      [
        "ByteParsing", "Values", "JSONReading", "CertificateParsing", "CertificateSignatures",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),

    // The bytes of apple-trust.bin, which the assembler includes from the target's own folder.
    .target(
      name: "CAppleTrust", path: "Sources/Judgement/CAppleTrust", exclude: ["README.md", "apple-trust.bin"],
      cSettings: [.headerSearchPath(".")]),
    module("Judgement", "AppleTrust", ["ByteParsing", "CAppleTrust"]),
    module(
      "Judgement", "TrustEvaluation",
      [
        "ByteParsing", "Values", "CertificateParsing", "SessionModel", "CertificateSignatures",
        "AppleTrust",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),

    .systemLibrary(
      name: "CExpat", path: "Sources/Judgement/CExpat", pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    module("Judgement", "PropertyLists", ["ByteParsing", "Values", "CExpat"]),
    module("Judgement", "PolicyResolution", ["ByteParsing", "Values", "TLSParsing"]),
    module(
      "Judgement", "InfoPlistReading", ["ByteParsing", "Values", "TLSParsing", "PropertyLists", "PolicyResolution"]),
    module(
      "Judgement", "ATSEvidence",
      [
        "ByteParsing", "Values", "SessionModel", "TLSParsing", "CertificateParsing", "CertificateTransparency",
        "Revocation", "AppleTrust", "TrustEvaluation", "PolicyResolution",
      ]),
    module(
      "Judgement", "ATSRules",
      [
        "ByteParsing", "Values", "SessionModel", "TLSParsing", "CertificateParsing",
        "CertificateSignatures", "CertificateTransparency", "Revocation", "AppleTrust", "TrustEvaluation",
        "PolicyResolution", "ATSEvidence",
      ]),
    module(
      "Judgement", "ATSEvaluation",
      [
        "ByteParsing", "Values", "SessionModel", "TLSParsing", "CertificateParsing", "AppleTrust", "TrustEvaluation",
        "PolicyResolution", "ATSEvidence", "ATSRules",
      ]),

    module(
      "Judgement", "ExceptionPlanning",
      [
        "ByteParsing", "Values", "SessionModel", "TLSParsing", "PolicyResolution", "ATSEvidence", "ATSRules",
        "ATSEvaluation",
      ]),

    module(
      "Reports", "SessionRecords",
      [
        "ByteParsing", "Values", "JSONReading", "SessionModel", "TLSParsing",
        "CertificateParsing", "PolicyResolution", "TrustEvaluation", "ATSEvidence", "ATSRules", "ATSEvaluation",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    module(
      "Reports", "Reporting",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "SessionModel", "PolicyResolution",
        "ATSEvidence", "ATSRules", "ATSEvaluation", "SessionRecords",
      ]),
    // The script and style of the HTML report, which page.c embeds.
    .target(name: "CPage", path: "Sources/Reports/CPage", exclude: ["script", "style.css"]),
    module(
      "Reports", "ReportFormats",
      [
        "CPage",
        "ByteParsing", "Values", "JSONReading", "TLSParsing", "CertificateParsing", "SessionModel",
        "TrustEvaluation", "PolicyResolution", "InfoPlistReading", "ATSEvidence", "ATSRules", "ATSEvaluation",
        "SessionRecords", "Reporting",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    module(
      "Reports", "CommandReports",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "CertificateSignatures", "SessionModel", "TrustEvaluation",
        "PropertyLists", "PolicyResolution", "InfoPlistReading", "ATSEvidence", "ATSRules", "ATSEvaluation",
        "ExceptionPlanning", "SessionRecords", "Reporting", "ReportFormats",
      ]),

    module(
      "Product", "SessionReading",
      [
        "ByteParsing", "Values", "JSONReading", "CaptureFormats", "ArchiveReading", "InputSources",
        "PacketParsing", "PacketFiltering", "TLSParsing", "QUICParsing", "CertificateParsing", "HandshakeDecryption",
        "SessionModel", "SessionLinking", "SessionTracking", "PolicyResolution", "ATSEvidence", "SessionRecords",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    module(
      "Product", "PacketExtraction",
      [
        "ByteParsing", "Values", "CaptureFormats", "InputSources", "PacketParsing", "Reassembly", "TLSParsing",
        "HTTPParsing", "QUICParsing", "HandshakeDecryption", "SessionModel", "CleartextObservation",
        "SessionTracking", "SessionReading",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    module(
      "Product", "ATScope",
      [
        "ByteParsing", "Values", "JSONReading", "CaptureFormats", "ArchiveReading", "InputSources",
        "PacketParsing", "PacketFiltering", "TLSParsing",
        "CertificateParsing",
        "SessionModel", "SessionLinking",
        "Revocation", "CertificateTransparency", "AppleTrust",
        "TrustEvaluation",
        "PropertyLists",
        "PolicyResolution", "InfoPlistReading", "ATSEvidence", "ATSRules", "ATSEvaluation", "ExceptionPlanning",
        "SessionRecords", "Reporting", "ReportFormats", "CommandReports", "SessionReading", "PacketExtraction",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // The system calls of Landlock, on Linux.
    .target(name: "CLandlock", path: "Sources/Product/CLandlock"),
    .executableTarget(
      name: "ATScopeCommand",
      dependencies: [
        "ByteParsing", "Values", "SystemCalls", "InputSources", "PacketFiltering", "PolicyResolution",
        "InfoPlistReading", "ATSEvaluation", "SessionRecords", "Reporting", "ReportFormats", "ATScope", "CLandlock",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Product/ATScopeCommand", swiftSettings: strict),

    // What tests share, in the order of use.
    support("SeededRandom"),
    support("TestBytes", ["ByteParsing", "CaptureFormats", "SeededRandom"]),
    support("TestFiles"),
    support(
      "CertificateIssuing",
      [
        "ByteParsing", "Values", "CertificateParsing", "CertificateSignatures", "SessionModel", "CertificateTransparency", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    support(
      "SessionBuilding",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "SessionModel", "TrustEvaluation",
        "PolicyResolution", "ATSEvidence", "ATSRules", "ATSEvaluation", "TestBytes", "CertificateIssuing",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    support(
      "ReportSamples",
      [
        "ByteParsing", "Values", "TLSParsing", "SessionModel", "PolicyResolution", "ATSEvidence", "ATSRules",
        "ATSEvaluation", "SessionRecords", "Reporting",
      ]),
    // What `make fuzz` hands random bytes to, and the tests the changed seeds.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ATScope", "ByteParsing", "CaptureFormats", "CertificateParsing", "CertificateSignatures",
        "CertificateTransparency", "DNSParsing", "HTTPParsing", "HandshakeDecryption", "InfoPlistReading",
        "PacketExtraction", "PacketParsing", "PolicyResolution", "PropertyLists", "QUICObservation", "QUICParsing",
        "Reassembly", "Revocation", "SessionModel", "SessionTracking", "TLSParsing", "TestBytes", "Values",
      ],
      path: "Tests/Fuzzing/Sources/FuzzTargets", swiftSettings: strict),

    // The tests of the modules, in the order of the modules, and of all of them together.
    tests("ByteParsing", ["SeededRandom"]),
    tests("Values"),
    tests("JSONReading", ["ByteParsing", "SeededRandom", "TestBytes"]),
    tests("CaptureFormats", ["ByteParsing", "Values", "SeededRandom", "TestBytes"]),
    tests("ArchiveReading", ["ByteParsing", "CaptureFormats", "SeededRandom", "TestBytes"]),
    tests("InputSources", ["ByteParsing", "CaptureFormats", "ArchiveReading", "TestBytes", "TestFiles"]),
    tests("PacketParsing", ["ByteParsing", "Values", "SeededRandom", "TestBytes"]),
    tests("PacketFiltering", ["ByteParsing", "SeededRandom", "TestBytes"]),
    tests("Reassembly", ["ByteParsing", "Values", "PacketParsing", "SeededRandom", "TestBytes"]),
    tests("TLSParsing", ["ByteParsing", "SeededRandom", "TestBytes"]),
    tests("HTTPParsing", ["ByteParsing", "SeededRandom", "TestBytes"]),
    tests("DNSParsing", ["ByteParsing", "Values", "SeededRandom", "TestBytes"]),
    tests("CertificateParsing", ["ByteParsing", "Values", "SeededRandom", "TestBytes"]),
    tests(
      "CertificateSignatures",
      [
        "ByteParsing", "CertificateParsing", "CertificateIssuing", "SeededRandom", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    tests("QUICParsing", ["ByteParsing", "SeededRandom", "TestBytes"]),
    tests(
      "HandshakeDecryption",
      [
        "ByteParsing", "TLSParsing", "QUICParsing", "SeededRandom", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    tests(
      "QUICObservation",
      [
        "ByteParsing", "Values", "TLSParsing", "QUICParsing", "HandshakeDecryption", "SeededRandom", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    tests("SessionModel", ["ByteParsing", "TLSParsing", "CertificateParsing"]),
    tests(
      "TLSObservation",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "CertificateSignatures",
        "HandshakeDecryption", "SessionModel", "SeededRandom", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    tests(
      "SessionTracking",
      [
        "ByteParsing", "Values", "CaptureFormats", "CertificateParsing", "PacketParsing", "TLSParsing",
        "SessionModel", "SessionLinking", "TLSObservation", "CleartextObservation", "SeededRandom", "TestBytes",
        "CertificateIssuing",
        .product(name: "BasicContainers", package: "swift-collections"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ]),
    tests(
      "Revocation",
      [
        "ByteParsing", "Values", "CertificateParsing", "CertificateIssuing", "SeededRandom", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    tests(
      "CertificateTransparency",
      [
        "ByteParsing", "Values", "CertificateParsing", "CertificateSignatures", "CertificateIssuing", "SeededRandom", "TestBytes",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    tests(
      "AppleTrust",
      ["ByteParsing", "CertificateParsing", .product(name: "Crypto", package: "swift-crypto")]),
    tests(
      "TrustEvaluation",
      [
        "AppleTrust",
        "ByteParsing", "Values", "CertificateParsing", "SessionModel", "CertificateIssuing",
        "SeededRandom", "TestBytes",
      ]),
    tests("PropertyLists", ["ByteParsing", "SeededRandom"]),
    tests(
      "PolicyResolution",
      ["Values", "TLSParsing", "PropertyLists", "InfoPlistReading", "SeededRandom", "TestFiles"],
      exclude: ["Data", "Golden"]),
    tests("InfoPlistReading", ["ByteParsing", "PropertyLists", "PolicyResolution", "SeededRandom"]),
    tests(
      "ATSEvidence",
      [
        "Values", "CertificateParsing", "SessionModel", "AppleTrust", "PolicyResolution", "ATSRules", "ATSEvaluation",
        "CertificateIssuing", "SessionBuilding", "SeededRandom", "TestFiles",
      ]),
    tests(
      "ATSRules",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "SessionModel",
        "TrustEvaluation", "CertificateTransparency", "Revocation",
        "PolicyResolution", "ATSEvidence", "ATSEvaluation", "CertificateIssuing", "SessionBuilding",
        "TestBytes", "TestFiles",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    tests(
      "ATSEvaluation",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "SessionModel", "TrustEvaluation",
        "Revocation", "PolicyResolution", "ATSEvidence", "ATSRules", "CertificateIssuing", "SessionBuilding",
        "SeededRandom", "TestBytes", "TestFiles",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    tests(
      "ExceptionPlanning",
      ["Values", "TLSParsing", "SessionModel", "PolicyResolution", "ATSEvaluation", "SeededRandom"]),
    tests(
      "SessionRecords",
      [
        "ByteParsing", "Values", "JSONReading", "TLSParsing", "CertificateParsing", "SessionModel",
        "PolicyResolution", "ATSEvidence", "ATSRules", "ATSEvaluation", "SeededRandom",
      ]),
    tests(
      "Reporting",
      [
        "ByteParsing", "Values", "TLSParsing", "CertificateParsing", "SessionModel", "PolicyResolution",
        "ATSEvidence", "ATSRules", "ATSEvaluation", "SessionRecords", "ReportSamples",
      ]),
    tests(
      "ReportFormats",
      [
        "ByteParsing", "Values", "TLSParsing", "SessionModel", "PolicyResolution", "InfoPlistReading",
        "ATSEvidence", "ATSRules", "ATSEvaluation", "SessionRecords", "Reporting", "ReportSamples",
      ]),
    tests(
      "CommandReports",
      [
        "TLSParsing", "CertificateIssuing",
        "ByteParsing", "Values", "CertificateParsing", "SessionModel", "PolicyResolution", "InfoPlistReading",
        "ATSEvidence", "ATSRules", "ATSEvaluation", "ExceptionPlanning", "SessionRecords", "Reporting", "ReportSamples",
      ]),
    tests(
      "SessionReading",
      [
        "ByteParsing", "CaptureFormats", "PacketFiltering", "Values", "SessionModel", "SessionRecords", "CertificateIssuing",
        "SessionBuilding",
      ]),
    tests(
      "PacketExtraction",
      ["HTTPParsing", "QUICParsing", "CleartextObservation", "ByteParsing", "Values", "SeededRandom", "TestBytes"]),
    tests(
      "ATScope",
      [
        "CaptureFormats", "CertificateIssuing", "SessionBuilding",
        "ByteParsing", "Values", "SessionModel", "SessionTracking", "PolicyResolution", "InfoPlistReading",
        "ATSEvaluation", "ExceptionPlanning", "TrustEvaluation", "SessionRecords", "ReportFormats",
        "SessionReading", "PacketExtraction", "SeededRandom", "TestBytes", "TestFiles",
      ], exclude: ["Chains"]),
    tests(
      "ATScopeCommand",
      [
        "ByteParsing", "SessionModel", "TrustEvaluation", "PolicyResolution", "InfoPlistReading", "ATSEvaluation", "SessionRecords",
        "Reporting", "ATScope", "TestBytes", "TestFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "DecryptionTests",
      dependencies: [
        "ByteParsing", "Values", "SessionModel", "ATScope", "TestBytes", "TestFiles", "CertificateIssuing",
      ],
      path: "Tests/Unit/DecryptionTests", swiftSettings: testing),
    tests("FuzzTargets", ["SeededRandom", "TestBytes", "TestFiles"]),
    .testTarget(
      name: "GoldenTests",
      dependencies: [
        "ByteParsing", "PacketFiltering", "SessionModel", "SessionRecords", "TLSParsing", "ATScope",
        "TestFiles", "SeededRandom",
      ],
      path: "Tests/Golden/GoldenTests", swiftSettings: testing),
  ],
  swiftLanguageModes: [.v6]
)

// With libFuzzer, every executable gets its `main`: `make fuzz` builds the fuzzer, and no other one.
if Context.environment["ATSCOPE_FUZZING"] != nil {
  package.products = []
  package.targets.removeAll { $0.type == .executable || $0.type == .test }
  package.targets += [
    .target(name: "CFuzz", path: "Tests/Fuzzing/Sources/CFuzz"),
    .executableTarget(
      name: "Fuzz", dependencies: ["CFuzz", "FuzzTargets"], path: "Tests/Fuzzing/Sources/Fuzz", swiftSettings: strict),
  ]
}
