import Diagnostics
import Synchronization
import Testing

@testable import CommandLine
@testable import HTTPTransport

@Suite struct MonitoringPingTests {
  private static let run = "4a1c0f52-0000-4000-8000-000000000000"

  /// Answers with the statuses one after the other, or not at all for `nil`; the last one again and again.
  private final class Service: HTTPTransport {
    private let answers: [Int?]
    private let state = Mutex<[HTTPRequest]>([])
    var requests: [HTTPRequest] { state.withLock(\.self) }

    init(_ answers: [Int?]) { self.answers = answers }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      let count = state.withLock { requests in
        requests.append(request)
        return requests.count
      }
      guard let status = answers[min(count, answers.count) - 1] else {
        throw HTTPFailure(.connect, "cannot connect to \(request.url)")
      }
      return HTTPResponse(status: status, finalURL: request.url)
    }
  }

  private func ping(_ service: Service, to text: String = "https://ping.example/secret") throws
    -> MonitoringPing
  {
    MonitoringPing(
      origin: "--ping", address: try #require(MonitoringPingURL(text)), run: Self.run, transport: service,
      wait: { _ in })
  }

  @Test(
    "the address of a signal keeps the path and the query of the check",
    arguments: [
      ("https://hc.example/uuid", MonitoringPingEvent.start, "https://hc.example/uuid/start?rid="),
      ("https://hc.example/uuid/", .success, "https://hc.example/uuid?rid="),
      ("https://hc.example/key/slug?create=1", .failure, "https://hc.example/key/slug/fail?create=1&rid="),
      ("http://[::1]:8080/uuid", .log, "http://[::1]:8080/uuid/log?rid="),
    ])
  func addresses(_ text: String, _ signal: MonitoringPingEvent, _ expected: String) throws {
    #expect(try #require(MonitoringPingURL(text)).text(of: signal, run: Self.run) == expected + Self.run)
  }

  @Test(
    "what is not an address is refused",
    arguments: ["", "hc.example/uuid", "ftp://hc.example/", "https://user:word@hc.example/", "https://a\nb/"])
  func refused(_ text: String) { #expect(MonitoringPingURL(text) == nil) }

  @Test("plain http reaches this machine and the hosts of the environment only")
  func protection() throws {
    func isProtected(_ text: String) throws -> Bool {
      try #require(MonitoringPingURL(text)).isProtected(plainHTTPHosts: ["hc.internal"])
    }
    #expect(try isProtected("https://hc.example/x"))
    #expect(try isProtected("http://127.0.0.1:8000/x"))
    #expect(try isProtected("http://hc.internal/x"))
    #expect(try !isProtected("http://hc.example/x"))
  }

  @Test(
    "a service that is busy is asked again, one that says no is not",
    arguments: [
      ([200], 1, true), ([503, 429, nil, 200], 4, true), ([404, 200], 1, false), ([302, 200], 1, false),
      ([500], 5, false), ([nil], 5, false),
    ] as [([Int?], Int, Bool)])
  func attempts(_ answers: [Int?], _ count: Int, _ arrives: Bool) async throws {
    let service = Service(answers)
    let reason = try await ping(service).send(.success, body: "ended")
    #expect((reason == nil) == arrives)
    #expect(service.requests.count == count)
    #expect(service.requests.allSatisfy { $0.method == "POST" && $0.limits.maxRedirects == 0 })
  }

  @Test("the reason of a failure holds nothing of the address")
  func secrecy() async throws {
    for answers in [[nil], [404], [500]] as [[Int?]] {
      let reason = try await ping(Service(answers)).send(.start)
      #expect(try !#require(reason).contains("secret"))
      #expect(try !#require(reason).contains("ping.example"))
    }
  }
}
