internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
public import LocalContainer
public import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import ServiceLifecycle

/// An emulator that listens. Hummingbird is behind it and in no other file.
public final class EmulatorServer: Sendable {
  public struct Listening: Sendable, Hashable {
    /// Anything but a loopback address needs ``allowsOtherHosts``.
    public var host = "127.0.0.1"
    /// 0 takes a free one.
    public var port = 0
    public var allowsOtherHosts = false
    /// An `iCloud.` container that is not marked as a demo needs this.
    public var allowsRealContainer = false
    /// Until the head of a first or next request is complete.
    public var idleTimeout = Duration.seconds(120)
    /// From a request's head to the end of its body, however steadily it drips in; then 408.
    public var requestTimeout = Duration.seconds(60)
    /// From the wish to stop until connections whose client neither sends nor reads on are closed.
    public var stopTimeout = Duration.seconds(5)
    /// Connections open at once, fewer where the system allows no more files: a new one takes the place of the one
    /// that has been idle longest; where none is idle it gets 503 and is closed.
    public var maximumConnections = 1000

    public init(port: Int = 0) { self.port = port }
  }

  /// Connections that wait to be accepted, of which the system may allow fewer. One that finds no room there is not
  /// refused: its sender is left to try again a second later, so that a burst of them takes as many seconds.
  private static let connectionBacklog = 4096

  /// `http://127.0.0.1:8080`: the base of Web Services and of the management API alike.
  public let url: String
  public let port: Int
  /// What it serves.
  public let store: LocalStore
  public let monitor: EmulatorMonitor
  private let listener: any Channel
  private let services: ServiceGroup
  private let run: Task<Void, any Error>
  private let inFlight: InFlightRequests
  private let connections: OpenConnections
  private let delays: DelayController
  private let stopTimeout: Duration

  private init(
    _ listening: Listening, _ emulator: Emulator, port: Int, listener: any Channel, services: ServiceGroup,
    run: Task<Void, any Error>, inFlight: InFlightRequests, connections: OpenConnections
  ) {
    let host = listening.host
    url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    stopTimeout = listening.stopTimeout
    store = emulator.store
    monitor = emulator.monitor
    delays = emulator.delays
    self.port = port
    self.listener = listener
    self.services = services
    self.run = run
    self.inFlight = inFlight
    self.connections = connections
  }

  /// Starts to listen; returns when connections are accepted. Throws ``EmulatorServerError``, or what the system
  /// says about the port.
  public static func start(
    _ configuration: EmulatorConfiguration, store: LocalStore, listening: Listening = Listening(),
    logger: Logger = Logger(label: "emulator", factory: { _ in SwiftLogNoOpLogHandler() })
  ) async throws -> EmulatorServer {
    try check(configuration, listening)
    let emulator = Emulator(configuration, store: store)
    let inFlight = InFlightRequests()
    let connections = OpenConnections(limit: listening.connectionLimit)
    let requestTimeout = TimeAmount.nanoseconds(listening.requestTimeout.nanoseconds)
    let (started, signal) = AsyncThrowingStream.makeStream(of: (any Channel).self)
    let application = Application(
      responder: EmulatorResponder(
        emulator: emulator, bodyLimit: max(configuration.bodyLimit, configuration.assetLimit),
        webLimit: configuration.bodyLimit, inFlight: inFlight, logger: logger),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            ConnectionGate(connections) { overloaded(emulator, logger) }, RequestDeadline(requestTimeout),
            ContinueResponse(), DateHeaderOverride(),
          ],
          idleTimeout: .nanoseconds(listening.idleTimeout.nanoseconds))),
      configuration: ApplicationConfiguration(
        address: .hostname(listening.host, port: listening.port), serverName: "celestra-admin emulator",
        backlog: connectionBacklog),
      onServerRunning: { channel in
        signal.yield(channel)
        signal.finish()
      }, logger: Logger(label: "hummingbird", factory: { _ in SwiftLogNoOpLogHandler() }))
    let services = ServiceGroup(services: [application], logger: application.logger)
    let run = Task {
      do { try await services.run() } catch {
        signal.finish(throwing: error)
        throw error
      }
    }
    for try await listener in started {
      guard let port = listener.localAddress?.port else { break }
      return EmulatorServer(
        listening, emulator, port: port, listener: listener, services: services, run: run, inFlight: inFlight,
        connections: connections)
    }
    run.cancel()
    throw EmulatorServerError.cannotListen(listening.host)
  }

  /// Requests received whose answer is not written yet.
  public var requestsInFlight: Int { inFlight.count }
  /// Open connections without a request.
  public var idleConnections: Int { connections.idle }

  /// Accepts nothing new, finishes the requests in flight without any more pauses, closes every connection: those
  /// whose client keeps a request from ending after `Listening.stopTimeout`.
  public func stop() async {
    connections.keepAll()
    await stopAccepting()
    delays.end()
    let end = Task { [connections, stopTimeout] in
      try await Task.sleep(for: stopTimeout)
      connections.closeAll()
    }
    await inFlight.drained()
    end.cancel()
    // Not cancelled: a connection that is accepted and not yet looked at would end the process.
    await services.triggerGracefulShutdown()
    _ = await run.result
  }

  /// A connection that is accepted and not handed over yet would end the process if the listener closed. Twice it
  /// goes to a loop of its own and comes back to the listener's: to be registered, and to get its handlers.
  private func stopAccepting() async {
    // Each of these can fail only where the listener is closed already.
    try? await listener.setOption(.autoRead, value: false).get()
    for _ in 1...2 {
      for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
      try? await listener.eventLoop.submit {}.get()
    }
    listener.close(promise: nil)
  }

  /// What a connection without a place gets.
  private static func overloaded(_ emulator: Emulator, _ logger: Logger) -> EmulatorReply {
    let reply = emulator.overloaded()
    logger.info("a connection was closed", metadata: ["explanation": "\(reply.explanation ?? "-")"])
    return reply
  }

  private static func check(_ configuration: EmulatorConfiguration, _ listening: Listening) throws {
    let loopback = ["127.0.0.1", "::1", "localhost"]
    guard loopback.contains(listening.host) || listening.allowsOtherHosts else {
      throw EmulatorServerError.reachableByOthers(listening.host)
    }
    let looksReal = configuration.container.hasPrefix("iCloud.") && !configuration.isMarkedAsDemo
    guard !looksReal || listening.allowsRealContainer else {
      throw EmulatorServerError.mayBeReal(container: configuration.container)
    }
  }
}

/// Why an emulator does not start.
public enum EmulatorServerError: Error, Sendable, Hashable, CustomStringConvertible {
  case cannotListen(String)
  /// The address is not the loopback's.
  case reachableByOthers(String)
  /// The container's id is one that a real app could have.
  case mayBeReal(container: String)

  public var description: String {
    switch self {
    case .cannotListen(let host): "the emulator could not listen on \(host)"
    case .reachableByOthers(let host):
      "\(host) is not this machine's own address: other machines could reach the emulator"
    case .mayBeReal(let container): "\(container) may be a real container"
    }
  }
}

/// The connection's channel, which a fault may have to reset.
private struct EmulatorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Sends a reset instead of a tidy end.
  func reset() async {
    if let options = channel as? any SocketOptionProvider {
      try? await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    }
    // A connection that is closed already cannot be closed again, which is all that could go wrong.
    try? await channel.close().get()
  }
}

private struct EmulatorResponder: HTTPResponder {
  let emulator: Emulator
  /// Of any body, assets included, and of a web service's.
  let bodyLimit: Int
  let webLimit: Int
  let inFlight: InFlightRequests
  let logger: Logger

  func respond(to request: Request, context: EmulatorContext) async throws -> Response {
    let token = inFlight.begin()
    let start = ContinuousClock.now
    let incoming = await read(request, context)
    let reply = await emulator.reply(to: incoming)
    log(incoming, reply, ContinuousClock.now - start)
    if reply.delivery == .reset { await context.reset() }
    return response(to: reply, token, context)
  }

  private func read(_ request: Request, _ context: EmulatorContext) async -> EmulatorRequest {
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
    } catch is RequestDeadline.Passed {
      incoming.bodyProblem = .tooSlow
    } catch {
      incoming.bodyProblem = .brokenOff
    }
    return incoming
  }

  /// Never a body, a query or a header.
  private func log(_ request: EmulatorRequest, _ reply: EmulatorReply, _ duration: Duration) {
    let level: Logger.Level = reply.explanation == nil ? .debug : .info
    logger.log(
      level: level, "\(request.method) \(request.path)",
      metadata: [
        "status": "\(reply.status)", "explanation": "\(reply.explanation ?? "-")", "duration": "\(duration)",
        "uuid": "\(reply.headers.last?.value ?? "-")",
      ])
  }

  private func response(
    to reply: EmulatorReply, _ token: InFlightRequests.Token, _ context: EmulatorContext
  ) -> Response {
    var response = Response(status: .init(code: reply.status))
    response.headers = reply.fields
    let body = ByteBuffer(bytes: reply.body)
    let delays = emulator.delays
    response.body = ResponseBody(contentLength: body.readableBytes) { writer in
      try await Self.write(body, reply.delivery, to: &writer, context, delays)
      withExtendedLifetime(token) {}
    }
    return response
  }

  private static func write(
    _ body: ByteBuffer, _ delivery: EmulatorReply.Delivery, to writer: inout any ResponseBodyWriter,
    _ context: EmulatorContext, _ delays: DelayController
  ) async throws {
    switch delivery {
    case .whole:
      try await writer.write(body)
      try await writer.finish(nil)
    case .reset: throw ConnectionResetOnPurpose()
    case .half:
      try await writer.write(body.getSlice(at: 0, length: body.readableBytes / 2) ?? ByteBuffer())
      await context.reset()
      throw ConnectionResetOnPurpose()
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

private struct ConnectionResetOnPurpose: Error {}

extension EmulatorServer.Listening {
  /// Files for the store and whatever else this process has open stay free.
  fileprivate var connectionLimit: Int {
    let reserve = 64
    let files = DescriptorLimit.raise(to: maximumConnections + reserve)
    return max(1, min(maximumConnections, files - reserve))
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
