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
}
