// swift-tools-version: 6.2
import PackageDescription

/// A separate package with the examples of the documents, which sees only the product `ATScope`.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let library: [Target.Dependency] = [.product(name: "ATScope", package: "atscope")]

let package = Package(
  name: "Library",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "atscope", path: "../..")],
  targets: [
    .executableTarget(name: "Audit", dependencies: library, swiftSettings: strict),
    .executableTarget(name: "Stream", dependencies: library, swiftSettings: strict),
    .executableTarget(name: "Policy", dependencies: library, swiftSettings: strict),
    .testTarget(name: "AuditTests", dependencies: library, swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
