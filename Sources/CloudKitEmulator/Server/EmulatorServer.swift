internal import CloudKitModel
internal import Diagnostics
internal import Hummingbird
internal import HummingbirdCore
public import LocalContainer
public import Logging
internal import NIOCore
internal import NIOPosix
public import SchemaLanguage
internal import ServiceLifecycle

/// The HTTP server of an emulator. Hummingbird is used only in this folder.
public final class EmulatorServer: Sendable {
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
    try configuration.checkListening()
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
}
