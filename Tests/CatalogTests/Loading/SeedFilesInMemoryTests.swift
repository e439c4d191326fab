import Diagnostics
import Foundation
import Testing

@testable import Catalog

@Suite("Loading seeds that are not on disk")
struct SeedFilesInMemoryTests {
  private func inMemory(_ files: [String: String]) -> SeedLoader {
    SeedLoader(files: files.mapValues { Array($0.utf8) }, named: "commit")
  }

  @Test("files in memory give the catalog and the findings of a folder on disk")
  func same() throws {
    var files = SeedFolder.sound
    #expect(inMemory(files).load().catalog == (try SeedFolder(files).load().catalog))
    files["collection/best.json"] = "{}"
    files["feeds/more/deep.json"] = "{}"
    files["feeds/a.json"] = "{\"feeds\": ["
    let onDisk = try SeedFolder(files)
    let expected = onDisk.load().diagnostics.map(onDisk.place)
    let found = inMemory(files).load().diagnostics.map { diagnostic in
      diagnostic.range.map {
        "\(diagnostic.code) \($0.source.name.dropFirst("commit/".count)):\($0.start.line):\($0.start.column)"
      } ?? diagnostic.code
    }
    #expect(found == expected && found.count == 3, "\(found)")
  }

  @Test(
    "the loader reads the files that it says it reads",
    arguments: [
      ("categories.json", true), ("feeds/a.json", true), ("collections/a.json", true), ("feeds", false),
      ("schemas/a.json", false), ("feeds/.a.json", false), ("feeds/b/a.json", false),
      ("a/categories.json", false),
      ("feeds/a.JSON", false), ("/categories.json", false),
    ])
  func reads(_ path: String, _ isRead: Bool) {
    #expect(Catalog.SeedFolder.reads(path) == isRead)
  }
}
