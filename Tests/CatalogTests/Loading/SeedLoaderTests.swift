import Diagnostics
import Foundation
import Testing

@testable import Catalog

@Suite("Loading seeds")
struct SeedLoaderTests {
  @Test("a seed directory becomes a catalog, in file and declared order")
  func catalog() throws {
    let catalog = try #require(try SeedFolder().load().catalog)
    var technology = SeedCategory(slug: "technology", name: "Technology")
    technology.values["icon"] = "laptopcomputer"
    #expect(
      catalog.categories == [
        technology, SeedCategory(slug: "apple", name: "Apple", parentCategory: "technology"),
      ])
    #expect(catalog.feeds.map(\.slug) == ["daring-fireball", "six-colors"])
    #expect(catalog.feeds.map(\.category) == ["technology", "apple"])
    #expect(catalog.feeds.map { $0.values["isFeatured"] == true } == [false, true])
    #expect(catalog.feeds[1].language == "en")
    #expect(catalog.collections.first?.feeds == ["six-colors", "daring-fireball"])
  }

  @Test("every mistake of a directory is reported in one run, in reading order")
  func severalErrors() throws {
    var files = SeedFolder.sound
    files["feeds/a.json"] = "{\"feeds\": ["
    files["feeds/b.json"] = """
      {"category": "tecnology", "feeds": [
        {"title": "A", "feedURL": "nowhere", "tags": ["B"]},
        {"feedURL": "https://c.d/", "lang": "en"}
      ]}
      """
    files["collections/best.json"] = #"{"slug": "best", "title": "Best", "feeds": ["of-a-broken-file"]}"#
    let folder = try SeedFolder(files)
    let loaded = folder.load()
    #expect(loaded.catalog == nil)
    #expect(
      loaded.diagnostics.map(folder.place) == [
        "SE0104 feeds/a.json:1:12", "SE0405 feeds/b.json:1:14", "SE0302 feeds/b.json:2:29",
        "SE0305 feeds/b.json:2:49", "SE0202 feeds/b.json:3:3", "SE0203 feeds/b.json:3:31",
      ])
  }

  @Test("the nearest slug and key are suggested, with a fix")
  func suggestions() throws {
    var files = SeedFolder.sound
    files["collections/best.json"] =
      #"{"slug": "best", "titel": "B", "feeds": ["daring-firball"]}"#
    let diagnostics = try SeedFolder(files).load().diagnostics
    #expect(diagnostics.map(\.help) == [nil, "Did you mean 'title'?", "Did you mean 'daring-fireball'?"])
    #expect(diagnostics.map(\.message).last == "feed 'daring-firball' not found")
    let fix = try #require(diagnostics.last?.fix)
    #expect(fix.replacement == "\"daring-fireball\"")
    #expect(fix.range.source.text(in: fix.range.offsets) == "\"daring-firball\"")
  }

  /// A file, another feed's members in it, what a collection lists, and what is proposed.
  private static let proposals: [(file: String, list: String, help: String?)] = [
    // Invalid, listed already, retired.
    (feed(#""slug": "Daring-firball""#), #""daring-firball""#, "Did you mean 'daring-fireball'?"),
    (feed(#""slug": "z""#), #""six-colors", "six-color""#, nil),
    (feed(#""slug": "zebra", "retired": true"#), #""zebr""#, nil),
    (feed(#""slug": "z", "replacedBy": "six-colors""#), #""z""#, "List 'six-colors', which replaces it."),
    (
      feed(#""slug": "z", "replacedBy": "six-colors""#), #""six-colors", "z""#,
      "Remove it from the collection."
    ),
    // What was compared is another feed of the catalog.
    (feed(#""slug": "z", "differentFrom": ["six-color"]"#), "", "Did you mean 'six-colors'?"),
    (feed(#""slug": "z", "differentFrom": ["six-colors", "six-color"]"#), "", nil),
    (feed(#""slug": "z", "differentFrom": ["z"]"#), "", nil),
    (feed(#""slug": "z", "differentFrom": ["six-colors", "six-colors"]"#), "", nil),
    // Taken, there twice, below itself.
    (feed(#""title": "Six Cölörs""#), "", #"Add one, such as "slug": "six-colors-2"."#),
    (
      feed(#""slug": "z", "titel": "Z""#), "",
      "Known keys: \(SeedFields.celestra.feed.map(\.key).sorted().joined(separator: ", "))."
    ),
    (
      #"{"categories": [{"slug": "technology", "name": "T", "parentCategory": "appl"}, "#
        + #"{"slug": "apple", "name": "A", "parentCategory": "technology"}]}"#, "", nil
    ),
  ]

  @Test("a message proposes only what the rules accept in its place", arguments: SeedLoaderTests.proposals)
  func proposal(_ example: (file: String, list: String, help: String?)) throws {
    let list = example.list.isEmpty ? #""six-colors""# : example.list
    let files = [
      example.file.contains("categories") ? "categories.json" : "feeds/z.json": example.file,
      "collections/best.json": #"{"slug": "best", "title": "Best", "feeds": [\#(list)]}"#,
    ]
    let findings = try SeedFolder(SeedFolder.sound.merging(files) { $1 }).load().diagnostics
    #expect(!findings.isEmpty && findings.compactMap(\.help) == [example.help].compactMap(\.self))
  }

  private static func feed(_ members: String) -> String {
    let title = members.contains("\"title\"") ? "" : #""title": "Z", "#
    return #"{"category": "apple", "feeds": [{\#(title)"feedURL": "https://z.example/", \#(members)}]}"#
  }

  @Test("a duplicate points at the first declaration")
  func duplicateNote() throws {
    var files = SeedFolder.sound
    files["feeds/z.json"] =
      #"{"category": "apple", "feeds": [{"title": "New", "slug": "six-colors", "feedURL": "https://z.z/"}]}"#
    let finding = try #require(try SeedFolder(files).load().diagnostics.first)
    #expect(finding.message == "the feed slug 'six-colors' is declared twice")
    #expect(finding.notes.first?.range?.start.line == 4)
  }

  @Test("a computed field is named with its job and ignored")
  func computedField() throws {
    var files = SeedFolder.sound
    files["feeds/z.json"] =
      #"{"category": "apple", "feeds": [{"title": "Z", "feedURL": "https://z.z/", "qualityScore": 100}]}"#
    let loaded = try SeedFolder(files).load()
    #expect(loaded.catalog?.feeds.count == 3)
    #expect(loaded.diagnostics.map(\.severity) == [.note])
    #expect(loaded.diagnostics.first?.message.contains("computed by 'recount quality'") == true)
  }

  @Test("case and region of a language are forgiven with a warning")
  func languageRegion() throws {
    var files = SeedFolder.sound
    files["feeds/z.json"] =
      #"{"category": "apple", "feeds": [{"title": "Z", "feedURL": "https://z.z/", "language": "pt-BR"}]}"#
    let loaded = try SeedFolder(files).load()
    #expect(loaded.catalog?.feeds.last?.language == "pt")
    #expect(loaded.diagnostics.map(\.severity) == [.warning])
  }

  @Test("a circle of parents is reported once, with its members")
  func cycle() throws {
    var files = SeedFolder.sound
    files["categories.json"] = """
      {"categories": [
        {"slug": "technology", "name": "T", "parentCategory": "apple"},
        {"slug": "leaf", "name": "L", "parentCategory": "technology"},
        {"slug": "apple", "name": "A", "parentCategory": "technology"}]}
      """
    let diagnostics = try SeedFolder(files).load().diagnostics
    #expect(diagnostics.map(\.code) == ["SE0406"])
    #expect(diagnostics.first?.message.hasSuffix("technology > apple > technology") == true)
  }
}

@Suite("Reading the seed directory")
struct SeedTreeTests {
  @Test("a directory that is not there is named with the reason")
  func missingDirectory() {
    let loaded = SeedLoader(directory: "/nowhere/at/all").load()
    #expect(loaded.catalog == nil)
    #expect(
      loaded.diagnostics.map(\.message) == ["cannot read /nowhere/at/all: No such file or directory"])
  }

  @Test("a directory without categories is no seed directory")
  func noCategories() throws {
    let folder = try SeedFolder(["feeds/a.json": #"{"feeds": []}"#])
    #expect(folder.load().diagnostics.map(\.message) == ["\(folder.path) has no categories.json"])
  }

  @Test("a file in place of the directory is refused")
  func notADirectory() throws {
    let folder = try SeedFolder()
    let loaded = SeedLoader(directory: folder.path + "/categories.json").load()
    #expect(loaded.diagnostics.first?.message.hasSuffix("it is not a folder") == true)
  }

  @Test("a folder or pipe in place of a file is refused without waiting")
  func notAFile() throws {
    let folder = try SeedFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/feeds/folder.json", withIntermediateDirectories: true)
    try #require(mkfifo(folder.path + "/feeds/pipe.json", 0o600) == 0)
    #expect(
      folder.load().diagnostics.map(\.message) == [
        "cannot read \(folder.path)/feeds/folder.json: it is not a file",
        "cannot read \(folder.path)/feeds/pipe.json: it is not a file",
      ])
  }

  @Test("a link may stay inside the directory but not lead out of it")
  func links() throws {
    let folder = try SeedFolder()
    let outside = try SeedFolder(["secret.json": #"{"feeds": []}"#])
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/collections/same.json", withDestinationPath: "best.json")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/feeds/out.json", withDestinationPath: outside.path + "/secret.json")
    #expect(Set(folder.load().diagnostics.map(\.code)) == ["SE0102", "SE0401", "SE0402"])
  }

  @Test("a folder may not lead out either")
  func linkedFolder() throws {
    let folder = try SeedFolder(["categories.json": #"{"categories": []}"#])
    let outside = try SeedFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/feeds", withDestinationPath: outside.path + "/feeds")
    #expect(folder.load().diagnostics.map(\.code) == ["SE0102"])
  }

  @Test("a dangling link is named with the reason")
  func danglingLink() throws {
    let folder = try SeedFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/feeds/gone.json", withDestinationPath: "nothing.json")
    #expect(folder.load().diagnostics.first?.message.hasSuffix("No such file or directory") == true)
  }

  @Test("text that is not UTF-8 is an error with its place")
  func notUTF8() throws {
    let folder = try SeedFolder()
    let file = URL(filePath: folder.path + "/feeds/latin.json")
    try Data([0x7B, 0x22, 0xE9, 0x22, 0x7D]).write(to: file)
    #expect(folder.load().diagnostics.map(folder.place) == ["SE0104 feeds/latin.json:1:3"])
  }
}
