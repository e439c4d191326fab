import Catalog
import Diagnostics
import Foundation

/// A seed directory of a test's own, gone when the test is.
final class SeedFolder: Sendable {
  let path: String

  /// Files by their path below the directory.
  init(_ files: [String: String] = SeedFolder.sound) throws {
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

  func load() -> LoadedSeeds { SeedLoader(directory: path).load() }

  /// `SE0401 feeds/a.json:3:5`, or the code alone for a finding without a place.
  func place(_ diagnostic: Diagnostic) -> String {
    guard let range = diagnostic.range else { return diagnostic.code }
    let name = range.source.name.dropFirst(path.count + 1)
    return "\(diagnostic.code) \(name):\(range.start.line):\(range.start.column)"
  }

  /// Two categories, two feeds and a collection, without a fault.
  static let sound = [
    "categories.json": """
    {"categories": [
      {"slug": "technology", "name": "Technology", "color": "#007AFF", "icon": "laptopcomputer"},
      {"slug": "apple", "name": "Apple", "parentCategory": "technology"}
    ]}
    """,
    "feeds/technology.json": """
    {"$schema": "../schemas/feeds.schema.json", "category": "technology", "feeds": [
      {"slug": "daring-fireball", "title": "Daring Fireball", "feedURL": "https://daringfireball.net/feeds/main",
       "language": "en", "tags": ["apple"]},
      {"title": "Six Colors", "feedURL": "https://sixcolors.com/feed/", "category": "apple", "isFeatured": true}
    ]}
    """,
    "collections/best.json": """
    {"slug": "best", "title": "Best", "curatorName": "Mara",
     "feeds": ["six-colors", "daring-fireball"]}
    """,
  ]
}
