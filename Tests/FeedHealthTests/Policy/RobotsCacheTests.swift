import HTTPTransport
import Testing

@testable import FeedHealth

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
