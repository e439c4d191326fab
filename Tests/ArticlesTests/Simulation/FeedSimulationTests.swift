import Foundation
import Testing

/// Feeds over days, in many ways of publishing them. The results are a table of Documentation/reference/articles.md.
@Suite struct FeedSimulationTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Documentation/reference/articles.md").standardized

  @Test(
    "each story becomes one article in all ways of publishing, but for the exceptions that are named")
  func all() async throws {
    let results = try await withThrowingTaskGroup(of: (Int, FeedSimulation.Result).self) { group in
      for (index, way) in PublishingWay.groups.flatMap(\.ways).enumerated() {
        group.addTask { (index, try await FeedSimulation.run(way)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    for result in results where !result.isExpected {
      Issue.record("\(result.way.name): \(result.words) of \(result.stories.count) stories")
    }
    var rest = results[...]
    let table =
      Self.head
      + PublishingWay.groups.map { name, ways in
        defer { rest = rest.dropFirst(ways.count) }
        return Self.row(name, rest.prefix(ways.count))
      }.joined()
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: Self.head))
    let end = try #require(text.range(of: "\n\n", range: start.upperBound..<text.endIndex))
    let current = text[start.lowerBound...end.lowerBound]
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      try text.replacing(current, with: table).write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(current == table, "stale: run RECORD_DOCUMENTATION=1 swift test --filter FeedSimulationTests")
  }

  private static let head = """
    | Ways of publishing | Ways | Stories | Lost | Stored twice |
    | --- | --- | --- | --- | --- |

    """

  private static func row(_ name: String, _ results: ArraySlice<FeedSimulation.Result>) -> String {
    let sum = { (count: (FeedSimulation.Result) -> Int) in
      let parts = results.filter { count($0) > 0 }.map { "\(count($0)): \($0.way.name)" }
      return parts.isEmpty ? "0" : parts.joined(separator: "; ")
    }
    return "| \(name) | \(results.count) | \(results.reduce(0) { $0 + $1.stories.count }) | "
      + "\(sum(\.lost)) | \(sum(\.doubles)) |\n"
  }
}
