import CloudKitClient
import CloudKitModel
import Cryptography
import Diagnostics
import Logging
import Synchronization
import WebServicesWire

@testable import HTTPTransport

/// Answers each request with what the test scripted, and keeps what was sent.
final class ScriptedTransport: HTTPTransport {
  typealias Answer = Result<HTTPResponse, HTTPFailure>

  private let answer: @Sendable (HTTPRequest, Int) async -> Answer
  private let sent = Mutex<[HTTPRequest]>([])

  var requests: [HTTPRequest] { sent.withLock { $0 } }

  /// - Parameter answer: gets the request and how many came before it.
  init(_ answer: @escaping @Sendable (HTTPRequest, Int) async -> Answer) { self.answer = answer }

  /// Answers in order; the last answer is repeated.
  convenience init(_ answers: Answer...) {
    self.init { _, index in answers[min(index, answers.count - 1)] }
  }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let index = sent.withLock { sent in
      sent.append(request)
      return sent.count - 1
    }
    return try await answer(request, index).get()
  }
}

extension ScriptedTransport.Answer {
  static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = []) -> Self {
    .success(HTTPResponse(status: status, headers: headers, body: Array(text.utf8), finalURL: "http://x"))
  }

  static let empty = json(#"{"records":[]}"#)
  static func failure(_ kind: HTTPFailure.Kind) -> Self { .failure(HTTPFailure(kind, "\(kind)")) }
}

/// Time that passes only when somebody sleeps.
final class FakeTime: ClientClocks {
  private let elapsed = Mutex(Duration.zero)
  private let slept = Mutex<[Duration]>([])

  var uptime: Duration { elapsed.withLock { $0 } }
  var wallTime: Timestamp {
    Timestamp(milliseconds: 1_453_760_143_000 + uptime.components.seconds * 1000)
  }
  /// Every sleep so far.
  var sleeps: [Duration] { slept.withLock { $0 } }

  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    elapsed.withLock { $0 += duration }
    slept.withLock { $0.append(duration) }
    await Task.yield()
  }
}

struct ClientFixture {
  let client: CloudKitClient
  let time = FakeTime()
  let key: P256PrivateKey

  init(
    _ transport: ScriptedTransport,
    pipeline: RequestPipelineSettings = RequestPipelineSettings(requestsPerSecond: nil),
    baseURL: String = "http://127.0.0.1:1",
    authentication: ClientSettings.Authentication? = nil,
    logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
    waits: WaitReporter = .silent
  ) throws {
    key = try P256PrivateKey.generate()
    let signer = RequestSigner(keyID: "key", key: key)
    let settings = ClientSettings(
      container: "iCloud.demo", environment: .development,
      authentication: authentication ?? .serverKey(signer), baseURL: baseURL, pipeline: pipeline)
    var dependencies = ClientDependencies(
      transport: transport, time: time, randomShare: { 1 }, logger: logger)
    dependencies.waits = waits
    client = CloudKitClient(settings, dependencies: dependencies)
  }
}
