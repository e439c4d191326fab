internal import CloudKitModel
public import Diagnostics
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
public import LocalContainer
public import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
public import SchemaLanguage
internal import ServiceLifecycle

/// The HTTP server of an emulator. Hummingbird is used only in this folder.
public final class EmulatorServer: Sendable {
  /// The address, limits and timeouts of the server.
  public struct Listening: Sendable, Hashable {
    /// The address to listen on. Addresses other than loopback need ``allowsOtherHosts``.
    public var host = "127.0.0.1"
    /// The port; 0 selects a free one.
    public var port = 0
    public var allowsOtherHosts = false
    /// Required for a container id that could be a real app's: it begins with `iCloud.` and has no part that begins
    /// with "demo".
    public var allowsRealContainer = false
    /// The maximum time to wait for the head of the first or next request on a connection.
    public var idleTimeout = Duration.seconds(120)
    /// The maximum time from a request's head to the end of its body, even if data keeps arriving; after it, 408.
    public var requestTimeout = Duration.seconds(60)
    /// The maximum time to finish requests after a stop; then connections whose client does not send or read are
    /// closed.
    public var stopTimeout = Duration.seconds(5)
    /// The maximum number of open connections; lower if the system allows fewer files. A new connection above it
    /// replaces the one that has been idle longest. If none is idle, the new one gets 503 and is closed.
    public var maximumConnections = 1000

    public init(port: Int = 0) { self.port = port }
  }

  /// The length of the queue of connections to accept; the system may lower it. A connection that does not fit is
  /// not refused: the client retries a second later, which slows down bursts.
  private static let connectionBacklog = 4096

  /// The base URL of Web Services and of the management API, such as `http://127.0.0.1:8080`.
  public let url: String
  public let port: Int
  /// What it serves.
  public let store: LocalStore
  public let monitor: EmulatorActivity
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

  /// Opens the store, imports the schema into each environment that is served if it is empty, and starts the
  /// server. Throws `ContainerFailure`, ``ServiceRefusal`` or ``EmulatorServerError``.
  public static func start(
    _ configuration: EmulatorConfiguration, schema: Schema, in location: LocalStore.Location, logger: Logger
  ) async throws -> EmulatorServer {
    let store = try LocalStore(location, settings: configuration.storeSettings)
    for environment in configuration.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
      try await store.initialize(schema, environment)
    }
    return try await start(configuration, store: store, logger: logger)
  }

  /// Starts the server and returns once it accepts connections. Throws ``EmulatorServerError``, or another error of the
  /// system.
  public static func start(
    _ configuration: EmulatorConfiguration, store: LocalStore,
    logger: Logger = Logger(label: "emulator", factory: { _ in SwiftLogNoOpLogHandler() })
  ) async throws -> EmulatorServer {
    let listening = configuration.listening
    try check(configuration)
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
            ConnectionLimitHandler(connections) { overloaded(emulator, logger) },
            RequestBodyDeadline(requestTimeout),
            ExpectContinueHandler(), DateHeaderHandler(),
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
        let explained = EmulatorServerError.explaining(error, listening)
        signal.finish(throwing: explained)
        throw explained
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

  /// The number of requests whose reply is not written yet.
  public var requestsInFlight: Int { inFlight.count }
  /// The number of open connections without a request.
  public var idleConnections: Int { connections.idle }

  /// Stops the server: accepts no new connections, finishes running requests without further delays, and closes all
  /// connections. Requests that the client keeps from finishing are ended after `Listening.stopTimeout`.
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
    // Do not cancel the task: NIO would crash on a connection that is accepted but not yet registered.
    await services.triggerGracefulShutdown()
    _ = await run.result
  }

  /// Stops accepting before the listener closes: NIO crashes if the listener closes while an accepted connection is
  /// being set up. The setup changes event loops twice (to register the connection and to add its handlers), so
  /// wait for two rounds.
  private func stopAccepting() async {
    // These calls only fail if the listener is closed already.
    try? await listener.setOption(.autoRead, value: false).get()
    for _ in 1...2 {
      for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
      try? await listener.eventLoop.submit {}.get()
    }
    listener.close(promise: nil)
  }

  /// The reply on a connection above the limit; also logs it.
  private static func overloaded(_ emulator: Emulator, _ logger: Logger) -> EmulatorReply {
    let reply = emulator.overloaded()
    logger.info("a connection was closed", metadata: ["explanation": "\(reply.explanation ?? "-")"])
    return reply
  }

  private static func check(_ configuration: EmulatorConfiguration) throws {
    let listening = configuration.listening
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

/// The reason why an emulator cannot start.
public enum EmulatorServerError: Error, Sendable, Hashable, CustomStringConvertible {
  case cannotListen(String)
  /// Another program listens on the port.
  case portTaken(Int)
  /// The system reserves the port, as those below 1024.
  case portReserved(Int)
  /// The address is not a loopback address.
  case reachableByOthers(String)
  /// The container id could be a real app's.
  case mayBeReal(container: String)

  public var description: String {
    switch self {
    case .cannotListen(let host): "the emulator could not listen on \(host)"
    case .portTaken(let port): "port \(port) is taken"
    case .portReserved(let port): "this user may not listen on port \(port)"
    case .reachableByOthers(let host):
      "\(host) is not this machine's own address: other machines could reach the emulator"
    case .mayBeReal(let container): "\(container) may be a real container"
    }
  }
}

extension EmulatorServerError: CommandFailureConvertible {
  public var failure: CommandFailure {
    switch self {
    case .mayBeReal:
      CommandFailure(
        description, code: "real-container",
        hint: "Name it iCloud.demo.…, or add --allow-real-container if it is meant.")
    case .portTaken(let port):
      CommandFailure(
        description, code: "port-taken",
        hint:
          "Perhaps another emulator uses it: 'lsof -i :\(port)' names the program. Or choose another --port.")
    case .portReserved:
      CommandFailure(description, code: "port-reserved", hint: "Choose a --port from 1024 up.")
    case .cannotListen, .reachableByOthers: CommandFailure(description)
    }
  }

  /// What the system says about the port, in words; any other error as it is.
  fileprivate static func explaining(
    _ error: any Error, _ listening: EmulatorServer.Listening
  ) -> any Error {
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: Self.portTaken(listening.port)
    case EACCES: Self.portReserved(listening.port)
    default: error
    }
  }
}

/// The context of a request: its channel, so that a fault can reset the connection.
private struct EmulatorRequestContext: RequestContext {
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
private struct EmulatorResponder: HTTPResponder {
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
    return response(to: reply, token, context)
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
    } catch is RequestBodyDeadline.Passed {
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

  private func response(
    to reply: EmulatorReply, _ token: InFlightRequests.Token, _ context: EmulatorRequestContext
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

extension EmulatorServer.Listening {
  /// The connection limit, which leaves file descriptors for the store and other files of the process.
  fileprivate var connectionLimit: Int {
    let reserve = 64
    let files = FileDescriptorLimit.raise(to: maximumConnections + reserve)
    return max(1, min(maximumConnections, files - reserve))
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
