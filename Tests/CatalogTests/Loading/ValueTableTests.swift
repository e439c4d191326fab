import Catalog
import Diagnostics
import Foundation
import Testing

/// One table of values, held against the loader and against the patterns of the JSON Schemas that text editors use.
@Suite struct ValueTableTests {
  struct Value: Sendable, CustomTestStringConvertible {
    let field: String
    let text: String
    let isAccepted: Bool
    var testDescription: String { "\(field) \(text)" }
  }

  private static func values(_ field: String, _ isAccepted: Bool, _ texts: [String]) -> [Value] {
    texts.map { Value(field: field, text: $0, isAccepted: isAccepted) }
  }

  private static let table =
    values(
      "feedURL", true,
      [
        "https://a.example", "http://a.example:8080/x?y=1#z", "HTTPS://A.example/%7Eann",
        "https://a.example/[x]",
        "https://a.example:/", "https://a.example/a(b)!*'~",
      ])
    + values(
      "feedURL", false,
      [
        "ftp://a.example", "a.example", "https://", "https://user:word@a.example/", "https://a.example/<b>",
        "https://a.example/a b", "https://a.example/é", "https://[zz]/", "https://a.example/%zz",
        "https://a.example/%4",
        "https://a.example:+80/", "https://a.example/\"x\"", "https://a.example/a\\b",
        "https://a.example/{x}",
      ])
    + values("slug", true, ["a", "a-b-1", "2"]) + values("slug", false, ["", "A", "a--b", "-a", "a b", "é"])
    + values("recordName", true, ["a", "A_1~"]) + values("recordName", false, ["", "_a", "a b", "é"])
    + values("tags", true, ["swift", "日本", "c++"])
    + values("tags", false, ["", "Swift", "a b", "a,b", "a\tb"])

  @Test("loader and JSON Schema agree", arguments: table)
  func agree(_ value: Value) throws {
    let text = JSONValue.string(value.text).text()
    var members = ["slug": "\"x\"", "title": "\"A\"", "feedURL": "\"https://x.example/\""]
    members[value.field] = value.field == "tags" ? "[\(text)]" : text
    let feed = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
    let folder = try SeedFolder([
      "categories.json": #"{"categories": [{"slug": "c", "name": "C"}]}"#,
      "feeds/a.json": "{\"category\": \"c\", \"feeds\": [{\(feed)}]}",
    ])
    let errors = folder.load().diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty == value.isAccepted, "the loader: \(errors.map(\.message))")
    #expect(try Self.schemaAccepts(value) == value.isAccepted, "the JSON Schema")
  }

  private static func schemaAccepts(_ value: Value) throws -> Bool {
    let file = RepositoryFile.seeds.appending(path: "schemas/feeds.schema.json")
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    var node: Any? = root
    for key in ["properties", "feeds", "items", "properties", value.field] {
      node = (node as? [String: Any])?[key]
    }
    if value.field == "tags" { node = (node as? [String: Any])?["items"] }
    let rules = try #require(node as? [String: Any])
    let pattern = try NSRegularExpression(pattern: try #require(rules["pattern"] as? String))
    let range = NSRange(value.text.startIndex..., in: value.text)
    let longEnough = value.text.count >= rules["minLength"] as? Int ?? 0
    return longEnough && pattern.firstMatch(in: value.text, range: range) != nil
  }

  @Test(
    "a whole number may be written as any JSON number",
    arguments: [
      ("1.0", true), ("1e2", true), ("-3", true), ("1.5", false), ("1e30", false),
      ("9223372036854775808", false),
    ])
  func numbers(_ number: String, _ isAccepted: Bool) throws {
    let folder = try SeedFolder([
      "categories.json": "{\"categories\": [{\"slug\": \"c\", \"name\": \"C\", \"sortOrder\": \(number)}]}"
    ])
    let errors = folder.load().diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty == isAccepted)
    if number.count > 10 { #expect(errors.first?.message.contains("beyond 64 bits") == true) }
  }

  @Test("a name of nothing visible is blank, and a color has ASCII digits")
  func invisible() throws {
    for category in [
      #""name": "\u200B\uFEFF""#, ##""name": "C", "color": "#１２3456""##, ##""name": "C", "color": "#１２""##,
    ] {
      let folder = try SeedFolder(["categories.json": "{\"categories\": [{\"slug\": \"c\", \(category)}]}"])
      #expect(folder.load().catalog == nil, "\(category)")
    }
  }

  @Test("a record name is unique across categories, feeds and collections")
  func recordNames() throws {
    var files = SeedFolder.sound
    files["feeds/extra.json"] =
      #"{"category": "apple", "feeds": [{"title": "A", "feedURL": "https://a.example/", "recordName": "technology"}]}"#
    let findings = try SeedFolder(files).load().diagnostics
    #expect(findings.map(\.code) == ["SE0404"])
    files["feeds/extra.json"] = nil
    files["collections/best.json"] =
      #"{"slug": "best", "title": "Best", "recordName": "apple", "feeds": ["six-colors"]}"#
    #expect(try SeedFolder(files).load().diagnostics.map(\.code) == ["SE0404"])
  }
}
