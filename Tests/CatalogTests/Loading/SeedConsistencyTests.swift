import Diagnostics
import Testing

@testable import Catalog

/// Seeds and all that is wrong between them, as `LINE:COLUMN MESSAGE | HELP`.
struct ConsistencyCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let files: [String: String]
  let findings: [String]

  /// Categories without names, one a line; the first is on line 2.
  static func categories(_ name: String, _ members: [String], _ findings: [String]) -> ConsistencyCase {
    let entries = members.enumerated().map { "{\"name\": \"N\($0.offset)\", \($0.element)}" }
    return ConsistencyCase(
      testDescription: name,
      files: ["categories.json": "{\"categories\": [\n\(entries.joined(separator: ",\n"))]}"],
      findings: findings)
  }

  /// Feeds without titles, one a line; the first is on line 2.
  static func feeds(
    _ name: String, _ members: [String], collection: String? = nil, _ findings: [String]
  ) -> ConsistencyCase {
    let entries = members.enumerated().map { "{\"title\": \"T\($0.offset)\", \($0.element)}" }
    var files = [
      "categories.json": "{\"categories\": [{\"slug\": \"c\", \"name\": \"C\"}]}",
      "feeds/a.json": "{\"category\": \"c\", \"feeds\": [\n\(entries.joined(separator: ",\n"))]}",
    ]
    files["collections/a.json"] = collection.map {
      "{\"slug\": \"k\", \"title\": \"K\",\n\"feeds\": \($0)}"
    }
    return ConsistencyCase(testDescription: name, files: files, findings: findings)
  }
}

@Suite("Seeds against each other") struct SeedConsistencyTests {
  private func findings(_ files: [String: String]) throws -> [String] {
    try SeedFolder(files).load().diagnostics.map {
      let place = $0.range.map { "\($0.start.line):\($0.start.column) " } ?? ""
      return place + $0.message + ($0.help.map { " | \($0)" } ?? "")
    }
  }

  @Test(
    "a circle of parents is reported once, at its first member, without what leads into it",
    arguments: [
      ConsistencyCase.categories(
        "a chain",
        [
          #""slug": "a", "parentCategory": "b""#, #""slug": "b", "parentCategory": "c""#, #""slug": "c""#,
          #""slug": "d", "parentCategory": "b""#,
        ], []),
      .categories(
        "three in a circle",
        [
          #""slug": "a", "parentCategory": "b""#, #""slug": "b", "parentCategory": "c""#,
          #""slug": "c", "parentCategory": "a""#,
        ], ["2:47 the category 'a' is its own ancestor: a > b > c > a"]),
      .categories(
        "a way into a circle",
        [
          #""slug": "x", "parentCategory": "a""#, #""slug": "a", "parentCategory": "b""#,
          #""slug": "b", "parentCategory": "a""#,
        ], ["3:47 the category 'a' is its own ancestor: a > b > a"]),
      .categories(
        "two circles",
        [#""slug": "a", "parentCategory": "a""#, #""slug": "b", "parentCategory": "b""#],
        [
          "2:47 the category 'a' is its own ancestor: a > a",
          "3:47 the category 'b' is its own ancestor: b > b",
        ]),
      .categories(
        "a parent that is missing, with one spelled alike",
        [#""slug": "news""#, #""slug": "b", "parentCategory": "mews""#],
        ["3:47 category 'mews' not found | Did you mean 'news'?"]),
    ])
  func parents(_ example: ConsistencyCase) throws {
    let found = try findings(example.files)
    #expect(found == example.findings)
  }

  @Test(
    "what replaces a feed is another feed that is not retired, and collections list no retired one",
    arguments: [
      ConsistencyCase.feeds(
        "itself", [#""slug": "a", "feedURL": "https://a.b/", "replacedBy": "a""#],
        ["2:71 the feed 'a' cannot replace itself"]),
      .feeds(
        "another",
        [
          #""slug": "a", "feedURL": "https://a.b/", "replacedBy": "b""#,
          #""slug": "b", "feedURL": "https://b.b/""#,
        ], collection: #"["b"]"#, []),
      .feeds(
        "one that is retired without a replacement",
        [
          #""slug": "a", "feedURL": "https://a.b/", "replacedBy": "b""#,
          #""slug": "b", "feedURL": "https://b.b/", "retired": true"#,
        ], ["2:71 the replacement 'b' is retired, too"]),
      .feeds(
        "one that is replaced itself",
        [
          #""slug": "a", "feedURL": "https://a.b/", "replacedBy": "b""#,
          #""slug": "b", "feedURL": "https://b.b/", "replacedBy": "c""#,
          #""slug": "c", "feedURL": "https://c.b/""#,
        ], ["2:71 the replacement 'b' is retired, too | Did you mean 'c', which replaces it?"]),
      .feeds(
        "one that is missing, spelled like the feed itself and like a retired one",
        [
          #""slug": "f0", "feedURL": "https://a.b/", "replacedBy": "f00""#,
          #""slug": "f01", "feedURL": "https://b.b/", "retired": true"#,
        ], ["2:72 feed 'f00' not found"]),
      .feeds(
        "one that is missing",
        [
          #""slug": "first", "feedURL": "https://a.b/", "replacedBy": "secund""#,
          #""slug": "second", "feedURL": "https://b.b/""#,
        ], ["2:75 feed 'secund' not found | Did you mean 'second'?"]),
      .feeds(
        "retired feeds in a collection",
        [
          #""slug": "a", "feedURL": "https://a.b/", "replacedBy": "c""#,
          #""slug": "b", "feedURL": "https://b.b/", "retired": true"#,
          #""slug": "c", "feedURL": "https://c.b/""#,
        ], collection: #"["a", "b", "c"]"#,
        [
          "2:11 the feed 'a' is retired, so a collection must not list it | List 'c', which replaces it.",
          "2:16 the feed 'b' is retired, so a collection must not list it | Remove it from the collection.",
        ]),
      .feeds(
        "a replacement that is not retired yet",
        [
          #""slug": "a", "feedURL": "https://a.b/", "replacedBy": "b", "retired": false"#,
          #""slug": "b", "feedURL": "https://b.b/""#,
        ], collection: #"["a"]"#, []),
    ])
  func retirement(_ example: ConsistencyCase) throws {
    let found = try findings(example.files)
    #expect(found == example.findings)
  }

  @Test(
    "feeds of almost the same address are reported, unless one names the other or is retired",
    arguments: [
      ConsistencyCase.feeds(
        "alike",
        [
          #""slug": "a", "feedURL": "https://a.b/feed""#, #""slug": "b", "feedURL": "http://www.a.b/feed/""#,
        ],
        [
          "3:41 'b' has almost the same address as 'a' | Merge them, or add \"differentFrom\": [\"a\"] if they "
            + "are different feeds."
        ]),
      .feeds(
        "the later names the earlier",
        [
          #""slug": "a", "feedURL": "https://a.b/feed""#,
          #""slug": "b", "feedURL": "http://a.b/feed", "differentFrom": ["a"]"#,
        ], []),
      .feeds(
        "the earlier names the later",
        [
          #""slug": "a", "feedURL": "https://a.b/feed", "differentFrom": ["b"]"#,
          #""slug": "b", "feedURL": "http://a.b/feed""#,
        ], []),
      .feeds(
        "one is retired",
        [
          #""slug": "a", "feedURL": "https://a.b/feed", "retired": true"#,
          #""slug": "b", "feedURL": "http://a.b/feed""#,
        ], []),
      .feeds(
        "the same address is reported as that only",
        [
          #""slug": "a", "feedURL": "https://a.b/feed""#, #""slug": "b", "feedURL": "HTTPS://A.b/feed""#,
        ], ["3:41 the feed URL 'https://a.b/feed' is declared twice"]),
    ])
  func addresses(_ example: ConsistencyCase) throws {
    let found = try findings(example.files)
    #expect(found == example.findings)
  }

  @Test(
    "record names are unique across types, and a category's slug is one",
    arguments: [
      ConsistencyCase.feeds(
        "a feed with the slug of a category",
        [#""slug": "a", "feedURL": "https://a.b/", "recordName": "c""#],
        ["2:71 the record name 'c' is declared twice"]),
      .feeds(
        "two feeds and a third",
        [
          #""slug": "a", "feedURL": "https://a.b/", "recordName": "r""#,
          #""slug": "b", "feedURL": "https://b.b/", "recordName": "r""#,
          #""slug": "d", "feedURL": "https://d.b/", "recordName": "r""#,
        ],
        ["3:71 the record name 'r' is declared twice", "4:71 the record name 'r' is declared twice"]),
      .categories(
        "a category's own record name frees its slug",
        [#""slug": "a", "recordName": "b""#, #""slug": "d", "recordName": "a""#], []),
      .categories(
        "a category with the slug of another as its record name",
        [#""slug": "a""#, #""slug": "b", "recordName": "a""#],
        ["3:43 the record name 'a' is declared twice"]),
      .categories(
        "a repeated slug is reported as that only", [#""slug": "a""#, #""slug": "a""#],
        ["3:24 the category slug 'a' is declared twice"]),
    ])
  func recordNames(_ example: ConsistencyCase) throws {
    let found = try findings(example.files)
    #expect(found == example.findings)
  }

  @Test(
    "a collection lists each feed once, and only feeds that exist",
    arguments: [
      ConsistencyCase.feeds(
        "twice and thrice", [#""slug": "a", "feedURL": "https://a.b/""#], collection: #"["a", "a", "a"]"#,
        [
          "2:16 the feed 'a' is listed twice in this collection",
          "2:21 the feed 'a' is listed twice in this collection",
        ]),
      .feeds(
        "a missing one, twice", [#""slug": "alpha", "feedURL": "https://a.b/""#],
        collection: #"["alpa", "alpa"]"#,
        [
          "2:11 feed 'alpa' not found | Did you mean 'alpha'?",
          "2:19 the feed 'alpa' is listed twice in this collection",
        ]),
    ])
  func collections(_ example: ConsistencyCase) throws {
    let found = try findings(example.files)
    #expect(found == example.findings)
  }

  @Test("the first fifty mistakes get a suggested spelling")
  func suggestions() throws {
    let wrong = (0..<52).map { "\"alpha\($0)\"" }.joined(separator: ", ")
    let example = ConsistencyCase.feeds(
      "", [#""slug": "alphas", "feedURL": "https://a.b/""#], collection: "[\(wrong)]", [])
    let helps = try SeedFolder(example.files).load().diagnostics.map(\.help)
    #expect(helps.count == 52)
    #expect(helps[0] == "Did you mean 'alphas'?" && helps[49] == "Did you mean 'alphas'?")
    #expect(helps[50] == nil && helps[51] == nil)
  }

  @Test(
    "a member of the wrong form is reported with what it must be, and what it is",
    arguments: [
      (#""language": 1"#, "'language' must be a string, not a number"),
      (#""language": null"#, nil),
      (#""isFeatured": "yes""#, "'isFeatured' must be true or false, not a string"),
      (#""tags": "a""#, "'tags' must be a list, not a string"),
      (#""tags": [true]"#, "an element of 'tags' must be a string, not true or false"),
      (#""subtitle": "e\u0301""#, "'subtitle' is stored in composed form (Unicode NFC), as 'é'"),
      (#""subtitle": "é""#, nil),
      (#""tags": ["e\u0301"]"#, "an element of 'tags' is stored in composed form (Unicode NFC), as 'é'"),
      (#""$comment": 1"#, nil),
      (#""langage": "en""#, "a feed has no key 'langage'"),
    ] as [(String, String?)])
  func members(_ member: String, _ message: String?) throws {
    let example = ConsistencyCase.feeds("", [#""slug": "a", "feedURL": "https://a.b/", \#(member)"#], [])
    #expect(try SeedFolder(example.files).load().diagnostics.map(\.message) == [message].compactMap(\.self))
  }

  @Test(
    "a title is needed, and must have something to see",
    arguments: [
      ("", "a feed needs 'title'"),
      (#""title": null, "#, "a feed needs 'title'"),
      (#""title": "", "#, "'title' is blank"),
      (#""title": " \t", "#, "'title' is blank"),
      (#""title": "\u200b", "#, "'title' is blank"),
      (#""title": "!", "#, nil),
      (#""title": "\u00a0é", "#, nil),
    ] as [(String, String?)])
  func titles(_ title: String, _ message: String?) throws {
    let files = [
      "categories.json": "{\"categories\": [{\"slug\": \"c\", \"name\": \"C\"}]}",
      "feeds/a.json":
        "{\"category\": \"c\", \"feeds\": [{\(title)\"slug\": \"a\", \"feedURL\": \"https://a.b/\"}]}",
    ]
    #expect(try SeedFolder(files).load().diagnostics.map(\.message) == [message].compactMap(\.self))
  }
}
