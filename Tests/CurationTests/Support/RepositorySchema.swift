import Foundation

/// The schema that the repository ships.
enum RepositorySchema {
  static func text(_ name: String = "celestra") throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "schema/\(name).ckdb"), encoding: .utf8)
  }
}
