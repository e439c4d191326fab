import Foundation
import Testing

/// The code of Documentation/reference/subscriptions.md, as the page shows it, makes the names of the page's table.
@Suite struct SubscriptionNameTests {
  private let page: String

  init() throws {
    page = try String(
      contentsOf: projectRoot.appending(path: "Documentation/reference/subscriptions.md"), encoding: .utf8)
  }

  @Test("the shell code makes the names of the table")
  func shell() async throws {
    let calls = vectors.map { "subscription_name '\($0.feed)' '\($0.user)'\n" }.joined()
    try await check(files: ["names.sh": try code("sh") + calls], run: "sh names.sh")
  }

  @Test(
    "the TypeScript code compiles, and makes the names of the table",
    .enabled(if: Self.path(of: "tsc") != nil && Self.path(of: "node") != nil, "needs tsc and node"))
  func typeScript() async throws {
    let (tsc, node) = (try #require(Self.path(of: "tsc")), try #require(Self.path(of: "node")))
    let calls = vectors.map { "  console.log(await subscriptionName('\($0.feed)', '\($0.user)'))\n" }.joined()
    try await check(
      files: ["names.ts": try code("typescript") + "async function main() {\n\(calls)}\nmain()\n"],
      run: "'\(tsc)' --strict --target es2022 --lib es2022,dom names.ts && '\(node)' names.js")
  }

  @Test(
    "the Swift code compiles, and makes the names of the table",
    .enabled(if: Self.path(of: "swiftc") != nil, "needs swiftc"))
  func swift() async throws {
    let swiftc = try #require(Self.path(of: "swiftc"))
    let calls = vectors.map { "print(subscriptionName(feed: \"\($0.feed)\", user: \"\($0.user)\"))\n" }
      .joined()
    var files = ["main.swift": try code("swift") + calls]
    var build = "'\(swiftc)' main.swift -o names"
    #if !canImport(CryptoKit)
      // CryptoKit is a part of Apple's systems. Elsewhere the same call is computed by OpenSSL.
      files["CryptoKit.swift"] = Self.otherCryptoKit
      files["openssl/module.modulemap"] =
        "module OpenSSL { header \"/usr/include/openssl/sha.h\" link \"crypto\" }"
      build =
        "'\(swiftc)' -I openssl -parse-as-library -emit-module -emit-library -static -module-name CryptoKit CryptoKit.swift"
        + " && '\(swiftc)' -I . -I openssl main.swift -L . -lCryptoKit -lcrypto -o names"
    #endif
    try await check(files: files, run: "\(build) && ./names")
  }

  private static let otherCryptoKit = """
    import Foundation
    internal import OpenSSL

    public enum SHA256 {
      public static func hash(data: Data) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = OpenSSL.SHA256(Array(data), data.count, &digest)
        return digest
      }
    }
    """

  // MARK: The page

  private struct Vector {
    let feed: String
    let user: String
    let name: String
  }

  private var vectors: [Vector] {
    page.matches(of: /\| `([^`]+)` \| `([^`]+)` \| `([0-9a-f]{64})` \|/).map {
      Vector(feed: String($0.1), user: String($0.2), name: String($0.3))
    }
  }

  private func code(_ language: String) throws -> String {
    let parts = page.components(separatedBy: "```\(language)\n")
    try #require(parts.count == 2)
    return try #require(parts[1].components(separatedBy: "```\n").first)
  }

  private func check(files: [String: String], run line: String) async throws {
    try #require(vectors.count == 3)
    try await withScratchFolder { folder in
      for (path, text) in files {
        let file = URL(filePath: folder).appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let outcome = try await Tool(directory: folder).shell(line)
      #expect(outcome.out.split(separator: "\n").map(String.init) == vectors.map(\.name), "\(outcome.err)")
    }
  }

  /// Where a program is. The scenarios' shell has a shorter search path than the test.
  private static func path(of program: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
