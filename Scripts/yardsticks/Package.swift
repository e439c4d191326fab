// swift-tools-version: 6.2
import PackageDescription

// Yardsticks that must run in one process with what they measure. Scripts/bench builds and runs them; `Sources` is a
// link to the modules of the tool, of which only the ones needed are built here.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "celestra-yardsticks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/apple/swift-system", .upToNextMinor(from: "1.8.1"))],
  targets: [
    .systemLibrary(name: "CLibXML2", path: "Sources/System/CLibXML2", pkgConfig: "libxml-2.0"),
    .target(name: "LibXML2Shim", dependencies: ["CLibXML2"], path: "Sources/System/LibXML2Shim"),
    .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto"),
    .target(name: "OpenSSLShim", dependencies: ["COpenSSL"], path: "Sources/System/OpenSSLShim"),
    .target(
      name: "Platform", dependencies: [.product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: settings),
    module("Diagnostics"),
    module("Cryptography", ["COpenSSL", "OpenSSLShim"]),
    module("XMLReading", ["CLibXML2", "LibXML2Shim"]),
    module("FeedParsing", ["XMLReading", "Diagnostics", "Cryptography", "Platform"]),
    module("SchemaLanguage", ["Diagnostics"]),
    module("CloudKitModel", ["SchemaLanguage", "Cryptography", "Diagnostics", "Platform"]),
    module("WebServicesWire", ["CloudKitModel", "Diagnostics", "Cryptography"]),
    .target(name: "EmptyParse", dependencies: ["CLibXML2"], path: "EmptyParse"),
    .executableTarget(
      name: "celestra-yardsticks",
      dependencies: ["Cryptography", "EmptyParse", "FeedParsing", "Diagnostics", "WebServicesWire"],
      path: "Runner",
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6])
