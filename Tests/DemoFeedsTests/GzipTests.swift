import DemoFeeds
import HTTPTransport
import HostileFeeds
import Testing

@Suite("Gzip without a compressor")
struct GzipTests {
  @Test("the bomb grows 150-fold, and its repeated bytes are those of a full computation")
  func bomb() {
    let bomb = Gzip.bomb(copies: 200_000)
    #expect((324_000...326_000).contains(bomb.count))
    #expect(bomb.starts(with: Gzip.bomb(copies: 16)))
  }

  @Test("the bomb is valid until a limit stops it", arguments: [1 << 20, 40 << 20])
  func limit(_ bytes: Int) async throws {
    let server = try await DemoFeedServer.start(options: .init(now: 1_800_000_000))
    let request = HTTPRequest(url: server.url(of: .gzipBomb), limits: HTTPLimits(maxBodyBytes: bytes))
    let error = await #expect(throws: HTTPFailure.self) { _ = try await CurlTransport().send(request) }
    // A damaged stream would be an encoding failure long before the limit.
    #expect(error?.kind == .tooLarge)
    try await server.stop()
  }
}
