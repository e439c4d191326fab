import Catalog
import Diagnostics
import Foundation
import Testing

@Suite("Entries of a seed directory that are not read")
struct UnreadSeedFilesTests {
  @Test(
    "each is a warning that names it and says what to do",
    arguments: [
      ("Feeds/a.json", "Feeds/ is not read", "Did you mean 'feeds'?"),
      ("feed/a.json", "feed/ is not read", "Did you mean 'feeds'?"),
      ("colections/a.json", "colections/ is not read", "Did you mean 'collections'?"),
      ("Categories.json", "Categories.json is not read", "Did you mean 'categories.json'?"),
      (
        "tech.json", "tech.json is not read",
        "A seed directory holds categories.json, feeds/*.json and collections/*.json."
      ),
      (
        "notes.txt", "notes.txt is not read",
        "A seed directory holds categories.json, feeds/*.json and collections/*.json."
      ),
      (
        "feeds/sub/a.json", "feeds/sub/ is not read",
        "Move its files to feeds/: folders below it are not read."
      ),
      ("feeds/x.JSON", "feeds/x.JSON is not read", "Write the ending in lower case: .json."),
      ("feeds/x.jsonc", "feeds/x.jsonc is not read", "Only files whose names end in .json are read."),
      ("feeds/x.json~", "feeds/x.json~ is not read", "Only files whose names end in .json are read."),
      ("collections/x", "collections/x is not read", "Only files whose names end in .json are read."),
    ])
  func unread(path: String, message: String, help: String) throws {
    let folder = try SeedFolder()
    try folder.write(path, "{}")
    let loaded = folder.load()
    #expect(loaded.diagnostics.map(\.message) == ["\(folder.path)/\(message)"])
    #expect(loaded.diagnostics.map(\.code) == ["SE0105"])
    #expect(loaded.diagnostics.map(\.help) == [help])
    #expect(loaded.catalog?.feeds.count == 2)
  }

  @Test("hidden entries, Markdown documents and JSON Schemas hold no seeds")
  func left() throws {
    let folder = try SeedFolder()
    let paths = [
      ".DS_Store", ".git/config", "README.md", "schemas/feeds.schema.json", "feeds/.gitkeep",
      "feeds/.#a.json",
      "feeds/README.md", "collections/.DS_Store",
    ]
    for path in paths { try folder.write(path, "{}") }
    #expect(folder.load().diagnostics.isEmpty)
  }

  @Test("a directory without feeds/ says so; an empty feeds/ is a catalog without feeds")
  func missingFeeds() throws {
    let folder = try SeedFolder(["categories.json": #"{"categories": []}"#])
    #expect(folder.load().catalog?.hasFeedsFolder == false)
    try folder.write("feeds/.gitkeep", "")
    #expect(folder.load().catalog?.hasFeedsFolder == true)
  }
}
