import Catalog
import CloudKitModel
import Diagnostics
import Testing

@testable import Curation

@Suite("Exports as OPML") struct OPMLExportTests {
  private func catalog() -> SeedCatalog {
    var feeds = [
      SeedFeed(slug: "b", title: "B", feedURL: "https://b.example/", category: "arts"),
      SeedFeed(slug: "a2", title: "A", feedURL: "https://z.example/", category: "arts"),
      SeedFeed(slug: "a1", title: "A", feedURL: "https://a.example/", category: "arts"),
      SeedFeed(slug: "n", title: "N", feedURL: "https://n.example/", category: "news"),
    ]
    feeds[0].tags = ["x", "y"]
    feeds[3].tags = ["x/y"]
    return SeedCatalog(
      categories: [
        SeedCategory(slug: "news", name: "News"), SeedCategory(slug: "arts", name: "Arts & <Co>"),
        SeedCategory(slug: "empty", name: "Empty"),
      ], feeds: feeds,
      collections: [
        SeedCollection(slug: "z", title: "Zed", feeds: ["n", "b", "gone"]),
        SeedCollection(slug: "c", title: "Cee", feeds: ["b"]),
        SeedCollection(slug: "none", title: "None", feeds: []),
      ])
  }

  private func lines(_ export: OPMLExport) -> [String] {
    export.text.split(separator: "\n").filter { $0.contains("<outline") || $0.contains("<title>") }.map {
      String($0).replacing("type=\"rss\" ", with: "")
    }
  }

  @Test(
    "categories come by name where they have no order, feeds by title and address, then collections by slug")
  func order() throws {
    let b =
      "<outline text=\"B\" title=\"B\" xmlUrl=\"https://b.example/\" category=\"x,y\" celestra:slug=\"b\"/>"
    let n =
      "<outline text=\"N\" title=\"N\" xmlUrl=\"https://n.example/\" category=\"x/y\" celestra:tags=\"x/y\" celestra:slug=\"n\"/>"
    #expect(
      lines(try OPMLExport(catalog())) == [
        "    <title>Celestra feeds</title>", "    <outline text=\"Arts &amp;amp; &amp;lt;Co&gt;\">",
        "      <outline text=\"A\" title=\"A\" xmlUrl=\"https://a.example/\" celestra:slug=\"a1\"/>",
        "      <outline text=\"A\" title=\"A\" xmlUrl=\"https://z.example/\" celestra:slug=\"a2\"/>",
        "      \(b)",
        "    <outline text=\"News\">", "      \(n)", "    <outline text=\"Cee\" celestra:collection=\"c\">",
        "      \(b)",
        "    <outline text=\"Zed\" celestra:collection=\"z\">", "      \(n)", "      \(b)",
      ])
    var ordered = catalog()
    ordered.categories[0].values["sortOrder"] = -1
    #expect(lines(try OPMLExport(ordered))[1] == "    <outline text=\"News\">")
    #expect(
      lines(try OPMLExport(catalog(), category: "news")) == [
        "    <title>News</title>", "    <outline text=\"News\">", "      \(n)",
        "    <outline text=\"Zed\" celestra:collection=\"z\">", "      \(n)",
      ])
    #expect(
      lines(try OPMLExport(catalog(), collection: "z")) == ["    <title>Zed</title>", "    \(n)", "    \(b)"])
    #expect(
      lines(try OPMLExport(catalog(), category: "news", collection: "z")) == [
        "    <title>Zed</title>", "    \(n)",
      ])
    #expect(try OPMLExport(catalog()).text.hasSuffix("  </body>\n</opml>\n"))
  }

  @Test("an unknown category or collection is reported with the nearest")
  func unknown() throws {
    let category = #expect(throws: CommandFailure.self) { try OPMLExport(catalog(), category: "newz") }
    #expect(category?.message == "there is no category 'newz'")
    #expect(category?.hint == "Did you mean 'news'?")
    let collection = #expect(throws: CommandFailure.self) { try OPMLExport(catalog(), collection: "xyzxyz") }
    #expect(collection?.message == "there is no collection 'xyzxyz'")
    #expect(collection?.hint == nil)
  }

  @Test(
    "a text stays what it is, whatever marks it has",
    arguments: [
      ("A & B", "A &amp; B"), ("&amp;", "&amp;amp;amp;"), ("a<b", "a&amp;lt;b"), ("a>b", "a&gt;b"),
      ("\"", "&quot;"),
      ("a\n\tb\r", "a&#10;&#9;b&#13;"), ("a\u{1F}b\u{FFFE}\u{FFFF}\u{FFFD}", "ab\u{FFFD}"),
      ("&#38;", "&amp;amp;#38;"),
      ("a\u{200F}b\u{2028}\u{202E}\u{7F}\u{85}", "a&#8207;b&#8232;&#8238;&#127;&#133;"),
      ("x##[group]#[", "x##&#91;group]#["),
      ("&b", "&amp;b"),
    ])
  func texts(_ title: String, _ expected: String) throws {
    var catalog = catalog()
    catalog.collections[1].title = title
    #expect(
      try OPMLExport(catalog).text.contains("    <outline text=\"\(expected)\" celestra:collection=\"c\">\n"))
  }

  @Test("what is printed is the document, whatever its texts have")
  func printed() throws {
    var catalog = catalog()
    catalog.feeds[0].title = "\u{5D0}\u{200F} ##[x]\u{2028}::y"
    let export = try OPMLExport(catalog)
    let report = try SeedExportReport(catalog, category: nil, collection: nil, date: nil, notes: [])
    #expect(report.text(.plain).description == export.text)
    let file = OPMLFile(name: "f.opml", Array(export.text.utf8))
    #expect(file.entries.contains { $0.name == "\u{5D0}\u{200F} ##[x] ::y" })
  }

  @Test(
    "a date has the form of RFC 822",
    arguments: [
      (1_795_305_600_000, "Sun, 22 Nov 2026 00:00:00 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (86_399_000, "Thu, 01 Jan 1970 23:59:59 GMT"), (86_400_000, "Fri, 02 Jan 1970 00:00:00 GMT"),
      (-1000, "Wed, 31 Dec 1969 23:59:59 GMT"), (-86_400_000, "Wed, 31 Dec 1969 00:00:00 GMT"),
      (-86_401_000, "Tue, 30 Dec 1969 23:59:59 GMT"), (-604_800_000, "Thu, 25 Dec 1969 00:00:00 GMT"),
    ] as [(Int64, String)])
  func dates(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp(milliseconds: milliseconds).rfc822 == text)
  }

  @Test("a JSON export has the entries that the OPML file has, with what they need")
  func json() throws {
    func slugs(_ category: String?, _ collection: String?) throws -> [[String]] {
      let json = try SeedExportReport(
        catalog(), category: category, collection: collection, date: nil, notes: []
      ).json
      return ["categories", "feeds", "collections"].map { key in
        json[key]?.array?.compactMap { $0["slug"]?.string } ?? []
      }
    }
    #expect(
      try slugs(nil, nil) == [["news", "arts", "empty"], ["b", "a2", "a1", "n"], ["z", "c", "none"]])
    #expect(try slugs("news", nil) == [["news"], ["n"], []])
    #expect(try slugs(nil, "c") == [["arts"], ["b"], ["c"]])
    #expect(try slugs("news", "z") == [["news"], ["n"], ["z"]])
  }
}
