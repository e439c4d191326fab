import Foundation

/// How much the tests of faults write and count. Larger amounts are asked for by environment variables.
enum FaultsSize {
  /// Records that seeding makes.
  static let seeds = number("SCENARIO_SEED_RECORDS", 600)
  /// Subscriptions that a recount counts.
  static let subscriptions = number("SCENARIO_SUBSCRIPTIONS", 8000)
  /// Runs that are killed, of each command.
  static let kills = number("SCENARIO_KILLS", 6)

  private static func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
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
    try await on(file: file).succeed("container", "init", "--schema", "schema/celestra.ckdb")
    return ContainerFile(path: "\(directory)/\(file)")
  }

  /// A container file with feeds and the given number of subscriptions, without counts.
  func makeSubscriptions(_ file: String, feeds: Int = 400, count: Int) async throws -> ContainerFile {
    let container = try await makeContainer(file)
    try writeSeeds(records: feeds + 1)
    let local = on(file: file)
    try await local.succeed("seed", "apply", "made", "--yes", "-q")
    try await local.succeed(
      "container", "fill", "--users", "\(count / 10)", "--per-user", "10", "--random", "7")
    return container
  }

  /// A copy of a container file that nobody has open.
  func copy(_ file: String, to name: String) throws -> ContainerFile {
    try ContainerFile(path: "\(directory)/\(file)").gather()
    try FileManager.default.copyItem(atPath: "\(directory)/\(file)", toPath: "\(directory)/\(name)")
    return ContainerFile(path: "\(directory)/\(name)")
  }
}
