import Catalog
import Curation
import Diagnostics
import Foundation

/// A seed directory of a test's own, gone when the test is.
final class ScratchSeeds: Sendable {
  let path: String

  init(_ files: [String: String] = ScratchSeeds.sound) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "seeds-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(name, text) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws {
    let file = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }

  /// The contents of all files by their paths.
  func contents() throws -> [String: String] {
    var contents: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.hasSuffix(".json") {
      contents[name] = try text(name)
    }
    return contents
  }

  var catalog: SeedCatalog? { SeedLoader(directory: path).load().catalog }

  var diagnostics: [Diagnostic] { SeedLoader(directory: path).load().diagnostics }

  func workspace() throws -> SeedWorkspace { try SeedWorkspace(folder: path) }

  static let sound = [
    "categories.json": """
    {
      "categories": [
        {"slug": "technology", "name": "Technology"},
        {"slug": "arts", "name": "Arts & Letters"}
      ]
    }
    """,
    "feeds/technology.json": """
    {
      "category": "technology",
      "feeds": [
        {
          "slug": "six",
          "title": "Six",
          "feedURL": "https://six.example/feed",
          "tags": ["apple"]
        }
      ]
    }

    """,
    "collections/best.json": """
    {
      "slug": "best",
      "title": "Best",
      "feeds": [
        "six"
      ]
    }

    """,
  ]
}
