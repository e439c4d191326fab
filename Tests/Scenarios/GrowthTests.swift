import Foundation
import Testing

/// The time of a command grows with the size of its input, whatever the input repeats.
@Suite struct GrowthTests {
  /// An input of any size.
  struct Shape: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The smaller size; the larger one has four times as many parts.
    var count: Int
    /// The command, for which the input is `input`.
    var command: String
    var text: @Sendable (_ count: Int) -> String
  }

  private static let factor = 4
  /// Four times the input takes 4 times as long where time grows with the input, 16 times where it grows with the
  /// square. The middle leaves both room: processor time varies by a third beside other tests.
  private static let limit = 8.0

  @Test("schemas", arguments: schemas)
  func schema(_ shape: Shape) async throws { try await expectLinear(shape) }

  @Test("feeds and pages", arguments: feeds)
  func feed(_ shape: Shape) async throws { try await expectLinear(shape) }

  @Test(
    "seed folders with many feeds and with many files",
    arguments: [
      "seed validate s", "seed plan s", "seed format s --check", "seed export s", "seed duplicates s",
    ],
    [true, false])
  func seeds(_ command: String, isManyFiles: Bool) async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      func time(_ count: Int) async throws -> Double {
        try? FileManager.default.removeItem(atPath: "\(folder)/s")
        for (path, text) in Self.seedFiles(count, isManyFiles: isManyFiles) {
          try Scenario.File(path: "s/\(path)", text: text).write(in: folder)
        }
        return try await cpuTime(command, tool)
      }
      #expect(try await tool.run(["container", "init", "--schema", "schema/celestra.ckdb"]).status == 0)
      let small = try await time(500)
      let large = try await time(500 * Self.factor)
      #expect(large < max(small, 0.05) * Self.limit, "\(small) and \(large) s")
    }
  }

  private static func seedFiles(_ count: Int, isManyFiles: Bool) -> [(path: String, text: String)] {
    let feeds = (0..<count).map {
      #"{"slug": "f\#($0)", "title": "Feed \#($0)", "feedURL": "https://h\#($0).example/feed"}"#
    }
    let files = isManyFiles ? feeds.map { [$0] } : [feeds]
    return [("categories.json", #"{"categories": [{"slug": "news", "name": "News"}]}"#)]
      + files.enumerated().map { number, feeds in
        ("feeds/f\(number).json", #"{"category": "news", "feeds": [\#(feeds.joined(separator: ",\n"))]}"#)
      }
  }

  /// Compares processor time, which other programs of the machine do not lengthen much.
  private func expectLinear(_ shape: Shape) async throws {
    try await withScratchFolder { folder in
      func time(_ count: Int) async throws -> Double {
        try shape.text(count).write(toFile: "\(folder)/input", atomically: true, encoding: .utf8)
        return try await cpuTime(shape.command, Tool(directory: folder))
      }
      let small = try await time(shape.count)
      let large = try await time(shape.count * Self.factor)
      #expect(large < max(small, 0.05) * Self.limit, "\(small) and \(large) s")
    }
  }

  private func cpuTime(_ command: String, _ tool: Tool) async throws -> Double {
    let run = try await tool.shell("celestra-admin \(command) > out 2> err; times")
    let errors = try String(contentsOfFile: "\(tool.directory)/err", encoding: .utf8)
    #expect(!errors.contains("Usage:") && !errors.contains("cannot read"), "\(errors.prefix(500))")
    // The second line has the time of the children: 0m0.12s 0m0.03s
    let line = try #require(run.out.split(separator: "\n").last)
    let parts = line.matches(of: /(\d+)m([\d.]+)s/)
    try #require(parts.count == 2, "\(run.out)")
    return parts.reduce(0) { $0 + (Double($1.1) ?? 0) * 60 + (Double($1.2) ?? 0) }
  }
}

private func many(_ count: Int, _ part: (Int) -> String) -> String {
  "DEFINE SCHEMA\n" + (0..<count).map(part).joined()
}

extension GrowthTests {
  private static let lint = "schema lint input"

  fileprivate static func type(_ lines: (Int) -> String, _ count: Int) -> String {
    "DEFINE SCHEMA\nRECORD TYPE T (\n" + (0..<count).map(lines).joined() + "GRANT READ TO \"_world\"\n);\n"
  }

  static let schemas = [
    Shape(testDescription: "types in a guide", count: 2000, command: "schema docs input --output docs.md") {
      many($0) { "RECORD TYPE T\($0) (\n a\($0) STRING QUERYABLE,\n GRANT READ TO \"_world\"\n);\n" }
    },
    Shape(testDescription: "types", count: 500, command: lint) {
      many($0) { "RECORD TYPE T\($0) (\n a STRING,\n GRANT READ TO \"_world\"\n);\n" }
    },
    Shape(
      testDescription: "types that are compared with none", count: 500,
      command: "schema diff schema/celestra.ckdb input"
    ) {
      many($0) { "RECORD TYPE T\($0) (\n a STRING\n);\n" }
    },
    Shape(testDescription: "fields", count: 1000, command: lint) {
      type({ "f\($0) STRING QUERYABLE,\n" }, $0)
    },
    Shape(testDescription: "roles", count: 500, command: lint) { many($0) { "CREATE ROLE R\($0);\n" } },
    Shape(testDescription: "grants", count: 500, command: lint) {
      many($0) { "CREATE ROLE R\($0);\n" } + "RECORD TYPE T (\n"
        + (0..<$0).map { "GRANT READ TO R\($0)" }.joined(separator: ",\n") + "\n);\n"
    },
    Shape(testDescription: "comments", count: 5000, command: lint) { type({ "// comment \($0)\n" }, $0) },
    Shape(testDescription: "one type twice", count: 500, command: lint) {
      many($0) { _ in "RECORD TYPE T (\n a STRING\n);\n" }
    },
    Shape(testDescription: "errors", count: 500, command: "schema validate input") {
      type({ "f\($0) STRNG,\n" }, $0)
    },
    Shape(testDescription: "one long name", count: 50_000, command: "schema validate input") {
      "DEFINE SCHEMA\nRECORD TYPE \(String(repeating: "a", count: $0)) (\n a STRING\n);\n"
    },
    Shape(testDescription: "one line", count: 1000, command: "schema format input --check") {
      type({ "f\($0) STRING, " }, $0).replacing("\n", with: " ")
    },
  ]

  private static let inspect = "feed inspect input"

  private static func rss(_ text: String) -> String {
    "<rss version='2.0'><channel><title>T</title>\(text)</channel></rss>"
  }

  private static func repeated(_ count: Int, _ part: (Int) -> String) -> String {
    (0..<count).map(part).joined()
  }

  static let feeds = [
    Shape(testDescription: "items", count: 2000, command: inspect) {
      rss(
        repeated($0) { "<item><guid>\($0)</guid><title>t</title><link>http://a.example/\($0)</link></item>" })
    },
    Shape(testDescription: "items with one id", count: 2000, command: inspect) {
      rss(repeated($0) { _ in "<item><guid>1</guid></item>" })
    },
    Shape(testDescription: "entries", count: 1500, command: inspect) {
      "<feed xmlns='http://www.w3.org/2005/Atom'>" + repeated($0) { "<entry><id>\($0)</id></entry>" }
        + "</feed>"
    },
    Shape(testDescription: "items of a JSON Feed", count: 2000, command: inspect) {
      #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"x"}\#(repeated($0) { #",{"id":"\#($0)"}"# })]}"#
    },
    Shape(testDescription: "categories of an item", count: 5000, command: inspect) {
      rss("<item>" + repeated($0) { "<category>c\($0)</category>" } + "</item>")
    },
    Shape(testDescription: "unknown elements", count: 5000, command: inspect) {
      rss(repeated($0) { _ in "<x/>" })
    },
    Shape(testDescription: "attributes", count: 500, command: inspect) {
      rss("<item " + repeated($0) { " a\($0)='b'" } + "/>")
    },
    Shape(testDescription: "namespaces", count: 100, command: inspect) {
      rss(repeated($0) { "<n\($0):x xmlns:n\($0)='urn:\($0)'/>" })
    },
    Shape(testDescription: "references", count: 20_000, command: inspect) {
      rss("<title>" + repeated($0) { _ in "&amp;" } + "</title>")
    },
    Shape(testDescription: "comments", count: 10_000, command: inspect) {
      rss(repeated($0) { _ in "<!-- c -->" })
    },
    Shape(testDescription: "sections of text", count: 5000, command: inspect) {
      rss("<description>" + repeated($0) { _ in "<![CDATA[a]]>" } + "</description>")
    },
    Shape(testDescription: "a long title", count: 750_000, command: inspect) {
      rss("<item><title>" + String(repeating: "t", count: $0) + "</title></item>")
    },
    Shape(testDescription: "tags in a text", count: 10_000, command: inspect) {
      rss("<item><description>" + repeated($0) { _ in "&lt;b>" } + "</description></item>")
    },
    Shape(testDescription: "tags that are not closed", count: 5000, command: inspect) {
      rss(repeated($0) { _ in "<item><title>" })
    },
    Shape(testDescription: "enclosures", count: 5000, command: inspect) {
      rss(
        "<item>" + repeated($0) { "<enclosure url='http://a.example/\($0)' type='audio/mpeg' length='1'/>" }
          + "</item>")
    },
  ]
}
