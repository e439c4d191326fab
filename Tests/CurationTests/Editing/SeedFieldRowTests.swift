import Catalog
import CloudKitModel
import Curation
import Diagnostics
import Foundation
import LocalContainer
import Platform
import SchemaLanguage
import Testing

@testable import RecordChanges

/// The table of seed fields decides what every command does with a key.
@Suite struct SeedFieldRowTests {
  // MARK: Exports

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
    _ type: Entry.Type, _ key: String?, _ fields: SeedFields, _ random: inout SeededGenerator
  ) -> Entry {
    var entry = Entry(SeedValues())
    for field in fields[Entry.kind] where field.isRequired || field.key == key || field.key == "slug" {
      entry.values[field.key] = value(of: field, &random)
    }
    return entry
  }

  /// A catalog with one entry for each key of a kind, in which that key has a value.
  private static func catalog(_ fields: SeedFields, _ random: inout SeededGenerator) -> SeedCatalog {
    var catalog = SeedCatalog(
      categories: [SeedCategory(slug: "arts", name: "Arts")],
      feeds: [
        SeedFeed(slug: "six", title: "Six", feedURL: "https://six.example/feed", category: "arts")
      ], fields: fields)
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
      var entry = entry(SeedCategory.self, field.key, fields, &random)
      entry.slug = "c\(index)"
      entry.values["name"] = .string("Category \(index)")
      catalog.categories.append(entry)
    }
    for (index, field) in fields.feed.enumerated() {
      var entry = entry(SeedFeed.self, field.key, fields, &random)
      entry.slug = "f\(index)"
      entry.feedURL = "https://f\(index).example/feed"
      catalog.feeds.append(entry)
    }
    for (index, field) in fields.collection.enumerated() {
      var entry = entry(SeedCollection.self, field.key, fields, &random)
      entry.slug = "l\(index)"
      entry.title = "Collection \(index)"
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
    let catalog = Self.catalog(.celestra, &random)
    let first = try ScratchSeeds(try files(catalog))
    let copy = try #require(first.catalog, "\(first.diagnostics.map(\.message))")
    let expected = loaded(catalog)
    #expect(copy.categories == expected.categories)
    #expect(copy.feeds == expected.feeds)
    #expect(Set(copy.collections) == Set(expected.collections))
    #expect(try ScratchSeeds(try files(copy)).catalog?.feeds == copy.feeds)
    let text = try OPMLExport(catalog).text
    let file = OPMLFile(name: "f.opml", Array(text.utf8), trusts: true)
    let empty = try ScratchSeeds(["categories.json": try files(catalog)["categories.json"] ?? ""])
    var workspace = try empty.workspace()
    var run = OPMLImport(file, catalog: workspace.catalog, mapping: .auto, fallback: nil, trusts: true)
    try await run.add(file.entries, to: &workspace, finder: nil)
    try workspace.write()
    #expect(Set(try load(empty).feeds) == Set(expected.feeds))
    #expect(Set(try load(empty).collections) == Set(expected.collections))
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

  // MARK: A new row

  private static let extended: SeedFields = {
    var fields = SeedFields.celestra
    fields.feed.append(SeedField("motto", .text))
    fields.feed.append(SeedField("rank", .integer, in: .field("position"), usual: 3))
    fields.feed.append(SeedField("peer", .reference(.feed)))
    fields.collection.append(SeedField("badgeURL", .address))
    return fields
  }()

  private func schema() throws -> String {
    try RepositorySchema.text()
      .replacing(
        "addedAt         TIMESTAMP SORTABLE,",
        with: "addedAt TIMESTAMP SORTABLE, motto STRING, position INT64, peer REFERENCE,"
      )
      .replacing(
        "coverImageURL   STRING,", with: "coverImageURL STRING, badgeURL STRING,")
  }

  private static let files = [
    "categories.json": #"{"categories": [{"slug": "arts", "name": "Arts"}]}"#,
    "feeds/arts.json": """
    {
      "category": "arts",
      "feeds": [
        {"slug": "a", "title": "A", "feedURL": "https://a.example/", "motto": "Vita & <brevis>", "rank": 7,
         "peer": "b"},
        {"slug": "b", "title": "B", "feedURL": "https://b.example/"}
      ]
    }
    """,
    "collections/best.json": """
    {"slug": "best", "title": "Best", "feeds": ["b"], "badgeURL": "https://badge.example/x.png"}
    """,
  ]

  private let a = CatalogRecordNames.feed(url: "https://a.example/")
  private let b = CatalogRecordNames.feed(url: "https://b.example/")

  private func load(_ seeds: ScratchSeeds) throws -> SeedCatalog {
    let loaded = SeedLoader(directory: seeds.path, fields: Self.extended).load()
    return try #require(loaded.catalog, "\(loaded.diagnostics.map(\.message))")
  }

  private func plan(_ catalog: SeedCatalog, _ container: LocalContainer) async throws -> SeedPlan {
    let schema = try Schema(parsing: schema())
    return try await SeedPlanner(container: container, schema: schema, fields: Self.extended)
      .plan(catalog, at: Timestamp(milliseconds: 1_795_000_000_000))
  }

  private func write(_ changes: [RecordChange], _ container: LocalContainer) async throws {
    let report = await ChangeExecutor(container: container, policy: .refuse).apply(changes)
    #expect(report.isComplete)
  }

  private func container() async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(schema())
    return container
  }

  @Test("the value of an added row reaches the record, the plan's text and the schema check")
  func apply() async throws {
    let catalog = try load(try ScratchSeeds(Self.files))
    let container = try await container()
    try await write(try await plan(catalog, container).changes, container)
    let record = try #require(try await container.lookupAll([a])[0].record)
    #expect(record["motto"] == .string("Vita & <brevis>") && record["position"] == .int64(7))
    #expect(record["peer"]?.reference?.recordName == b)
    #expect(try await container.lookupAll([b])[0].record?["position"] == .int64(3))
    var changed = catalog
    changed.feeds[0].values["motto"] = "Ars longa"
    let text = SeedChangelog(try await plan(changed, container)).body.text().description
    #expect(text.contains(#"motto: "Vita & <brevis>" → "Ars longa""#))
    let gaps = SeedSchemaCheck.gaps(
      in: try Schema(parsing: RepositorySchema.text()), for: Self.extended)
    #expect(gaps.map(\.field) == ["motto", "peer", "position", "badgeURL"])
  }

  @Test("it goes through both exports and back")
  func exports() async throws {
    let catalog = try load(try ScratchSeeds(Self.files))
    let copy = try load(try ScratchSeeds(try files(catalog)))
    #expect(copy.feeds == catalog.feeds && copy.collections == catalog.collections)
    let file = OPMLFile(
      name: "f.opml", Array(try OPMLExport(catalog).text.utf8), fields: Self.extended)
    let empty = try ScratchSeeds(["categories.json": Self.files["categories.json"] ?? ""])
    var workspace = try SeedWorkspace(folder: empty.path, fields: Self.extended)
    var run = OPMLImport(file, catalog: workspace.catalog, mapping: .auto, fallback: nil)
    try await run.add(file.entries, to: &workspace, finder: nil)
    try workspace.write()
    // A reference to a feed of the file is one to the catalog's.
    #expect(try load(empty).feeds == catalog.feeds)
  }
}
