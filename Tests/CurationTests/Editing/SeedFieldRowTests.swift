import Catalog
import Curation
import Diagnostics
import Platform
import Testing

/// The table of seed fields decides what every command does with a key.
@Suite struct SeedFieldRowTests {
  /// A valid value of a key that is not its default.
  private static func value(of field: SeedField, _ random: inout SeededGenerator) -> JSONValue {
    let number = Int.random(in: 1...999, using: &random)
    return switch field.form {
    case .text:
      .string(
        [
          "Tëxt & \"\(number)\" of \(field.key)", "a  <b>\u{2028}&amp;\n\tc \(number)", "\u{202E}x\(number)",
        ][number % 3])
    case .slug: .string("slug-\(number)")
    case .recordName: .string("record-\(number)")
    case .address: .string("https://\(field.key.lowercased())\(number).example/?a=1&b=2")
    case .icon: .string("icon.\(number)")
    case .color: .string("#0000\(number % 90 + 10)")
    case .language: .string(["de", "ja", "pt"][number % 3])
    case .flag: true
    case .integer: .integer(Int64(number))
    case .tags: ["swift", .string("日本-\(number)"), "a/b"]
    case .slugs: ["six", "other"]
    case .reference(let kind): kind == .category ? "arts" : "six"
    case .references: ["six"]
    }
  }

  private static func entry<Entry: SeedEntry>(
    _ type: Entry.Type, _ key: String?, _ random: inout SeededGenerator
  ) -> Entry {
    var entry = Entry(SeedValues())
    for field in SeedFields.celestra[Entry.kind]
    where field.isRequired || field.key == key || field.key == "slug" {
      entry.values[field.key] = value(of: field, &random)
    }
    return entry
  }

  /// A catalog with one entry for each key of a kind, in which that key has a value.
  private static func catalog(_ random: inout SeededGenerator) -> SeedCatalog {
    let fields = SeedFields.celestra
    var catalog = SeedCatalog(
      categories: [SeedCategory(slug: "arts", name: "Arts")],
      feeds: [
        SeedFeed(slug: "six", title: "Six", feedURL: "https://six.example/feed", category: "arts")
      ])
    // As 'seed duplicates' advises, and as no address tells apart.
    let others: [(String, String, JSONValue)] = [
      ("old", "replacedBy", "six"), ("other", "differentFrom", ["six"]),
    ]
    for (slug, key, value) in others {
      var feed = SeedFeed(
        slug: slug, title: "Six", feedURL: "http://www.six.example/feed/?utm_source=\(slug)",
        siteURL: "http://www.six.example/feed/?utm_source=\(slug)", category: "arts")
      feed.values[key] = value
      catalog.feeds.insert(feed, at: Int.random(in: 0...catalog.feeds.count, using: &random))
    }
    for (slug, title) in [("all", "Arts"), ("some", "ARTS")] {
      catalog.collections.append(SeedCollection(slug: slug, title: title, feeds: ["other", "six"]))
    }
    catalog.categories.append(SeedCategory(slug: "upper", name: "ARTS"))
    catalog.categories.append(SeedCategory(slug: "z", name: "upper"))
    for slug in ["upper", "z"] {
      catalog.feeds.append(
        SeedFeed(slug: "in-\(slug)", title: "In", feedURL: "https://\(slug).example/", category: slug))
    }
    for (index, field) in fields.category.enumerated() {
      var entry = entry(SeedCategory.self, field.key, &random)
      entry.slug = "c\(index)"
      entry.values["name"] = .string("Category \(index)")
      catalog.categories.append(entry)
    }
    for (index, field) in fields.feed.enumerated() {
      var entry = entry(SeedFeed.self, field.key, &random)
      entry.slug = "f\(index)"
      entry.feedURL = "https://f\(index).example/feed"
      catalog.feeds.append(entry)
    }
    for (index, field) in fields.collection.enumerated() {
      var entry = entry(SeedCollection.self, field.key, &random)
      entry.slug = "l\(index)"
      entry.values["title"] = .string("Collection \(index)")
      catalog.collections.append(entry)
    }
    return catalog
  }

  /// The files of `seed export --format json`.
  private func files(_ catalog: SeedCatalog) throws -> [String: String] {
    let json = try SeedExportReport(
      catalog, category: nil, collection: nil, date: nil, notes: []
    ).json
    var files = [
      "categories.json": JSONValue.object(["categories": json["categories"] ?? []]).text(),
      "feeds/all.json": JSONValue.object(["feeds": json["feeds"] ?? []]).text(),
    ]
    for (index, collection) in (json["collections"]?.array ?? []).enumerated() {
      files["collections/\(index).json"] = collection.text()
    }
    return files
  }

  /// As the loader gives it: with what a replacement says about its feed.
  private func loaded(_ catalog: SeedCatalog) -> SeedCatalog {
    var catalog = catalog
    for index in catalog.feeds.indices {
      if catalog.feeds[index].replacedBy != nil { catalog.feeds[index].values["retired"] = true }
    }
    return catalog
  }

  @Test("both exports, read again, are the same catalog, for each key of the table", arguments: 0..<5)
  func exported(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let catalog = Self.catalog(&random)
    let first = try ScratchSeeds(try files(catalog))
    let copy = try #require(first.catalog, "\(first.diagnostics.map(\.message))")
    let expected = loaded(catalog)
    #expect(copy.categories == expected.categories)
    #expect(copy.feeds == expected.feeds)
    #expect(copy.collections.keyed(by: \.slug) == expected.collections.keyed(by: \.slug))
    #expect(try ScratchSeeds(try files(copy)).catalog?.feeds == copy.feeds)
    let text = try OPMLExport(catalog).text
    let file = OPMLFile(name: "f.opml", Array(text.utf8), trusts: true)
    let empty = try ScratchSeeds(["categories.json": try files(catalog)["categories.json"] ?? ""])
    var workspace = try empty.workspace()
    var run = OPMLImport(file, catalog: workspace.catalog, mapping: .auto, fallback: nil, trusts: true)
    try await run.add(file.entries, to: &workspace, finder: nil)
    try workspace.write()
    let imported = try #require(empty.catalog)
    #expect(imported.feeds.keyed(by: \.slug) == expected.feeds.keyed(by: \.slug))
    #expect(imported.collections.keyed(by: \.slug) == expected.collections.keyed(by: \.slug))
    #expect(!run.diagnostics.contains { ["CU0205", "CU0211", "CU0218"].contains($0.code) })
  }

  @Test("a feed that a replacement does not retire stays active through an export")
  func notRetired() throws {
    var files = ScratchSeeds.sound
    files["feeds/arts.json"] = """
      {"category": "arts", "feeds": [
        {"slug": "a", "title": "A", "feedURL": "https://a.example/", "retired": false, "replacedBy": "six"},
        {"slug": "b", "title": "B", "feedURL": "https://b.example/", "replacedBy": "six"}]}
      """
    let catalog = try #require(try ScratchSeeds(files).catalog)
    let copy = try #require(try ScratchSeeds(try self.files(catalog)).catalog)
    #expect(copy.feeds.filter { $0.replacedBy != nil }.map(\.isRetired) == [false, true])
  }
}
