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

  /// Opens the store that will be served, and imports the schema into each of its environments if it is a new one.
  /// Throws `ContainerFailure` or ``ServerError``.
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
  package init(
    _ configuration: EmulatorConfiguration, store: LocalStore,
    logger: Logger = Logger(label: "emulator", factory: { _ in SwiftLogNoOpLogHandler() })
  ) async throws {
    // A container id that could be a real app's begins with `iCloud.` and has no part that begins with "demo".
    let looksReal = configuration.container.hasPrefix("iCloud.") && !configuration.isMarkedAsDemo
    guard !looksReal || configuration.allowsRealContainer else {
      throw EmulatorServerError.mayBeReal(container: configuration.container)
    }
    let emulator = Emulator(configuration, store: store)
    let responder = EmulatorResponder(emulator: emulator, logger: logger)
    let service = LimitedHTTPServer.Service(
      name: EmulatorServerName.text, limits: configuration.listening, delays: emulator.delays,
      refusal: responder.refusal, answer: responder.reply)
    server = try await LimitedHTTPServer(service, port: configuration.port)
    port = server.port
    url = "http://127.0.0.1:\(port)"
    self.store = store
    monitor = emulator.monitor
    delays = emulator.delays
  }

  /// The number of requests whose reply is not written yet.
  package var requestsInFlight: Int { server.connections.busy }
  package var idleConnections: Int { server.connections.idle }

  /// Stops the server: accepts no new connections, finishes running requests without further delays, and closes all
  /// connections. Requests that the client keeps from finishing are ended after `Limits.stopTimeout`.
  package func stop() async {
    delays.end()
    await server.stop()
  }
}

extension LimitedHTTPServer.Limits {
  /// The maximum number of connections, which leaves file descriptors for the store and other files of the process.
  var connections: Int {
    let reserve = 64
    let files = FileDescriptorLimit.raise(to: maximumConnections + reserve)
    return max(1, min(maximumConnections, files - reserve))
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
      "url": url.json, "managementURL": url.json, "keyID": keyID?.json,
      "privateKeyPath": privateKeyPath?.json, "container": container.json,
      "managementToken": managementToken?.exposed.json,
      "consoleURL": consoleURL?.json,
    ])
  }
}
