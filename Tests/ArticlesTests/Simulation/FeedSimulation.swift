import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import LocalContainer

/// Runs the job over a feed for some days, and compares the stored articles with the stories.
struct FeedSimulation {
  struct Result {
    var way: PublishingWay
    /// The stories that a fetched document showed.
    var stories: Set<String>
    /// Stories without an article.
    var lost: Int
    /// Articles beyond the first of a story.
    var doubles: Int

    var isExpected: Bool { lost == way.losses && doubles == way.doubles }

    var words: String {
      let parts = [(lost, "lost"), (doubles, "doubled")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return parts.joined(separator: ", ")
    }
  }

  static func run(_ way: PublishingWay) async throws -> Result {
    let world = try await world(for: way)
    var shown: Set<String> = []
    for number in 0..<PublishingWay.days * PublishingWay.runsPerDay {
      let fetch = FeedFetch(number: number, day: Double(number) / Double(PublishingWay.runsPerDay))
      if way.isDown(fetch) {
        world.web.remove("http://a.example/feed")
      } else {
        let (text, stories) = way.document(at: fetch)
        world.web.serve(text, at: "http://a.example/feed", etag: nil)
        if case .checksOnly(let runs) = way.trouble, runs.contains(number) {
        } else {
          shown.formUnion(stories.map(\.name))
        }
      }
      try await run(number, of: way, in: world)
      world.clock.advance(days: 1 / Double(PublishingWay.runsPerDay))
    }
    let names = try await world.articles().map { $0["author"]?.string ?? "" }
    let stored = Set(names)
    return Result(
      way: way, stories: shown, lost: shown.subtracting(stored).count,
      doubles: names.count - stored.count)
  }

  private static func world(for way: PublishingWay) async throws -> ArticleWorld {
    try await ArticleWorld(schema: { schema in
      guard case .olderSchema = way.trouble else { return schema }
      let absent = ["articlesValidator", "undatedItems", "itemIDRule", "enclosureURL"]
      return schema.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { line in !absent.contains { line.contains(" \($0) ") } }.joined(separator: "\n")
    })
  }

  private static func run(_ number: Int, of way: PublishingWay, in world: ArticleWorld) async throws {
    var options: ArticleOptions? = ArticleOptions()
    switch way.trouble {
    case .stopped(let runs) where runs.contains(number):
      // The articles are written before the state.
      let container = FaultyContainer(world.container) { request in
        guard case .modify(let operations) = request,
          operations.contains(where: { $0.recordType == "FeedMetadata" })
        else { return nil }
        return .eachRecord(ServerError(.accessDenied, "no"))
      }
      _ = try await world.run(on: container)
      return
    case .stateLost(number):
      for record in try await world.container.allRecords(Query("FeedMetadata")) {
        _ = try await world.container.modify([
          RecordOperation(
            .delete, recordType: "FeedMetadata", recordName: record.recordName, changeTag: record.changeTag)
        ])
      }
    case .checksOnly(let runs) where runs.contains(number): options = nil
    default: break
    }
    try await world.run(options)
  }
}
