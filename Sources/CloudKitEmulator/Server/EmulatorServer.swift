internal import CloudKitModel
package import Cryptography
package import Diagnostics
package import LocalContainer
package import Logging
internal import Platform
package import SchemaLanguage
internal import WebServicesWire

package final class EmulatorServer: Sendable {
  /// The base URL of Web Services and of the management API, such as `http://127.0.0.1:8080`.
  package let url: String
  package let port: Int
  package let store: LocalStore
  package let monitor: EmulatorActivity
  private let server: LimitedHTTPServer
  private let delays: DelayController

  private init(_ listening: Listening, _ emulator: Emulator, _ server: LimitedHTTPServer) {
    let host = listening.host
    port = server.port
    url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    store = emulator.store
    monitor = emulator.monitor
    delays = emulator.delays
    self.server = server
  }

  /// Opens the store that will be served, and imports the schema into each of its environments if it is a new one.
  /// Throws `ContainerFailure` or ``ServiceRefusal``.
  ///
  /// - Parameter schema: `nil` for a store that exists and keeps the schema it has.
  package static func openStore(
    _ configuration: EmulatorConfiguration, schema: Schema?, in location: LocalStore.Location
  ) async throws -> LocalStore {
    let store = try LocalStore(location, settings: configuration.storeSettings(for: location))
    guard let schema else { return store }
    for environment in configuration.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
      try await store.initialize(schema, environment)
    }
    return store
  }

  /// Starts the server and returns once it accepts connections. Throws ``EmulatorServerError``, or another error of the
  /// system.
  package static func start(
    _ configuration: EmulatorConfiguration, store: LocalStore,
    logger: Logger = Logger(label: "emulator", factory: { _ in SwiftLogNoOpLogHandler() })
  ) async throws -> EmulatorServer {
    let listening = configuration.listening
    try configuration.checkListening()
    let emulator = Emulator(configuration, store: store)
    let responder = EmulatorResponder(
      emulator: emulator, bodyLimit: max(configuration.bodyLimit, configuration.assetLimit),
      webLimit: configuration.bodyLimit, logger: logger)
    let service = LimitedHTTPServer.Service(
      name: EmulatorServerName.text, limits: listening.limits, delays: emulator.delays,
      refusal: { overloaded(emulator, logger) }, answer: responder.reply)
    let server = try await LimitedHTTPServer.start(service, host: listening.host, port: listening.port)
    return EmulatorServer(listening, emulator, server)
  }

  /// The number of requests whose reply is not written yet.
  package var requestsInFlight: Int { server.connections.busy }
  package var idleConnections: Int { server.connections.idle }

  /// Stops the server: accepts no new connections, finishes running requests without further delays, and closes all
  /// connections. Requests that the client keeps from finishing are ended after `Listening.stopTimeout`.
  package func stop() async {
    delays.end()
    await server.stop()
  }

  private static func overloaded(_ emulator: Emulator, _ logger: Logger) -> EmulatorReply {
    let reply = emulator.overloaded()
    logger.info("a connection was closed", metadata: ["explanation": "\(reply.explanation ?? "-")"])
    return reply
  }
}

extension EmulatorServer {
  package struct Listening: Sendable, Hashable {
    /// The address to listen on. Addresses other than loopback need ``allowsOtherHosts``.
    package var host = "127.0.0.1"
    /// The port; 0 selects a free one.
    package var port = 0
    package var allowsOtherHosts = false
    /// Required for a container id that could be a real app's: it begins with `iCloud.` and has no part that begins
    /// with "demo".
    package var allowsRealContainer = false
    /// The maximum time to wait for the head of the first or next request on a connection.
    package var idleTimeout = Duration.seconds(120)
    /// The maximum time from a request's head to the end of its body, even if data keeps arriving; after it, 408.
    package var requestTimeout = Duration.seconds(60)
    /// The maximum time to finish requests after a stop; then connections whose client does not send or read are
    /// closed.
    package var stopTimeout = Duration.seconds(5)
    /// The maximum number of open connections; lower if the system allows fewer files. A new connection above it
    /// replaces the one that has been idle longest. If none is idle, the new one gets 503 and is closed.
    package var maximumConnections = 1000

    package init(port: Int = 0) { self.port = port }
  }
}

extension EmulatorServer.Listening {
  var limits: LimitedHTTPServer.Limits {
    LimitedHTTPServer.Limits(
      connections: connectionLimit, idleTimeout: idleTimeout, requestTimeout: requestTimeout,
      stopTimeout: stopTimeout)
  }

  /// The connection limit, which leaves file descriptors for the store and other files of the process.
  private var connectionLimit: Int {
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

extension EmulatorServer {
  /// The content of `--ready-file`, with which a script connects to this server.
  ///
  /// - Parameters:
  ///   - privateKeyPath: the path of the temporary private key, if one was made. The document never contains the key.
  ///   - managementToken: the token generated for this server. Only include it in a file that only its owner can
  ///     read.
  ///   - consoleURL: the address of the console beside it, which is a secret as the token is.
  package func readyDocument(
    container: String, keyID: String?, privateKeyPath: String? = nil, managementToken: Secret? = nil,
    consoleURL: String? = nil
  ) -> JSONValue {
    .object([
      "url": .string(url), "managementURL": .string(url), "keyID": keyID.map(JSONValue.string),
      "privateKeyPath": privateKeyPath.map(JSONValue.string), "container": .string(container),
      "managementToken": (managementToken?.exposed).map(JSONValue.string),
      "consoleURL": consoleURL.map(JSONValue.string),
    ])
  }
}
