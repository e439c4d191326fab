import Foundation

/// Files of the repository that tests check the code against.
enum RepositoryFile {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let schema = root.appending(path: "schema/celestra.ckdb")
  static let seeds = root.appending(path: "seeds")
}
