internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import Synchronization

/// The context of a request: its channel, so that a fault can reset the connection.
struct EmulatorRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Closes the connection with a TCP reset.
  func reset() async {
    if let options = channel as? any SocketOptionProvider {
      try? await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    }
    // Closing fails only if the connection is closed already.
    try? await channel.close().get()
  }
}

/// Passes requests from Hummingbird to the emulator.
struct EmulatorResponder: HTTPResponder {
  let emulator: Emulator
  /// The maximum size of a body in bytes, for assets and for all other requests.
  let bodyLimit: Int
  let webLimit: Int
  let inFlight: InFlightRequests
  let logger: Logger

  func respond(to request: Request, context: EmulatorRequestContext) async throws -> Response {
    let token = inFlight.begin()
    let start = ContinuousClock.now
    let incoming = await read(request, context)
    let reply = await emulator.reply(to: incoming)
    log(incoming, reply, ContinuousClock.now - start)
    if reply.delivery == .reset { await context.reset() }
    return response(to: reply, of: request.method, token, context)
  }

  private func read(_ request: Request, _ context: EmulatorRequestContext) async -> EmulatorRequest {
    var headers: [String: String] = [:]
    for field in request.headers { headers[field.name.canonicalName] = field.value }
    let authority = request.head.authority ?? "127.0.0.1"
    var incoming = EmulatorRequest(
      request.method.rawValue, request.head.path ?? "/", headers: headers, origin: "http://\(authority)")
    let limit = incoming.path.hasPrefix(AssetStore.root) ? bodyLimit : webLimit
    do {
      let buffer = try await request.body.collect(upTo: limit)
      incoming.body = Array(buffer.readableBytesView)
    } catch is NIOTooManyBytesError {
      incoming.bodyProblem = .tooLarge
    } catch is RequestBodyTooSlow {
      incoming.bodyProblem = .tooSlow
    } catch {
      incoming.bodyProblem = .brokenOff
    }
    return incoming
  }

  /// Logs method, path, status and duration; never a body, a query or a header.
  private func log(_ request: EmulatorRequest, _ reply: EmulatorReply, _ duration: Duration) {
    let level: Logger.Level = reply.explanation == nil ? .debug : .info
    logger.log(
      level: level, "\(request.method) \(request.path)",
      metadata: [
        "status": "\(reply.status)", "explanation": "\(reply.explanation ?? "-")", "duration": "\(duration)",
        "uuid": "\(reply.headers.last?.value ?? "-")",
      ])
  }

  /// A reply to HEAD, and one with status 204 or 304, has no content (RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5): the
  /// client would take it for the next reply.
  private func response(
    to reply: EmulatorReply, of method: HTTPRequest.Method, _ token: InFlightRequests.Token,
    _ context: EmulatorRequestContext
  ) -> Response {
    var response = Response(status: .init(code: reply.status))
    response.headers = reply.fields
    let hasContent = method != .head && reply.status != 204 && reply.status != 304
    let body = ByteBuffer(bytes: hasContent ? reply.body : [])
    let delays = emulator.delays
    response.body = ResponseBody(contentLength: body.readableBytes) { writer in
      try await Self.write(body, reply.delivery, to: &writer, context, delays)
      withExtendedLifetime(token) {}
    }
    // That of the reply to GET.
    if method == .head { response.headers[.contentLength] = "\(reply.body.count)" }
    return response
  }

  private static func write(
    _ body: ByteBuffer, _ delivery: EmulatorReply.Delivery, to writer: inout any ResponseBodyWriter,
    _ context: EmulatorRequestContext, _ delays: DelayController
  ) async throws {
    switch delivery {
    case .whole:
      try await writer.write(body)
      try await writer.finish(nil)
    case .reset: throw DeliberateConnectionReset()
    case .half:
      try await writer.write(body.getSlice(at: 0, length: body.readableBytes / 2) ?? ByteBuffer())
      await context.reset()
      throw DeliberateConnectionReset()
    case .slow(let pause):
      var rest = body
      while rest.readableBytes > 0 {
        try await delays.wait(for: pause)
        let length = min(rest.readableBytes, max(1, body.readableBytes / 5))
        if let piece = rest.readSlice(length: length) { try await writer.write(piece) }
      }
      try await writer.finish(nil)
    }
  }
}

/// Thrown to end a response after a fault has reset its connection.
private struct DeliberateConnectionReset: Error {}

/// Counts the requests in progress, from the head until the reply is written or dropped, so that a stop can wait
/// for them.
final class InFlightRequests: Sendable {
  /// Counts as one request until it is deallocated.
  final class Token: Sendable {
    private let requests: InFlightRequests

    fileprivate init(_ requests: InFlightRequests) { self.requests = requests }

    deinit { requests.end() }
  }

  private typealias Waiting = [CheckedContinuation<Void, Never>]
  private let state = Mutex((running: 0, waiting: Waiting()))

  var count: Int { state.withLock { $0.running } }

  func begin() -> Token {
    state.withLock { $0.running += 1 }
    return Token(self)
  }

  private func end() {
    let woken = state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return Waiting() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns once no request is in progress.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.waiting.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
  }
}
