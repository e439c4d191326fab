import DemoFeeds
import HTTPTransport
import HostileFeeds
import Testing

@Suite("Demo feeds")
struct DemoFeedTableTests {
  @Test("the same slugs give the same table, with each problem once")
  func deterministic() {
    let slugs = (1...64).map { "feed-\($0)" }
    let table = DemoFeedTable(slugs: slugs)
    #expect(table.feeds == DemoFeedTable(slugs: slugs).feeds)
    #expect(table.feeds.map(\.slug) == slugs)
    let problems = table.feeds.map(\.behavior).filter {
      ![.rss20, .rss10, .atom, .jsonFeed, .gzip].contains($0)
    }
    #expect(problems == DemoFeedTable.problems)
  }

  @Test("a feed reads the same on every server started at the same time, by name and by path")
  func reproducible() async throws {
    let bodies = try await (0..<2).asyncMap { _ in
      let server = try await DemoFeedServer.start(now: 1_800_000_123)
      let body = try await CurlTransport().send(HTTPRequest(url: server.url(of: "some-feed"))).body
      let byPath = try await CurlTransport().send(HTTPRequest(url: server.baseURL + "/some-feed/feed.xml"))
        .status
      #expect(byPath == 200)
      try await server.stop()
      return String(decoding: body, as: UTF8.self).replacing("\(server.port)", with: "PORT")
    }
    #expect(bodies[0] == bodies[1])
    #expect(bodies[0].count > 1000)
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result]
  {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
