public import CloudKitModel
public import Cryptography
public import LocalContainer
public import Logging
public import SchemaLanguage

/// The complete settings of an emulator and its server, from which it is started.
public struct EmulatorSetup: Sendable {
  public var configuration: EmulatorConfiguration
  public var behavior = ServerBehavior()
  public var listening = EmulatorServer.Listening()
  /// The number of records in a page, from 1 to 200; `nil` means 200.
  public var pageSize: Int?
  public var location = LocalStore.Location.memory

  public init(container: String) { configuration = EmulatorConfiguration(container: container) }

  /// Adds a user who signs in with this web-auth token. The user record name is derived from the token.
  public mutating func admitUser(_ token: Secret) {
    configuration.users[token] = .user(holding: token)
  }

  /// Freezes the clock and derives all ids from its time, so that two runs write the same bytes.
  public mutating func standStill(at time: Timestamp) {
    configuration.clock = .fixed(time)
    configuration.seed = UInt64(bitPattern: time.milliseconds)
  }

  /// Opens the store, imports the schema into each environment that is served if it is empty, and starts the
  /// server. Throws `ContainerFailure`, ``Refusal`` or ``EmulatorServerError``.
  public func start(_ schema: Schema, logger: Logger) async throws -> EmulatorServer {
    let settings = configuration.storeSettings(behavior: behavior, pageSize: pageSize)
    let store = try LocalStore(location, settings: settings)
    for environment in configuration.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
      try await store.initialize(schema, environment)
    }
    return try await EmulatorServer.start(
      configuration, store: store, listening: listening, logger: logger)
  }
}
