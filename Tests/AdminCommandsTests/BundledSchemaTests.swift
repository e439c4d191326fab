import Catalog
import Foundation
import Testing

@testable import AdminCommands

@Suite struct BundledSchemaTests {
  @Test(
    "the bundled schemas are the files in schema/", arguments: ["celestra", "celestra-feed", "live-sessions"])
  func bundled(name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = try String(contentsOf: root.appending(path: "schema/\(name).ckdb"), encoding: .utf8)
    #expect(BundledSchema.all.first { $0.name == "\(name).ckdb" }?.text == file)
  }

  @Test("the bundled seeds are the files in seeds/ that are read, and no others")
  func seeds() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "seeds")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter(SeedFolder.reads)
    #expect(Set(paths) == Set(BundledSeeds.files.keys))
    for path in paths {
      #expect(try Data(contentsOf: folder.appending(path: path)) == Data(BundledSeeds.files[path] ?? []))
    }
  }
}
