import Foundation
import Testing

/// What many tests begin with or compare with. The tool makes each of them once, in a project folder of its own.
actor MadeOnce {
  static let shared = MadeOnce()
  private var tasks: [String: Task<Data, any Error>] = [:]

  func bytes(
    _ name: String, _ make: @escaping @Sendable (Tool) async throws -> Data
  ) async throws -> Data {
    let task = tasks[name] ?? Task { try await withProjectFolder(make) }
    tasks[name] = task
    return try await task.value
  }
}

/// A scratch folder as in a clone, and the tool in it.
func withProjectFolder<Result>(_ body: (Tool) async throws -> Result) async throws -> Result {
  try await withScratchFolder { folder in try await body(Tool(in: folder)) }
}

extension Tool {
  /// Writes a seed folder with the given number of records: one category, the others feeds.
  func writeSeeds(records: Int, named folder: String = "made") throws {
    let feeds = (1..<records).map { number in
      """
      {"slug":"feed-\(number)","title":"Feed \(number)","feedURL":"https://feed-\(number).example.org/rss",
       "siteURL":"https://feed-\(number).example.org/","subtitle":"What feed \(number) is about"}
      """
    }
    let path = "\(directory)/\(folder)"
    try FileManager.default.createDirectory(atPath: "\(path)/feeds", withIntermediateDirectories: true)
    try Data(#"{"categories":[{"slug":"general","name":"General"}]}"#.utf8)
      .write(to: URL(filePath: "\(path)/categories.json"))
    try Data(#"{"category":"general","feeds":[\#(feeds.joined(separator: ",\n"))]}"#.utf8)
      .write(to: URL(filePath: "\(path)/feeds/all.json"))
  }

  /// An empty container file with the project's schema.
  func makeContainer(_ file: String) async throws -> ContainerFile {
    try await place("empty", at: file) {
      try await $0.succeed("container", "init", "--schema", "schema/celestra.ckdb")
    }
  }

  /// Imports feeds, whose lines stay in `feeds.jsonl`.
  func importFeeds(_ feeds: [(recordName: String, url: String)]) async throws {
    let lines = feeds.map { feed in
      #"{"recordType":"PublicFeed","recordName":"\#(feed.recordName)","fields":{"#
        + #""feedURL":{"type":"STRING","value":"\#(feed.url)"}}}"#
    }
    try lines.joined(separator: "\n").write(
      toFile: "\(directory)/feeds.jsonl", atomically: true, encoding: .utf8)
    try await succeed("records", "import", "feeds.jsonl", "--yes")
  }

  /// A container file with feeds and the given number of subscriptions, without counts.
  func makeSubscriptions(_ file: String, feeds: Int = 400, count: Int) async throws -> ContainerFile {
    try await place("\(feeds) feeds, \(count) subscriptions", at: file) { tool in
      _ = try await tool.makeContainer("container.sqlite")
      try tool.writeSeeds(records: feeds + 1)
      try await tool.succeed("seed", "apply", "made", "--yes", "-q")
      try await tool.succeed(
        "container", "fill", "--users", "\(count / 10)", "--per-user", "10", "--random", "7")
    }
  }

  /// A copy of the container file that `make` makes with a tool on `container.sqlite` in a folder of its own.
  func place(
    _ name: String, at file: String, _ make: @escaping @Sendable (Tool) async throws -> Void
  ) async throws -> ContainerFile {
    let bytes = try await MadeOnce.shared.bytes(name) { tool in
      try await make(tool.on(file: "container.sqlite"))
      let made = ContainerFile(path: "\(tool.directory)/container.sqlite")
      try made.gather()
      return try Data(contentsOf: URL(filePath: made.path))
    }
    let path = "\(directory)/\(file)"
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try #require(
      FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600]))
    return ContainerFile(path: path)
  }

  /// A copy of a container file that nobody has open.
  func copy(_ file: String, to name: String) throws -> ContainerFile {
    try ContainerFile(path: "\(directory)/\(file)").gather()
    try FileManager.default.copyItem(atPath: "\(directory)/\(file)", toPath: "\(directory)/\(name)")
    return ContainerFile(path: "\(directory)/\(name)")
  }
}
