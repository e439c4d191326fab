import Diagnostics
import Foundation
import Testing

@testable import Catalog

/// One table of values, held against the loader and against the JSON Schemas that text editors use.
@Suite struct ValueTableTests {
  struct Value: Sendable, CustomTestStringConvertible {
    let kind: String
    let key: String
    /// As JSON.
    let text: String
    let isAccepted: Bool
    var testDescription: String { "\(kind) \(key): \(text)" }
  }

  private static func values(_ kind: String, _ key: String, _ isAccepted: Bool, json texts: [String])
    -> [Value]
  {
    texts.map { Value(kind: kind, key: key, text: $0, isAccepted: isAccepted) }
  }

  private static func values(_ kind: String, _ key: String, _ isAccepted: Bool, _ texts: [String]) -> [Value]
  {
    values(kind, key, isAccepted, json: texts.map { JSONValue.string($0).text() })
  }

  private static let addresses =
    ["feedURL", "siteURL", "imageURL"].flatMap { key in
      values(
        "feed", key, true,
        [
          "https://a.example", "http://a.example:8080/x?y=1#z", "HTTPS://A.example/%7Eann",
          "https://a.example/[x]", "https://a.example:/", "https://a.example/a(b)!*'~", "https://a.example.",
          "https://[::1]:8080/", "https://a.example:65535", "https://a.example:00080/",
        ])
        + values(
          "feed", key, false,
          [
            "ftp://a.example", "a.example", "https://", "https:///x", "https://user:word@a.example/",
            "https://a.example/<b>", "https://a.example/a b", "https://a.example/é", "https://é.example/",
            "https://[zz]/", "https://a.example/%zz", "https://a.example/%4", "https://a.example:+80/",
            "https://a.example:99999/", "https://a.example:0/", "https://x..example/", "https://.example/",
            "https://a.example/\"x\"", "https://a.example/a\\b", "https://a.example/{x}",
            "https://a.example/\n", "",
          ])
    }

  private static let texts =
    values("feed", "title", true, ["A", "日本", " a ", "a\tb", "a\nb", "\u{200F}שלום", "👩‍👩‍👧"])
    + values(
      "feed", "title", false, ["", " ", "\u{200B}\u{FEFF}", "a\rb", "a\u{85}b", "a\u{0}b", "\u{1B}[31m"])
    + values("feed", "subtitle", true, ["", "a", "\u{200B}"])
    + values("feed", "subtitle", false, ["a\rb", "a\u{85}", "\u{7F}"])
    + values("collection", "description", false, ["a\u{9F}"])
    + values("collection", "curatorName", true, ["Ann"])
    + values("category", "name", true, ["C"])
    + values("category", "name", false, ["", "\u{AD}", "\u{0}"])
    + values("category", "color", true, ["#0a0B0c"])
    + values("category", "color", false, ["#１２3456", "#１２", "#12345", "red", "#1234567"])
    + values("category", "description", false, ["\u{8}"])

  private static let names =
    values("feed", "slug", true, ["a", "a-b-1", "2"])
    + values("feed", "slug", false, ["", "A", "a--b", "-a", "a b", "é", String(repeating: "a", count: 65)])
    + values("feed", "recordName", true, ["a", "A_1~"])
    + values("feed", "recordName", false, ["", "_a", "a b", "é", String(repeating: "a", count: 256)])
    + values("feed", "differentFrom", true, json: [#"["f"]"#])
    + values("feed", "differentFrom", false, json: [#"["Not a slug"]"#, #"["f", "f"]"#])

  private static let tags = ["feed", "collection"].flatMap { kind in
    values(
      kind, "tags", true,
      json: [
        #"["swift"]"#, #"["日本"]"#, #"["c++", "école"]"#, "[]", "null",
        "[\"\(String(repeating: "a", count: 50))\"]", "[\"\(String(repeating: "e\u{301}", count: 25))\"]",
      ])
      + values(
        kind, "tags", false,
        json: [
          #"[""]"#, #"["Swift"]"#, #"["École"]"#, #"["İ"]"#, #"["ǅ"]"#, #"["Ⅷ"]"#, #"["a b"]"#, #"["a,b"]"#,
          #"["a\tb"]"#, #"["a\u0000b"]"#, #"["\u001B"]"#, #"["a\u0085b"]"#, #"["a", "a"]"#, "[null]", "[7]",
          "\"a\"",
          "[\"\(String(repeating: "a", count: 51))\"]", "[\"\(String(repeating: "e\u{301}", count: 50))\"]",
        ])
  }

  private static let others =
    values("category", "sortOrder", true, json: ["1", "1.0", "1e2", "-3", "9007199254740993", "null"])
    + values("category", "sortOrder", false, json: ["1.5", "1e30", "9223372036854775808", "\"1\"", "true"])
    + values("feed", "language", true, ["en", "EN", "en-US", "pt_BR", "zh-Hant-TW"])
    + values("feed", "language", false, ["", "english", "xx", "e", "-"])
    + values("feed", "isFeatured", true, json: ["true", "false", "null"])
    + values("feed", "isFeatured", false, json: ["1", "\"true\""])
    + values("feed", "isRetired", false, json: ["true"])
    + values("feed", "unknown", false, json: ["null", "1"])
    + values("feed", "title", false, json: ["null", "7"])
    + ["siteURL", "subtitle", "language", "recordName", "category", "retired", "replacedBy", "differentFrom"]
    .flatMap {
      values("feed", $0, true, json: ["null"])
    }
    + ["feed", "category", "collection"].flatMap { kind in
      values(kind, "$comment", true, json: ["\"why\"", "{\"x\": [1]}"])
    }
    + ["feed": CatalogRecordType.publicFeed, "collection": CatalogRecordType.feedCollection].flatMap {
      kind, type in
      FieldOwnership.owners(in: type).filter { $0.value != .editorial }.flatMap { field, _ in
        values(kind, field, true, json: ["7", "\"x\"", "null"])
      }
    }

  @Test("loader and JSON Schema agree", arguments: addresses + texts + names + tags + others)
  func agree(_ value: Value) throws {
    var members = [
      "feed": ["slug": "\"x\"", "title": "\"A\"", "feedURL": "\"https://x.example/\""],
      "category": ["slug": "\"c\"", "name": "\"C\""],
      "collection": ["slug": "\"x\"", "title": "\"A\"", "feeds": "[\"f\"]"],
    ]
    members[value.kind]?[value.key] = value.text
    func object(_ kind: String) -> String {
      let list = (members[kind] ?? [:]).sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
      return "{\(list.joined(separator: ", "))}"
    }
    var files = [
      "categories.json": "{\"categories\": [\(object("category"))]}",
      "feeds/a.json":
        #"{"category": "c", "feeds": [{"slug": "f", "title": "F", "feedURL": "https://f.example/"}]}"#,
    ]
    let changed = ["feed": "feeds/b.json", "category": "categories.json", "collection": "collections/b.json"]
    let path = try #require(changed[value.kind])
    if value.kind == "feed" { files[path] = "{\"category\": \"c\", \"feeds\": [\(object("feed"))]}" }
    if value.kind == "collection" { files[path] = object("collection") }
    let errors = try SeedFolder(files).load().diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty == value.isAccepted, "the loader: \(errors.map(\.message))")

    let schemas = ["feed": "feeds", "category": "categories", "collection": "collection"]
    let schema = try EditorSchema(try #require(schemas[value.kind]))
    let document = try JSONValue(parsing: Array(try #require(files[path]).utf8))
    #expect(try schema.accepts(document) == value.isAccepted, "the JSON Schema")
  }

  @Test("a number beyond 64 bits is called one", arguments: ["9223372036854775808", "-9223372036854775809"])
  func numbers(_ number: String) throws {
    let folder = try SeedFolder([
      "categories.json":
        "{\"categories\": [{\"slug\": \"c\", \"name\": \"C\", \"sortOrder\": \(number)}]}"
    ])
    let error = folder.load().diagnostics.first { $0.severity == .error }
    #expect(error?.message.contains("beyond 64 bits") == true)
  }

  @Test("the name of the container's field is no key of the seeds, and the key is suggested")
  func fieldNames() throws {
    let folder = try SeedFolder([
      "categories.json": #"{"categories": [{"slug": "c", "name": "C"}]}"#,
      "feeds/a.json":
        #"{"category": "c", "feeds": [{"title": "F", "feedURL": "https://f.example/", "isRetired": true}]}"#,
    ])
    let finding = folder.load().diagnostics.first
    #expect(finding?.code == "SE0203")
    #expect(finding?.help == "Did you mean 'retired'?")
  }

  @Test("a file without a category needs one for each feed", arguments: ["", #""category": null, "#])
  func fileCategory(_ start: String) throws {
    let feed = #""title": "F", "feedURL": "https://f.example/""#
    for (members, isAccepted) in [
      (feed, false), (feed + #", "category": "c""#, true), (feed + #", "category": null"#, false),
    ] {
      let text = "{\(start)\"feeds\": [{\(members)}]}"
      let folder = try SeedFolder([
        "categories.json": #"{"categories": [{"slug": "c", "name": "C"}]}"#, "feeds/a.json": text,
      ])
      #expect(folder.load().diagnostics.contains { $0.severity == .error } != isAccepted, "\(text)")
      #expect(
        try EditorSchema("feeds").accepts(JSONValue(parsing: Array(text.utf8))) == isAccepted, "\(text)")
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
