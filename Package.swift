// swift-tools-version: 6.2
import PackageDescription

/// Set by Scripts/fuzz. `1`: the package is the fuzzer and what it exercises, every branch of it counted. `smoke`: the
/// fuzzer is added to the package, whose modules stay as they were built, so only the fuzzer's own branches are counted.
let fuzzing = Context.environment["CELESTRA_FUZZ"]
let isFuzzing = fuzzing == "1"
let fuzzerFlags: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ] + (isFuzzing ? fuzzerFlags : [])

let shimSettings: [CSetting] = isFuzzing ? [.unsafeFlags(["-fsanitize=fuzzer-no-link"])] : []

/// What `version` prints about the sources. Scripts/common.sh gives it to the builds that are passed on; SwiftPM's own
/// information about git is not renewed with each commit.
let buildOrigin: [CSetting] = ["COMMIT", "TAG"].compactMap { name in
  guard let value = Context.environment["CELESTRA_ADMIN_BUILD_\(name)"], !value.isEmpty,
    value.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) })
  else { return nil }
  return .define("BUILD_\(name)", to: value)
}

let isTestBuild = Context.environment["CELESTRA_ADMIN_TEST_BUILD"] != nil

/// The modules in which the tests spend most of their time: scenarios start the tool some thousand times, and each start
/// reads JSON and schemas. Scripts/common.sh has these optimized in a build that is otherwise made quickly.
let busiest: Set = isTestBuild ? ["Diagnostics", "SchemaLanguage"] : []

/// In that build the tool contains Swift's libraries, as in a release, because a process then starts in less time.
let swiftLibraries: [LinkerSetting] =
  isTestBuild
  ? [
    .unsafeFlags(
      [
        "-static-stdlib", "-lCoreFoundation", "-lFoundationInternationalization", "-lFoundationEssentials",
        "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
      ], .when(platforms: [.linux]))
  ] : []

/// A library module of this package, with the language settings every module shares.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources,
    swiftSettings: settings + (busiest.contains(name) ? [.unsafeFlags(["-Xfrontend", "-O"])] : []))
}

/// The files that a module carries in its code, such as the page of its rules.
let embedded: [Resource] = [.embedInCode("Resources")]

/// The tests of one module: `Tests/<Module>Tests`.
func tests(of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.byName(name: name)] + dependencies,
    exclude: exclude,
    swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
/// Without the second, a difference that `expectNoDifference` finds fails no test on Linux.
let customDump: [Target.Dependency] = [
  .product(name: "CustomDump", package: "swift-custom-dump"),
  .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
]
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

// Modules from the bottom of the house to its top; each depends only on modules above it in this list.
let foundations: [Target] = [
  // The headers only: on Linux the shim loads libcurl when it is needed (late_curl.c).
  .systemLibrary(name: "CCurl", path: "Sources/System/CCurl"),
  .target(
    name: "CurlShim", dependencies: ["CCurl"], path: "Sources/System/CurlShim",
    linkerSettings: [.linkedLibrary("curl", .when(platforms: [.macOS]))]),
  // libcurl decodes what a header declares as compressed; bodies that are compressed without a word need zlib itself.
  .systemLibrary(
    name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  .systemLibrary(
    name: "CLibXML2", path: "Sources/System/CLibXML2", pkgConfig: "libxml-2.0",
    providers: [.apt(["libxml2-dev"])]),
  .target(
    name: "LibXML2Shim", dependencies: ["CLibXML2"], path: "Sources/System/LibXML2Shim",
    cSettings: shimSettings),
  .systemLibrary(
    name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .target(name: "OpenSSLShim", dependencies: ["COpenSSL"], path: "Sources/System/OpenSSLShim"),
  .target(name: "SQLiteShim", path: "Sources/System/SQLiteShim"),
  .target(name: "ProcessShim", path: "Sources/System/ProcessShim"),
  .target(name: "BuildShim", path: "Sources/System/BuildShim", cSettings: buildOrigin),
  module("Platform", [systemPackage]),
  module("Diagnostics"),
  module("Cryptography", ["COpenSSL", "OpenSSLShim"]),
  module("HTTPTransport", ["CCurl", "CurlShim", "CZlib", "Platform", "Cryptography"]),
  module("XMLReading", ["CLibXML2", "LibXML2Shim"], resources: embedded),
  module(
    "FeedParsing", ["XMLReading", "Diagnostics", "Cryptography", "Platform"], resources: embedded),
  module("DemoFeeds", ["CZlib", "Platform"] + nio),
  module("SchemaLanguage", ["Diagnostics"], resources: embedded),
  module("LanguageServer", ["SchemaLanguage", "Diagnostics"], resources: embedded),
  module(
    "AppCode", ["XMLReading", "SchemaLanguage", "Diagnostics", "Cryptography"],
    resources: embedded),
  module("CloudKitModel", ["SchemaLanguage", "Diagnostics", "Platform", "Cryptography"]),
]

let containers: [Target] = [
  module(
    "RecordChanges",
    ["CloudKitModel", "SchemaLanguage", "Platform", "Cryptography", "Diagnostics"]),
  module("WebServicesWire", ["CloudKitModel", "SchemaLanguage", "Diagnostics", "Cryptography"]),
  module(
    "LocalContainer",
    [
      "CloudKitModel", "SchemaLanguage", "Platform", "Diagnostics", "Cryptography", "SQLiteShim", grdb,
      grdbSQLite,
    ]),
  module(
    "CloudKitClient",
    [
      "CloudKitModel", "SchemaLanguage", "WebServicesWire", "HTTPTransport", "Diagnostics", "Cryptography",
      "Platform", logging,
    ]),
  module(
    "CloudKitEmulator",
    [
      "LocalContainer", "WebServicesWire", "CloudKitModel", "SchemaLanguage", "Diagnostics",
      "Cryptography", "Platform", logging,
    ] + nio),
]

let jobs: [Target] = [
  module(
    "Catalog",
    ["CloudKitModel", "RecordChanges", "Diagnostics", "Cryptography", "Platform", "SchemaLanguage"],
    resources: embedded),
  module("FeedFetching", ["Catalog", "CloudKitModel", "Diagnostics", "HTTPTransport", "Platform"]),
  module(
    "FeedState", ["Catalog", "CloudKitModel", "Diagnostics", "FeedFetching"], resources: embedded),
  module(
    "Articles",
    [
      "Catalog", "CloudKitModel", "Cryptography", "Diagnostics", "FeedFetching", "FeedParsing", "FeedState",
      "RecordChanges", "SchemaLanguage",
    ]),
  module(
    "FeedHealth",
    [
      "Articles", "Catalog", "CloudKitModel", "Diagnostics", "FeedFetching", "FeedParsing", "FeedState",
      "HTTPTransport",
      "Platform", "RecordChanges",
    ]),
  module(
    "Aggregates",
    [
      "Catalog", "CloudKitModel", "RecordChanges", "SchemaLanguage", "Diagnostics",
      "Cryptography", "FeedState", "Platform",
    ],
    resources: embedded),
  module(
    "Curation",
    [
      "Catalog", "CloudKitModel", "Diagnostics", "FeedParsing", "FeedState", "HTTPTransport", "Platform",
      "RecordChanges", "SchemaLanguage", "XMLReading",
    ],
    resources: embedded),
]

let tool: [Target] = [
  module(
    "Records", ["CloudKitModel", "RecordChanges", "SchemaLanguage", "Diagnostics"], resources: embedded),
  module(
    "People",
    ["Catalog", "CloudKitModel", "Cryptography", "Diagnostics", "RecordChanges", "SchemaLanguage"],
    resources: embedded),
  module(
    "Reporting",
    [
      "Aggregates", "Catalog", "CloudKitModel", "Cryptography", "Diagnostics", "FeedHealth", "FeedState",
      "People", "Platform", "SchemaLanguage",
    ],
    resources: embedded),
  module(
    "WebConsole",
    [
      "CloudKitEmulator", "CloudKitModel", "Cryptography", "Diagnostics", "FeedHealth", "FeedState",
      "LocalContainer", "People", "Platform", "RecordChanges", "Records", "Reporting", "SchemaLanguage",
    ],
    resources: embedded),
  module(
    "CommandLine",
    ["Diagnostics", "HTTPTransport", "Platform", argumentParser, logging, systemPackage],
    resources: embedded),
  module(
    "AdminCommands",
    [
      "Aggregates", "AppCode", "Articles", "BuildShim", "Catalog", "CommandLine",
      "CloudKitClient",
      "CloudKitEmulator",
      "CloudKitModel",
      "Cryptography", "Curation",
      "DemoFeeds", "Diagnostics", "FeedFetching", "FeedHealth", "FeedParsing", "FeedState", "HTTPTransport",
      "LanguageServer", "People", "LocalContainer",

      "Platform",
      "RecordChanges", "Records", "Reporting", "SchemaLanguage", "WebConsole", "WebServicesWire",
      argumentParser,
      logging,
      systemPackage,
    ],
    resources: embedded),
  .executableTarget(
    name: "celestra-admin", dependencies: ["AdminCommands", "ProcessShim"], swiftSettings: settings,
    linkerSettings: swiftLibraries),
]

/// A container that tests disturb.
let containerFaults = Target.target(
  name: "ContainerFaults", dependencies: ["CloudKitModel"], path: "Tests/ContainerFaults",
  swiftSettings: settings)

/// Feeds of servers that harm, or that do what servers of the web do. For tests only.
let hostileFeeds = Target.target(
  name: "HostileFeeds", dependencies: ["DemoFeeds", "Platform"], path: "Tests/HostileFeeds",
  swiftSettings: settings)

/// Web sites on loopback, from texts.
let siteServer = Target.target(
  name: "SiteServer", dependencies: nio, path: "Tests/SiteServer", swiftSettings: settings)

/// `swift package celestra-admin ARGUMENTS`, for packages of apps: it runs the installed tool.
let commandPlugin = Target.plugin(
  name: "CelestraAdmin",
  capability: .command(
    intent: .custom(
      verb: "celestra-admin", description: "Run the installed celestra-admin in the package's folder."),
    permissions: [.writeToPackageDirectory(reason: "It writes the files that its arguments name.")]))

/// Connections that send what no HTTP client would.
let rawConnections = Target.target(
  name: "RawConnections", path: "Tests/RawConnections", swiftSettings: settings)

let testTargets: [Target] = [
  tests(of: "Platform", [systemPackage]),
  tests(of: "AppCode", ["Diagnostics", "SchemaLanguage"] + customDump),
  tests(of: "LanguageServer", ["Diagnostics", "SchemaLanguage", "Platform"]),
  tests(of: "Diagnostics", customDump),
  tests(of: "Cryptography", exclude: ["pem"]),
  tests(of: "HTTPTransport", ["CurlShim", "DemoFeeds", "HostileFeeds"]),
  tests(of: "XMLReading"),
  tests(of: "FeedParsing", ["Diagnostics", "FuzzPromises"]),
  tests(of: "DemoFeeds", ["HostileFeeds", "HTTPTransport"]),
  tests(of: "SchemaLanguage", ["Diagnostics", "FuzzPromises", "Platform"] + customDump),
  tests(of: "CloudKitModel", ["ContainerFaults", "LocalContainer", "SchemaLanguage"] + customDump),
  tests(
    of: "RecordChanges",
    [
      "CloudKitModel", "SchemaLanguage", "LocalContainer", "Platform", "Diagnostics",
      "ContainerFaults",
    ] + customDump),
  tests(
    of: "WebServicesWire", ["CloudKitModel", "Diagnostics", "Cryptography", "Platform"] + customDump),
  tests(
    of: "LocalContainer", ["CloudKitModel", "ContainerFaults", "Diagnostics", "SchemaLanguage", grdb]),
  tests(
    of: "CloudKitClient",
    [
      "CloudKitModel", "ContainerFaults", "HTTPTransport", "LocalContainer", "SchemaLanguage",
      "WebServicesWire", "Diagnostics", "Cryptography", logging,
    ] + customDump),
  tests(
    of: "CloudKitEmulator",
    [
      "CloudKitClient", "CloudKitModel", "HTTPTransport", "LocalContainer", "RecordChanges", "SchemaLanguage",
      "WebServicesWire", "Diagnostics", "Cryptography", "RawConnections",
    ] + customDump),
  tests(
    of: "Catalog",
    [
      "LocalContainer", "CloudKitModel", "ContainerFaults", "RecordChanges", "Diagnostics",
      "SchemaLanguage", "Platform",
    ]),
  tests(of: "FeedFetching", ["CloudKitModel", "HTTPTransport"]),
  tests(of: "FeedState", ["Catalog", "CloudKitModel", "ContainerFaults", "Diagnostics", "FeedFetching"]),
  tests(
    of: "Articles",
    [
      "Aggregates", "Catalog", "CloudKitModel", "ContainerFaults", "Cryptography", "Curation", "Diagnostics",
      "FeedFetching",
      "FeedHealth",
      "FeedParsing", "FeedState", "HTTPTransport", "LocalContainer", "RecordChanges", "Platform",
      "Reporting", "SchemaLanguage",
    ]),
  tests(
    of: "FeedHealth",
    [
      "Catalog", "LocalContainer", "CloudKitModel", "DemoFeeds", "Diagnostics", "ContainerFaults",
      "FeedFetching", "FeedParsing", "FeedState", "HostileFeeds", "HTTPTransport", "RecordChanges",
      "Platform",
    ],
    exclude: ["Run/verdicts.md"]),
  tests(
    of: "Aggregates",
    [
      "Catalog", "LocalContainer", "CloudKitModel", "RecordChanges", "SchemaLanguage", "Diagnostics",
      "Cryptography", "FeedState", "Platform",
    ]),
  tests(
    of: "Records",
    [
      "CloudKitModel", "ContainerFaults", "LocalContainer", "Diagnostics", "SchemaLanguage", "RecordChanges",
    ]),
  tests(
    of: "People",
    [
      "Catalog", "CloudKitModel", "ContainerFaults", "Cryptography", "Diagnostics", "LocalContainer",
      "RecordChanges",
      "SchemaLanguage",
    ]),
  tests(
    of: "Reporting",
    [
      "Catalog", "CloudKitModel", "ContainerFaults", "Cryptography", "Diagnostics", "FeedHealth", "FeedState",
      "LocalContainer", "RecordChanges", "SchemaLanguage",
    ]),
  tests(
    of: "WebConsole",
    [
      "CloudKitEmulator", "CloudKitModel", "Cryptography", "Diagnostics", "LocalContainer", "RawConnections",
      "RecordChanges", "SchemaLanguage",
    ]),
  tests(of: "CommandLine", ["Diagnostics", "HTTPTransport", argumentParser, logging]),
  tests(
    of: "Curation",
    [
      "Catalog", "LocalContainer", "CloudKitModel", "Diagnostics", "FeedParsing", "FuzzPromises",
      "HTTPTransport", "Platform", "RecordChanges", "SchemaLanguage", "SiteServer",
    ],
    exclude: ["Finding/Sites"]),
  tests(
    of: "AdminCommands",
    [
      "Catalog",
      "CloudKitModel", "CommandLine", "Cryptography", "Diagnostics", "FeedFetching", "FeedState",
      "RecordChanges", "Records", "SchemaLanguage", argumentParser,
    ],
    exclude: ["Snapshots"]),
  .testTarget(
    name: "ModelTests",
    dependencies: [
      "Aggregates", "Catalog", "CloudKitClient", "CloudKitEmulator", "CloudKitModel", "ContainerFaults",
      "Cryptography", "Curation", "Diagnostics", "HTTPTransport", "LocalContainer", "Platform",
      "RecordChanges",
      "SchemaLanguage", "WebServicesWire",
    ],
    path: "Tests/ModelTests",
    swiftSettings: settings),
  .testTarget(
    name: "Scenarios",
    dependencies: [
      "ContainerFaults", "DemoFeeds", "HostileFeeds", "Platform", "SiteServer", grdb, subprocess,
      systemPackage,
    ],
    path: "Tests/Scenarios",
    exclude: ["additive", "contract", "generated", "outputs", "scripts"],
    swiftSettings: settings),
]

// The fuzzer cannot be part of the ordinary package, because libFuzzer has to be linked into it from the toolchain (see
// Scripts/fuzz).
let exercised: Set = [
  "CLibXML2", "LibXML2Shim", "COpenSSL", "OpenSSLShim", "Diagnostics", "Cryptography",
  "XMLReading", "FeedParsing", "SchemaLanguage", "CloudKitModel", "WebServicesWire", "CCurl", "CurlShim",
  "CZlib", "Platform", "HTTPTransport", "RecordChanges", "Catalog", "Curation",
]
/// What the fuzzer checks and the tests check too, outside the product's modules.
let promises = Target.target(
  name: "FuzzPromises",
  dependencies: ["Catalog", "Curation", "Diagnostics", "FeedParsing", "SchemaLanguage"],
  path: "Tests/Fuzzing/Promises", swiftSettings: settings)
let fuzzer = [
  Target.systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
  .executableTarget(
    name: "celestra-fuzz",
    dependencies: ["CLibFuzzer", "CloudKitModel", "FuzzPromises", "Diagnostics", "WebServicesWire"],
    path: "Tests/Fuzzing/celestra-fuzz", swiftSettings: settings + (fuzzing == "smoke" ? fuzzerFlags : [])),
]

/// What Scripts/bench must measure within one process. Not a product.
let yardsticks = [
  Target.target(name: "EmptyParse", dependencies: ["CLibXML2"], path: "Scripts/yardsticks/EmptyParse"),
  .executableTarget(
    name: "celestra-yardsticks",
    dependencies: ["Cryptography", "EmptyParse", "FeedParsing", "Diagnostics"],
    path: "Scripts/yardsticks/Runner", swiftSettings: settings),
]

let package = Package(
  name: "celestra-admin",
  platforms: [.macOS(.v15)],
  products: isFuzzing
    ? []
    : [
      .executable(name: "celestra-admin", targets: ["celestra-admin"]),
      .plugin(name: "CelestraAdmin", targets: ["CelestraAdmin"]),
    ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", .upToNextMinor(from: "1.8.1"))
  ]
    + (isFuzzing
      ? []
      : [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", .upToNextMinor(from: "1.7.3")),
        .package(
          url: "https://github.com/pointfreeco/xctest-dynamic-overlay", .upToNextMinor(from: "1.13.0")),
        .package(
          url: "https://github.com/swiftlang/swift-subprocess", .upToNextMinor(from: "1.0.2"), traits: []),
      ]),
  targets: isFuzzing
    ? (foundations + containers + jobs).filter { exercised.contains($0.name) } + [promises] + fuzzer
    : foundations + containers + jobs + tool
      + [promises, containerFaults, hostileFeeds, rawConnections, siteServer, commandPlugin] + yardsticks
      + testTargets + (fuzzing == "smoke" ? fuzzer : []),
  swiftLanguageModes: [.v6])
