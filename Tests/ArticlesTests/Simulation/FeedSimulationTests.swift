import Foundation
import Testing

/// Feeds over days, in many ways of publishing them. The results are a list beside this file.
@Suite struct FeedSimulationTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ways.md")

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
    let list = Self.head + results.map { $0.row + "\n" }.joined()
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      try list.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: Self.page, encoding: .utf8) == list,
      "stale: run RECORD_DOCUMENTATION=1 swift test --filter FeedSimulationTests")
  }

  private static let head = """
    # Ways of publishing

    Feeds of 8 days, fetched four times a day. The stored articles are compared with the stories that the fetched documents
    showed. Each story becomes one article, but where the list says otherwise:


    """
}
