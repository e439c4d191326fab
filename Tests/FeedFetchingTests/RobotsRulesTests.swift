import Testing

@testable import FeedFetching
@testable import HTTPTransport

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
      ("Disallow: /p # private", "/p", false), ("Disallow: /p#q", "/p", false), ("#Disallow: /p", "/p", true),
      ("Disallow: /a$", "/a", false), ("Disallow: /a$", "/ab", true), ("Disallow: /a$", "/", true),
      ("Disallow: /*$", "/a", false), ("Disallow: *", "/a", false), ("Disallow: *a", "/bca", false),
      ("Disallow: /a*", "/a", false), ("Disallow: /a**b", "/ab", false), ("Disallow: /ab", "/a", true),
      ("Disallow: /*aab", "/aaab", false), ("Disallow: /*aab$", "/aabaab", false),
      ("Disallow: /*b$", "/ba", true),
      ("Disallow: /a:b", "/a:b", false), ("DISALLOW : /a", "/a", false), ("Disallow /a", "/a", true),
      ("Allow: /a\nDisallow: /a", "/a", true), ("Disallow: /\nAllow: /a", "/b", false),
      ("Disallow: /\nAllow:", "/b", false), ("Crawl-delay: 5\nDisallow: /a", "/a", false),
    ])
  func matching(rules: String, path: String, expected: Bool) {
    #expect(allows("User-agent: *\n" + rules, path) == expected)
  }

  @Test("a group has the agents before its rules; rules before every group belong to none")
  func agents() {
    #expect(allows("Disallow: /\nUser-agent: *\nDisallow: /a", "/b"))
    #expect(!allows("User-agent: x\nUser-agent: celestra-admin\nDisallow: /", "/a"))
    #expect(!allows("User-agent: celestra-admin\nUser-agent: x\nDisallow: /", "/a"))
    #expect(allows("User-agent: celestra-admin\nAllow: /\nUser-agent: *\nDisallow: /a", "/a"))
    #expect(!allows("User-agent: *\nAllow: /a\nUser-agent: celestra-admin\nDisallow: /", "/a"))
    // Two groups of one agent are one.
    let twice = "User-agent: celestra-admin\nDisallow: /a\nUser-agent: celestra-admin\nDisallow: /b"
    #expect(!allows(twice, "/a") && !allows(twice, "/b") && allows(twice, "/c"))
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

  /// A web of `robots.txt` documents that remembers what it was asked for.
  private actor Web: HTTPTransport {
    private let answers: [String: HTTPResponse]
    private(set) var requests: [HTTPRequest] = []

    init(_ answers: [String: (status: Int, text: String)]) {
      self.answers = answers.mapValues {
        HTTPResponse(status: $0.status, headers: [], body: Array($0.text.utf8), finalURL: "")
      }
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      requests.append(request)
      guard let answer = answers[request.url] else { throw HTTPFailure(.dns, "no such host") }
      return answer
    }
  }

  private var obedient: FetchPolicy {
    var policy = FetchPolicy()
    policy.obeysRobots = true
    return policy
  }

  @Test("the rules of an origin decide about the path and query of an address")
  func paths() async {
    let web = Web([
      "http://a.example:80/robots.txt": (200, "User-agent: celestra-admin\nDisallow: /x/y?z\nDisallow: /$")
    ])
    let cache = RobotsCache(transport: web, policy: obedient)
    for (url, expected) in [
      ("http://a.example/x/y?z", false), ("http://a.example/x/y?q", true), ("http://a.example/x", true),
      ("http://a.example/", false), ("http://a.example", false), ("http://b.example/", true),
      ("no address", true),
    ] {
      #expect(await cache.allows(url) == expected, "\(url)")
    }
    #expect(
      await web.requests.map(\.url) == ["http://a.example:80/robots.txt", "http://b.example:80/robots.txt"])
    #expect(await web.requests.allSatisfy { $0.limits.maxBodyBytes == 512_000 })
  }

  @Test("only an answer with status 200 has rules", arguments: [199, 200, 201, 404, 500])
  func statuses(status: Int) async {
    let web = Web(["http://a.example:80/robots.txt": (status, "User-agent: *\nDisallow: /")])
    #expect(
      await RobotsCache(transport: web, policy: obedient).allows("http://a.example/") == (status != 200))
  }

  @Test(
    "the agent is the first word of the user agent", arguments: ["tool/1 (x)", "tool 1", "tool", "Tool/2"])
  func agents(userAgent: String) async {
    var policy = obedient
    policy.userAgent = userAgent
    let web = Web(["http://a.example:80/robots.txt": (200, "User-agent: tool\nDisallow: /")])
    #expect(await !RobotsCache(transport: web, policy: policy).allows("http://a.example/"))
  }

  @Test("without the setting nothing is asked")
  func disobedient() async {
    let web = Web([:])
    #expect(await RobotsCache(transport: web, policy: FetchPolicy()).allows("http://a.example/"))
    #expect(await web.requests.isEmpty)
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
