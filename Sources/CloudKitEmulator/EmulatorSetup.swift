public import CloudKitModel
public import Cryptography
public import LocalContainer
public import Logging
public import SchemaLanguage

/// Everything that decides how one emulator runs, ready to be started.
public struct EmulatorSetup: Sendable {
  public var configuration: EmulatorConfiguration
  public var behavior = ServerBehavior()
  public var listening = EmulatorServer.Listening()
  /// Records in a page, 1...200; `nil` leaves it at 200.
  public var pageSize: Int?
  public var location = LocalStore.Location.memory

  public init(container: String) { configuration = EmulatorConfiguration(container: container) }

  /// Lets the holder of a web-auth token in, as a user whose record name follows from the token.
  public mutating func admitUser(_ token: Secret) {
    configuration.users[token] = .user(holding: token)
  }

  /// Makes the clock stand still, and every id from the time it shows: two such runs write the same bytes.
  public mutating func standStill(at time: Timestamp) {
    configuration.clock = .fixed(time)
    configuration.seed = UInt64(bitPattern: time.milliseconds)
  }

  /// Opens the store, sees to it that it has the schema in every environment that is served, and listens.
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
