import Foundation
import SchemaLanguage

/// Files of the repository that tests check the code against.
enum RepositoryFile {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let schema = root.appending(path: "schema/celestra.ckdb")

  static func shippedSchema() throws -> Schema {
    try Schema(parsing: String(contentsOf: schema, encoding: .utf8), name: schema.path)
  }

  static let seeds = root.appending(path: "seeds")
}
