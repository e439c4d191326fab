import Foundation
import Testing

/// Feeds over days, in many ways of publishing them. The results are a table in Documentation/reference/articles.md.
@Suite struct FeedSimulationTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Documentation/reference/articles.md").standardized
  private static let (begin, end) = ("<!-- simulation -->\n", "<!-- end of simulation -->")

  @Test(
    "each story becomes one article in all ways of publishing, but for the exceptions that are named")
  func all() async throws {
    let results = try await withThrowingTaskGroup(of: (Int, FeedSimulation.Result).self) { group in
      for (index, way) in PublishingWay.all.enumerated() {
        group.addTask { (index, try await FeedSimulation.run(way)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    for result in results where !result.isExpected { Issue.record("\(result.row)") }
    let head = "| Way of publishing | Stories | Articles | Result |\n| --- | --- | --- | --- |\n"
    let table = head + results.map { $0.row + "\n" }.joined()
    var text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: Self.begin))
    let stop = try #require(text.range(of: Self.end))
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      text.replaceSubrange(start.upperBound..<stop.lowerBound, with: table)
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: Self.page, encoding: .utf8)
    #expect(
      written.contains(Self.begin + table + Self.end),
      "stale: run RECORD_DOCUMENTATION=1 swift test --filter FeedSimulationTests")
  }
}
