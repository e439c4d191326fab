import Catalog
import Diagnostics
import Testing

@testable import Curation

@Suite("Exports as OPML") struct OPMLExportTests {
  @Test("what is printed is the document, whatever its texts have")
  func printed() throws {
    let title = "\u{5D0}\u{200F} ##[x]\u{2028}::y"
    let catalog = SeedCatalog(
      categories: [SeedCategory(slug: "arts", name: "Arts & <Co>")],
      feeds: [SeedFeed(slug: "b", title: title, feedURL: "https://b.example/", category: "arts")],
      collections: [SeedCollection(slug: "z", title: "Zed", feeds: ["b", "gone"])])
    let export = try OPMLExport(catalog)
    let report = try SeedExportReport(catalog, category: nil, collection: nil, date: nil, notes: [])
    #expect(report.text(.plain).description == export.text)
    let file = OPMLFile(name: "f.opml", Array(export.text.utf8))
    #expect(file.entries.contains { $0.name == "\u{5D0}\u{200F} ##[x] ::y" })
  }
}
