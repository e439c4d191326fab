import Catalog
import CloudKitModel
import Curation
import Diagnostics
import Platform
import Testing

@Suite struct OPMLImportTests {
  private let feed = "<outline text=\"A\" type=\"rss\" xmlUrl=\"https://a.example/feed\"/>"

  private func opml(_ body: String) -> String { "<opml version=\"2.0\"><body>\(body)</body></opml>" }

  private func run(
    _ text: String, into seeds: ScratchSeeds, mapping: OPMLFolderMapping = .auto, fallback: String? = "arts",
    trusts: Bool = false
  ) async throws -> OPMLImport {
    let file = OPMLFile(name: "f.opml", Array(text.utf8))
    var workspace = try seeds.workspace()
    var run = OPMLImport(
      file, catalog: workspace.catalog, mapping: mapping, fallback: fallback, trusts: trusts)
    try await run.add(file.entries, to: &workspace, finder: nil)
    try workspace.write()
    return run
  }

  @Test(
    "folders become what the mapping says",
    arguments: [
      (OPMLFolderMapping.auto, "technology", ["x"], nil), (.category, "technology", ["x"], nil),
      (.tags, "arts", ["x", "technology"], nil), (.none, "arts", [], nil),
      (.collection, "technology", ["x"], "technology"),
    ] as [(OPMLFolderMapping, String, [String], String?)])
  func mapping(_ mapping: OPMLFolderMapping, _ category: String, _ tags: [String], _ collection: String?)
    async throws
  {
    let seeds = try ScratchSeeds()
    _ = try await run(
      opml("<outline text=\"X\"><outline text=\" technology \">\(feed)</outline></outline>"), into: seeds,
      mapping: mapping)
    let catalog = try #require(seeds.catalog)
    let added = try #require(catalog.feeds.first { $0.slug == "a" })
    #expect(added.category == category && added.tags == tags)
    #expect(catalog.collections.first { $0.feeds.contains("a") }?.slug == collection)
  }

  @Test("slugs are made of titles, differ, and are never borrowed from others")
  func slugs() async throws {
    let seeds = try ScratchSeeds()
    let names = [
      "Six", "Cafe\u{301} Zoë", "日本語", "\u{202E}emoji 😀 mark", String(repeating: "long ", count: 40),
    ]
    let body = names.enumerated().map { "<outline text=\"\($1)\" xmlUrl=\"https://n\($0).example/feed\"/>" }
      .joined()
    _ = try await run(opml(body), into: seeds)
    let feeds = try #require(seeds.catalog).feeds.filter { $0.slug != "six" }
    #expect(feeds.map(\.slug).prefix(4) == ["six-2", "cafe-zoe", "n2-example", "emoji-mark"])
    #expect(try !seeds.text("feeds/arts.json").unicodeScalars.contains("\u{301}"))
    #expect(feeds.allSatisfy { Slug.isValid($0.slug) } && feeds[3].title == "emoji 😀 mark")
  }

  // MARK: Laws

  private static func catalog(_ random: inout SeededGenerator) -> [String: String] {
    let words = ["Alpha", "R&D <weekly>", "Ünïcode", "Quote \" mark", "AT&amp;T", "日本", "Tab", "It's"]
    var files = ScratchSeeds.sound
    for category in ["technology", "arts"] {
      let feeds = (0..<Int.random(in: 0...6, using: &random)).map { index -> JSONValue in
        let title = (words.randomElement(using: &random) ?? "") + " \(category) \(index)"
        var feed: JSONObject = [
          "slug": .string("\(category)-\(index)"), "title": .string(title),
          "feedURL": .string("https://\(category)\(index).example/feed?a=1&b=\(index)"),
        ]
        if Bool.random(using: &random) { feed["siteURL"] = "https://site.example/?x=1&y=2" }
        if Bool.random(using: &random) {
          feed["subtitle"] = .string("About \(words.randomElement(using: &random) ?? "")")
        }
        if Bool.random(using: &random) { feed["imageURL"] = "https://img.example/a.png" }
        if Bool.random(using: &random) { feed["language"] = "de" }
        if Bool.random(using: &random) { feed["tags"] = ["news", "a/b", "日本"] }
        if Bool.random(using: &random) { feed["isFeatured"] = true }
        if Bool.random(using: &random) { feed["isVerified"] = true }
        if Bool.random(using: &random) { feed["recordName"] = .string("record-\(category)-\(index)") }
        if index == 5 { feed["differentFrom"] = [.string("\(category)-4"), .string("\(category)-0")] }
        if index == 4 { feed["replacedBy"] = .string("\(category)-\(index - 1)") }
        if index == 2 { feed["retired"] = true }
        if index == 1, Bool.random(using: &random) {
          feed["replacedBy"] = .string("\(category)-0")
          feed["retired"] = false
        }
        return .object(feed)
      }
      let file: JSONValue = ["category": .string(category), "feeds": .array(feeds)]
      files["feeds/\(category).json"] = file.text(.pretty)
    }
    files["collections/best.json"] = nil
    return files
  }

  @Test("the import of an export holds the same catalog, and the export of that import is the same text")
  func roundTrip() async throws {
    var random = SeededGenerator(seed: 4)
    for round in 0..<40 {
      let files = Self.catalog(&random)
      let original = try ScratchSeeds(files)
      let catalog = try #require(original.catalog)
      let text = try OPMLExport(catalog).text
      let empty = try ScratchSeeds(["categories.json": files["categories.json"] ?? ""])
      let imported = try await run(text, into: empty, trusts: true)
      let copy = try #require(empty.catalog)
      #expect(copy.feeds.keyed(by: \.slug) == catalog.feeds.keyed(by: \.slug), "round \(round)")
      // The export of a catalog without feeds has no outlines. What needs trust is printed.
      let findings = Set(imported.diagnostics.map(\.code)).subtracting(["CU0217"])
      #expect(findings == (catalog.feeds.isEmpty ? ["CU0214"] : []))
      #expect(imported.counts.new == catalog.feeds.count)
      #expect(try OPMLExport(copy).text == text)
      let again = try await run(text, into: original)
      #expect(again.counts.known == catalog.feeds.count && again.counts.new == 0)
    }
  }

  @Test(
    "an export has folders in the order of the categories, a collection its own order, and no date unless asked"
  )
  func export() throws {
    var catalog = try #require(try ScratchSeeds().catalog)
    catalog.feeds.append(
      SeedFeed(slug: "art", title: "Art", feedURL: "https://art.example/", category: "arts"))
    catalog.collections[0].feeds = ["six", "art"]
    let whole = try OPMLExport(catalog).text
    let places = ["Arts &amp; Letters", "Art\"", "Technology", "Six\""].compactMap {
      whole.firstRange(of: $0)?.lowerBound
    }
    #expect(places.count == 4 && places == places.sorted() && !whole.contains("dateCreated"))
    let best = try OPMLExport(catalog, collection: "best", date: "x").text
    #expect(best.firstRange(of: "Six")!.lowerBound < best.firstRange(of: "Art")!.lowerBound)
    #expect(best.contains("<dateCreated>x</dateCreated>") && !best.contains("Letters"))
    #expect(throws: CommandFailure.self) { try OPMLExport(catalog, category: "art") }
  }

  @Test(
    "each rule's example has its finding, and the other has not",
    arguments: CurationRule.allCases.filter { !$0.rule.example.isEmpty })
  func examples(_ rule: CurationRule) async throws {
    func codes(_ example: String) async throws -> [String] {
      let text = example.replacing(/\{([0-9]+) × ([^}]*)\}/) {
        String(repeating: String($0.2), count: Int($0.1) ?? 0)
      }
      return try await run(text, into: ScratchSeeds(), fallback: rule == .noCategory ? nil : "arts")
        .diagnostics.map(\.code)
    }
    #expect(try await codes(rule.rule.example).contains(rule.code))
    #expect(try await !codes(rule.rule.useInstead).contains(rule.code))
  }
}
