import Synchronization

@testable import HTTPTransport

/// A web of canned answers that remembers what it was asked.
final class StubTransport: HTTPTransport {
  typealias Answer = @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse

  private let answers: Mutex<[String: Answer]>
  private let log = Mutex<[HTTPRequest]>([])

  init(_ answers: [String: Answer] = [:]) { self.answers = Mutex(answers) }

  var requests: [HTTPRequest] { log.withLock(\.self) }

  func set(_ url: String, _ answer: @escaping Answer) { answers.withLock { $0[url] = answer } }

  /// No name is known any more.
  let isNameServerDead = Atomic(false)

  func resolves(_ host: String) async -> Bool { !isNameServerDead.load(ordering: .relaxed) }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    log.withLock { $0.append(request) }
    guard let answer = answers.withLock({ $0[request.url] }) else {
      throw HTTPFailure(.dns, "no such host")
    }
    return try answer(request)
  }
}

extension HTTPResponse {
  static func ok(_ text: String, _ headers: HTTPHeaders = [], from url: String = "http://a.example/feed")
    -> HTTPResponse
  {
    HTTPResponse(status: 200, headers: headers, body: Array(text.utf8), finalURL: url)
  }

  static func status(_ status: Int, _ headers: HTTPHeaders = [], _ text: String = "") -> HTTPResponse {
    HTTPResponse(
      status: status, headers: headers, body: Array(text.utf8), finalURL: "http://a.example/feed")
  }
}
