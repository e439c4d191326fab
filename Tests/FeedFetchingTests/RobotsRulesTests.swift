import HTTPTransport
import Testing

@testable import FeedFetching

@Suite struct RobotsRulesTests {
  private func allows(_ text: String, _ path: String) -> Bool {
    RobotsRules(text, agent: "celestra-admin").allows(path)
  }

  @Test("the group that names the agent counts alone; otherwise that of everybody")
  func groups() {
    let text = "User-agent: *\nDisallow: /\n\nUser-agent: Celestra-Admin\nUser-agent: other\nDisallow: /x"
    #expect(allows(text, "/feed"))
    #expect(!allows(text, "/x/feed"))
    #expect(!RobotsRules(text, agent: "somebody").allows("/feed"))
  }

  @Test(
    "the longest match decides, allowing when equal",
    arguments: [
      ("Disallow: /a\nAllow: /a/b", "/a/b/c", true), ("Allow: /a\nDisallow: /a/b", "/a/b", false),
      ("Disallow: /a\nAllow: /a", "/a", true), ("Disallow:", "/a", true),
      ("Disallow: /*.xml$", "/feed.xml", false), ("Disallow: /*.xml$", "/feed.xml?x", true),
      ("Disallow: /a*b*c", "/axxbxxc", false), ("Disallow: /a*b*c", "/axxc", true),
      ("Disallow: /*", "/", false),
      ("Disallow: /p # private", "/p", false),
    ])
  func matching(rules: String, path: String, expected: Bool) {
    #expect(allows("User-agent: *\n" + rules, path) == expected)
  }

  @Test("many stars cost no more than their length")
  func hostile() {
    let pattern = String(repeating: "*a", count: 2000) + "b"
    #expect(allows("User-agent: *\nDisallow: /\(pattern)", "/" + String(repeating: "a", count: 4000)))
  }

  @Test(
    "text that is not a robots.txt allows everything",
    arguments: ["", "<html>", "Disallow: /", "::::\n\u{0}"])
  func nonsense(text: String) { #expect(allows(text, "/feed")) }
}

@Suite struct RobotsCacheTests {
  /// Reports when it was asked, and only returns when it is cancelled.
  private struct SilentTransport: HTTPTransport {
    let asked: AsyncStream<Void>.Continuation

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      asked.yield()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw HTTPFailure(.cancelled, "cancelled")
    }
  }

  @Test("a cancelled task does not wait for a host's robots.txt", .timeLimit(.minutes(1)))
  func cancelled() async {
    let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
    var policy = FetchPolicy()
    policy.obeysRobots = true
    let cache = RobotsCache(transport: SilentTransport(asked: continuation), policy: policy)
    let waiting = Task { await cache.allows("http://a.example/feed") }
    for await _ in asked { break }
    waiting.cancel()
    #expect(await waiting.value)
  }
}
