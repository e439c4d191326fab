import Catalog
import CloudKitModel
import Diagnostics
import Testing

/// A fault put into the sound seeds, and where it must be found.
struct RuleFixture: Sendable, CustomTestStringConvertible {
  let rule: SeedRule
  let files: [String: String]
  /// The place, without the code; `nil` for a finding without one.
  let place: String?

  init(_ rule: SeedRule, _ file: String, _ text: String, at place: String?) {
    self.rule = rule
    files = [file: text]
    self.place = place
  }

  var testDescription: String { "\(rule.rawValue) \(files.keys.sorted())" }

  static func feed(_ rule: SeedRule, _ members: String, at column: Int) -> RuleFixture {
    RuleFixture(
      rule, "feeds/extra.json", "{\"category\": \"apple\", \"feeds\": [\n{\(members)}]}",
      at: "feeds/extra.json:2:\(column)")
  }

  static func category(_ rule: SeedRule, _ members: String, at column: Int) -> RuleFixture {
    let sound = """
      {"categories": [{"slug": "technology", "name": "Technology"}, {"slug": "apple", "name": "Apple"},
      {\(members)}]}
      """
    return RuleFixture(rule, "categories.json", sound, at: "categories.json:2:\(column)")
  }

  static func collection(_ rule: SeedRule, _ members: String, at column: Int) -> RuleFixture {
    RuleFixture(
      rule, "collections/extra.json", "{\(members)}", at: "collections/extra.json:1:\(column)")
  }

  static let all: [RuleFixture] = [
    RuleFixture(.invalidJSON, "feeds/extra.json", "{\"feeds\": [\n  {,}]}", at: "feeds/extra.json:2:4"),
    RuleFixture(.invalidJSON, "feeds/extra.json", "[]", at: "feeds/extra.json:1:1"),
    RuleFixture(.unexpectedFile, "feed.json", "{}", at: nil),
    feed(.wrongType, #""title": 7, "feedURL": "https://a.b/", "slug": "a""#, at: 11),
    feed(.wrongType, #""title": "A", "feedURL": "https://a.b/", "tags": [true]"#, at: 52),
    feed(.wrongType, #""title": "A", "feedURL": "https://a.b/", "isFeatured": 1"#, at: 57),
    category(.wrongType, #""slug": "a", "name": "A", "sortOrder": 1.5"#, at: 41),
    RuleFixture(.wrongType, "feeds/extra.json", #"{"feeds": ["a"]}"#, at: "feeds/extra.json:1:12"),
    feed(.missing, #""title": "A""#, at: 1),
    RuleFixture(.missing, "feeds/extra.json", "{}", at: "feeds/extra.json:1:1"),
    RuleFixture(
      .missing, "feeds/extra.json", #"{"feeds": [{"title": "A", "feedURL": "https://a.b/"}]}"#,
      at: "feeds/extra.json:1:12"),
    collection(.missing, #""slug": "a", "title": "A""#, at: 1),
    feed(.unknownKey, #""title": "A", "feedURL": "https://a.b/", "tag": []"#, at: 43),
    RuleFixture(.unknownKey, "feeds/extra.json", #"{"feeds": [], "icon": ""}"#, at: "feeds/extra.json:1:15"),
    feed(.computedField, #""title": "A", "feedURL": "https://a.b/", "subscriberCount": 9"#, at: 43),
    collection(
      .computedField, #""slug": "a", "title": "A", "feeds": ["six-colors"], "updatedAt": 9"#, at: 54),
    feed(.unusableText, #""title": "  ", "feedURL": "https://a.b/", "slug": "a""#, at: 11),
    feed(.unusableText, #""title": "A", "feedURL": "https://a.b/", "subtitle": "\u0007""#, at: 55),
    feed(.unusableText, #""title": "A", "feedURL": "https://a.b/", "tags": ["a\u0007"]"#, at: 52),
    feed(.notComposed, #""title": "Cafe\u0301", "slug": "a", "feedURL": "https://a.b/""#, at: 11),
    feed(.notComposed, #""title": "A", "feedURL": "https://a.b/", "tags": ["cafe\u0301"]"#, at: 52),
    feed(.badSlug, #""slug": "A b", "title": "A", "feedURL": "https://a.b/""#, at: 10),
    feed(.badSlug, #""title": "日本", "feedURL": "https://a.b/""#, at: 11),
    feed(.badURL, #""title": "A", "feedURL": "ftp://a.b/""#, at: 27),
    feed(.badURL, #""title": "A", "feedURL": "https://a.b/", "siteURL": "a.b""#, at: 54),
    feed(.badLanguage, #""title": "A", "feedURL": "https://a.b/", "language": "xx""#, at: 55),
    category(.badColor, #""slug": "a", "name": "A", "color": "blue""#, at: 37),
    feed(.badTag, #""title": "A", "feedURL": "https://a.b/", "tags": ["ok", "Not Ok"]"#, at: 58),
    feed(.badTag, #""title": "A", "feedURL": "https://a.b/", "tags": ["ok", "ok"]"#, at: 58),
    feed(.badRecordName, #""title": "A", "feedURL": "https://a.b/", "recordName": "_a""#, at: 57),
    category(.badIcon, #""slug": "a", "name": "A", "icon": "A B""#, at: 36),
    feed(.duplicateSlug, #""slug": "six-colors", "title": "A", "feedURL": "https://a.b/""#, at: 10).elsewhere(
      "feeds/technology.json:4:3"),
    category(.duplicateName, #""slug": "a", "name": "Apple""#, at: 23),
    feed(.duplicateURL, #""title": "A", "feedURL": "HTTPS://SixColors.com:443/feed/#x""#, at: 27).elsewhere(
      "feeds/technology.json:4:38"),
    RuleFixture(
      .duplicateRecordName, "feeds/extra.json",
      """
      {"category": "apple", "feeds": [
        {"title": "A", "feedURL": "https://a.b/", "recordName": "R"},
        {"title": "B", "feedURL": "https://b.b/", "recordName": "R"}]}
      """, at: "feeds/extra.json:3:59"),
    feed(.unknownCategory, #""title": "A", "feedURL": "https://a.b/", "category": "aple""#, at: 55),
    category(.unknownCategory, #""slug": "a", "name": "A", "parentCategory": "b""#, at: 46),
    category(.cyclicParent, #""slug": "a", "name": "A", "parentCategory": "a""#, at: 46),
    collection(.unknownFeed, #""slug": "a", "title": "A", "feeds": ["daring-firball"]"#, at: 39),
    collection(.repeatedFeed, #""slug": "a", "title": "A", "feeds": ["six-colors", "six-colors"]"#, at: 53),
    collection(.emptyCollection, #""slug": "a", "title": "A", "feeds": []"#, at: 38),
    feed(
      .recordTooLarge,
      #""title": "A", "feedURL": "https://a.b/", "subtitle": "\#(String(repeating: "x", count: 1_000_000))""#,
      at: 1),
  ]

  private func elsewhere(_ place: String) -> RuleFixture { RuleFixture(rule, files, at: place) }

  private init(_ rule: SeedRule, _ files: [String: String], at place: String?) {
    self.rule = rule
    self.files = files
    self.place = place
  }
}

@Suite("Seed rules")
struct SeedRuleTests {
  @Test("sound seeds have no findings")
  func soundSeeds() throws {
    let folder = try SeedFolder()
    #expect(folder.load().diagnostics.map(folder.place) == [])
  }

  @Test("a fault is found once, where it stands", arguments: RuleFixture.all)
  func fault(fixture: RuleFixture) throws {
    let folder = try SeedFolder(SeedFolder.sound.merging(fixture.files) { $1 })
    let loaded = folder.load()
    let expected = fixture.place.map { "\(fixture.rule.rawValue) \($0)" } ?? fixture.rule.rawValue
    #expect(loaded.diagnostics.map(folder.place) == [expected])
    #expect((loaded.catalog == nil) == (loaded.diagnostics.first?.severity == .error))
  }

  @Test("a record of exactly the maximum size is sound, one of a byte more is not")
  func exactSize() throws {
    func finding(_ length: Int) throws -> String? {
      let text = String(repeating: "x", count: length)
      let feed = #"{"title": "A", "feedURL": "https://a.b/", "subtitle": "\#(text)"}"#
      let folder = try SeedFolder(
        SeedFolder.sound.merging(["feeds/extra.json": #"{"category": "apple", "feeds": [\#(feed)]}"#]) { $1 })
      return folder.load().diagnostics.first?.message
    }
    func message(_ size: Int) -> String {
      "the record would take \(size) bytes; CloudKit allows at most \(ContainerLimits.recordSize)"
    }
    let large = try #require(try finding(ContainerLimits.recordSize))
    let others = try #require((1...1000).first { large == message(ContainerLimits.recordSize + $0) })
    #expect(try finding(ContainerLimits.recordSize - others) == nil)
    #expect(try finding(ContainerLimits.recordSize - others + 1) == message(ContainerLimits.recordSize + 1))
  }

  @Test(
    "the example of a rule has its finding, the files to use instead have none", arguments: SeedRule.rules)
  func example(rule: Rule) throws {
    #expect(try codes(in: rule.example) == [rule.code])
    #expect(try codes(in: rule.useInstead) == [])
  }

  private func codes(in example: String) throws -> [String] {
    let folder = try SeedFolder()
    for file in SeedExample.files(in: example) { try folder.put(file) }
    return folder.load().diagnostics.map(\.code)
  }
}
