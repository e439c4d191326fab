internal import CloudKitModel
public import Cryptography
public import Diagnostics
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
    let store = try LocalStore(location, settings: configuration.storeSettings(for: location))
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

extension EmulatorServer {
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
}

extension EmulatorServer.Listening {
  /// The connection limit, which leaves file descriptors for the store and other files of the process.
  var connectionLimit: Int {
    let reserve = 64
    let files = FileDescriptorLimit.raise(to: maximumConnections + reserve)
    return max(1, min(maximumConnections, files - reserve))
  }
}

extension EmulatorConfiguration {
  /// Throws ``EmulatorServerError`` if other machines could reach the emulator, or if it could be taken for a real
  /// container, and no setting allows it.
  func checkListening() throws {
    let loopback = ["127.0.0.1", "::1", "localhost"]
    guard loopback.contains(listening.host) || listening.allowsOtherHosts else {
      throw EmulatorServerError.reachableByOthers(listening.host)
    }
    let looksReal = container.hasPrefix("iCloud.") && !isMarkedAsDemo
    guard !looksReal || listening.allowsRealContainer else {
      throw EmulatorServerError.mayBeReal(container: container)
    }
  }
}

extension Duration {
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}

extension EmulatorServer {
  /// The content of `--ready-file`, with which a script connects to this server.
  ///
  /// - Parameters:
  /// - privateKeyPath: the path of the temporary private key, if one was made. The document never contains the key.
  /// - managementToken: the token generated for this server. Only include it in a file that only its owner can
  ///     read.
  public func readyDocument(
    container: String, keyID: String?, privateKeyPath: String? = nil, managementToken: Secret? = nil
  ) -> JSONValue {
    var object: JSONObject = ["url": .string(url), "managementURL": .string(url)]
    object["keyID"] = keyID.map(JSONValue.string)
    object["privateKeyPath"] = privateKeyPath.map(JSONValue.string)
    object["container"] = .string(container)
    object["managementToken"] = (managementToken?.exposed).map(JSONValue.string)
    return .object(object)
  }
}
