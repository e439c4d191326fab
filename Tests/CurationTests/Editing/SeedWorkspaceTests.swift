import Catalog
import Curation
import Diagnostics
import Platform
import Testing

@Suite struct SeedWorkspaceTests {
  private func entry(_ slug: String, tags: [String] = []) -> SeedFeed {
    var entry = SeedFeed(
      slug: slug, title: slug.prefix(1).uppercased() + slug.dropFirst(),
      feedURL: "https://\(slug).example/feed")
    if !tags.isEmpty { entry.tags = tags }
    return entry
  }

  private func added(to file: String, _ slugs: String...) throws -> String {
    var files = ScratchSeeds.sound
    files["feeds/technology.json"] = file
    files["collections/best.json"] = nil
    let seeds = try ScratchSeeds(files)
    var workspace = try seeds.workspace()
    for slug in slugs { workspace.add(entry(slug, tags: ["news"]), category: "technology") }
    try workspace.write()
    #expect(seeds.catalog != nil)
    return try seeds.text("feeds/technology.json")
  }

  @Test("an entry is laid out as its neighbors are, and nothing else moves")
  func layout() throws {
    let before = ScratchSeeds.sound["feeds/technology.json"] ?? ""
    let after = try added(to: before, "zeta")
    #expect(
      after == """
        {
          "category": "technology",
          "feeds": [
            {
              "slug": "six",
              "title": "Six",
              "feedURL": "https://six.example/feed",
              "tags": ["apple"]
            },
            {
              "slug": "zeta",
              "title": "Zeta",
              "feedURL": "https://zeta.example/feed",
              "tags": ["news"]
            }
          ]
        }

        """)
  }

  @Test("tabs, CRLF, one line, no spaces and a missing line end stay as they are")
  func styles() throws {
    let tabs =
      "{\r\n\t\"category\": \"technology\",\r\n\t\"feeds\": [\r\n\t\t{\r\n\t\t\t\"slug\": \"a\",\r\n\t\t\t\"title\": \"A\",\r\n\t\t\t\"feedURL\": \"https://a.example/\"\r\n\t\t}\r\n\t]\r\n}"
    #expect(
      try added(to: tabs, "b")
        == tabs.replacing(
          "\r\n\t\t}\r\n\t]",
          with:
            "\r\n\t\t},\r\n\t\t{\r\n\t\t\t\"slug\": \"b\",\r\n\t\t\t\"title\": \"B\",\r\n\t\t\t\"feedURL\": \"https://b.example/feed\",\r\n\t\t\t\"tags\": [\"news\"]\r\n\t\t}\r\n\t]"
        ))
    let dense =
      #"{"category":"technology","feeds":[{"slug":"a","title":"A","feedURL":"https://a.example/"}]}"#
    #expect(
      try added(to: dense, "b")
        == dense.replacing(
          "}]}", with: #"},{"slug":"b","title":"B","feedURL":"https://b.example/feed","tags":["news"]}]}"#))
    let empty = "{\n  \"category\": \"technology\",\n  \"feeds\": []\n}\n"
    #expect(
      try added(to: empty, "b", "c").hasPrefix(
        "{\n  \"category\": \"technology\",\n  \"feeds\": [\n    {\n      \"slug\": \"b\","))
  }

  @Test("a list that is sorted stays sorted; any other gets the entry at its end")
  func order() throws {
    func file(_ slugs: [String]) -> String {
      let list = slugs.map {
        "    {\"slug\": \"\($0)\", \"title\": \"\($0)\", \"feedURL\": \"https://\($0).example/\"}"
      }
      return "{\n  \"category\": \"technology\",\n  \"feeds\": [\n\(list.joined(separator: ",\n"))\n  ]\n}\n"
    }
    func slugs(_ text: String) -> [String] { text.matches(of: /"slug": "(\w+)"/).map { String($0.1) } }
    #expect(try slugs(added(to: file(["a", "c"]), "d", "bb", "b")) == ["a", "b", "bb", "c", "d"])
    #expect(try slugs(added(to: file(["a", "c", "b"]), "aa")) == ["a", "c", "b", "aa"])
    #expect(try slugs(added(to: file(["c"]), "b")) == ["c", "b"])
  }

  @Test("values are replaced, added in the usual order and removed, one by one")
  func members() throws {
    let seeds = try ScratchSeeds()
    var workspace = try seeds.workspace()
    workspace.set("title", of: "six", kind: .feed, to: "Six \"Colors\"")
    workspace.set("siteURL", of: "six", kind: .feed, to: "https://six.example/")
    workspace.set("isFeatured", of: "six", kind: .feed, to: true)
    workspace.set("tags", of: "six", kind: .feed, to: nil)
    try workspace.write()
    #expect(
      try seeds.text("feeds/technology.json").contains(
        """
              "title": "Six \\"Colors\\"",
              "feedURL": "https://six.example/feed",
              "siteURL": "https://six.example/",
        """))
    let feed = try #require(seeds.catalog?.feeds.first)
    #expect(feed.values["isFeatured"] == true && feed.tags.isEmpty && feed.title == "Six \"Colors\"")
    var again = try seeds.workspace()
    again.set("title", of: "six", kind: .feed, to: "Six \"Colors\"")
    #expect(again.edits().isEmpty && again.changes.isEmpty)
  }

  @Test("a collection gets feeds at its end, once each, and is made when it has a title")
  func collections() throws {
    let seeds = try ScratchSeeds()
    var workspace = try seeds.workspace()
    workspace.add(entry("zeta"), category: "arts")
    try workspace.add(["six", "zeta"], toCollection: "best")
    try workspace.add(["zeta"], toCollection: "new", title: "New")
    try workspace.add(["six"], toCollection: "new", title: "New")
    #expect(throws: CommandFailure.self) { try workspace.add(["six"], toCollection: "bast") }
    try workspace.write()
    let catalog = try #require(seeds.catalog)
    #expect(catalog.collections.map(\.feeds) == [["six", "zeta"], ["zeta", "six"]])
    #expect(try seeds.text("feeds/arts.json").contains("\"category\": \"arts\""))
  }

  @Test("a file that changed since it was read is not replaced, and no other file is written")
  func changedMeanwhile() throws {
    let seeds = try ScratchSeeds()
    var workspace = try seeds.workspace()
    workspace.add(entry("zeta"), category: "technology")
    workspace.add(entry("eta"), category: "arts")
    try seeds.write("feeds/technology.json", "{\"feeds\": []}")
    #expect(throws: FileFailure.self) { try workspace.write() }
    #expect(try seeds.text("feeds/technology.json") == "{\"feeds\": []}")
    #expect(
      try seeds.contents().keys.sorted() == [
        "categories.json", "collections/best.json", "feeds/technology.json",
      ])
  }

  @Test("the canonical layout is one that formatting does not change, and holds the same catalog")
  func canonical() throws {
    var files = ScratchSeeds.sound
    files["feeds/b.json"] =
      #"{"feeds":[{"feedURL":"https://b.example/","title":"B","category":"arts","slug":"b"}],"$schema":"s"}"#
    let seeds = try ScratchSeeds(files)
    let before = SeedLoader(directory: seeds.path).load()
    let edits = try SeedFileFormat.edits(in: seeds.path)
    #expect(SeedFileFormat.report(edits, isCheck: true).status == .differences)
    #expect(edits.contains { $0.path.hasSuffix("feeds/b.json") })
    try FileEdits.write(edits, in: seeds.path)
    #expect(try SeedFileFormat.edits(in: seeds.path).isEmpty)
    #expect(SeedLoader(directory: seeds.path).load().catalog == before.catalog)
    #expect(
      try seeds.text("feeds/b.json").hasPrefix(
        "{\n  \"$schema\": \"s\",\n  \"feeds\": [\n    {\n      \"slug\": \"b\","))
  }

  @Test("formatting keeps numbers as they are written, also those that no type holds")
  func numbers() throws {
    let numbers = [
      "9223372036854775808", "-99999999999999999999", "0.12345678901234567890123", "1e2", "-0", "1.0",
    ]
    var files = ScratchSeeds.sound
    files["feeds/b.json"] =
      "{\"category\": \"arts\", \"feeds\": [], \"$n\": [\(numbers.joined(separator: ","))]}"
    let seeds = try ScratchSeeds(files)
    try FileEdits.write(SeedFileFormat.edits(in: seeds.path), in: seeds.path)
    let text = try seeds.text("feeds/b.json")
    for number in numbers { #expect(text.contains("    \(number)"), "\(number)") }
    #expect(try SeedFileFormat.edits(in: seeds.path).isEmpty)
  }
}
