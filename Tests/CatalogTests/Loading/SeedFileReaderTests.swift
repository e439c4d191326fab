import Diagnostics
import Foundation
import Testing

@testable import Catalog

@Suite("Files of a seed directory") struct SeedFileReaderTests {
  @Test(
    "the loader reads certain files of certain folders",
    arguments: [
      ("categories.json", true), ("feeds/a.json", true), ("collections/a.json", true),
      ("feeds/.a.json", false), ("feeds/a.JSON", false),
      ("feeds/a/b.json", false), ("schemas/a.json", false), ("feeds.json", false), ("feeds", false),
      ("feeds/", false), ("", false),
      ("feeds/categories.json", true), ("x/categories.json", false), ("/categories.json", false),
    ])
  func reads(_ path: String, _ isRead: Bool) { #expect(Catalog.SeedFolder.reads(path) == isRead) }

  @Test("the nearest seed folder is in a folder or above it")
  func nearest() throws {
    let folder = try SeedFolder([
      "seeds/categories.json": "{}", "a/b/c.txt": "", "a/seeds/feeds/x.json": "{}",
    ])
    let found = folder.path + "/seeds"
    #expect(Catalog.SeedFolder.nearest(to: folder.path) == found)
    #expect(Catalog.SeedFolder.nearest(to: folder.path + "/a/b") == found)
    #expect(Catalog.SeedFolder.nearest(to: folder.path + "/a/b/") == found)
    #expect(Catalog.SeedFolder.nearest(to: found) == found)
    #expect(Catalog.SeedFolder.nearest(to: "/") == nil)
    #expect(Catalog.SeedFolder.nearest(to: "") == nil)
  }

  @Test("a file up to the limit is read, and a larger one is reported with its size")
  func limit() throws {
    let folder = try SeedFolder(["feeds/a.json": "12345"])
    let reader = try SeedFileReader(folder.path + "/")
    #expect(reader.path == folder.path)
    #expect(try reader.source("feeds/a.json", limit: 5).bytes == Array("12345".utf8))
    let error = #expect(throws: SeedFileError.self) { try reader.source("feeds/a.json", limit: 4) }
    #expect(
      error?.diagnostic.message == "\(folder.path)/feeds/a.json has 5 bytes; a seed file may have at most 4")
  }

  @Test("names are those of a folder, and a missing one has none")
  func names() throws {
    let folder = try SeedFolder(["feeds/b.json": "", "feeds/a.json": "", "x.json": ""])
    let reader = try SeedFileReader(folder.path)
    #expect(try reader.names(in: "feeds") == ["a.json", "b.json"])
    #expect(try reader.names(in: "") == ["feeds", "x.json"])
    #expect(try reader.names(in: "gone") == nil)
    #expect(reader.isFolder("feeds") && !reader.isFolder("x.json") && !reader.isFolder("gone"))
  }

  @Test(
    "a link within the directory is read, one that leads out of it is not, even to a name that begins alike")
  func links() throws {
    let folder = try SeedFolder(["feeds/a.json": "1"])
    let other = folder.path + "-2"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: other) }
    try Data("2".utf8).write(to: URL(filePath: other + "/b.json"))
    try folder.put(SeedExample(path: "feeds/in.json", content: .link(to: "a.json")))
    try folder.put(SeedExample(path: "feeds/out.json", content: .link(to: other + "/b.json")))
    let reader = try SeedFileReader(folder.path)
    #expect(try reader.source("feeds/in.json", limit: 9).bytes == Array("1".utf8))
    let error = #expect(throws: SeedFileError.self) { try reader.source("feeds/out.json", limit: 9) }
    #expect(error?.diagnostic.message.contains("points outside the seed directory, to ") == true)
    let pipe = #expect(throws: SeedFileError.self) { try reader.source("feeds", limit: 9) }
    #expect(pipe != nil)
  }
}
