public import CloudKitModel
public import Cryptography
internal import FoundationEssentials
public import LocalContainer
internal import SeededRandom
public import WebServicesWire

/// All settings of an emulator: its container, credentials, address, limits and faults. Where the behavior of
/// Apple's service is unknown (`Documentation/Fidelity.md`), a setting chooses it.
public struct EmulatorConfiguration: Sendable {
  /// The source of the time in records' stamps and in the header Date.
  public enum Clock: Sendable, Hashable {
    case system
    /// Always this time, so that two runs write the same stamps. Signatures are still checked against the machine's
    /// clock.
    case fixed(Timestamp)
    /// Has shown a time at an instant, and goes on from there at a rate; 1 is the machine's.
    case moving(from: Timestamp, at: ContinuousClock.Instant, rate: Double)
  }

  /// The id of the container that the emulator serves, such as `iCloud.demo.celestra`.
  public var container: String
  public var environments: Set<Environment> = [.development]
  /// The public keys of the server-to-server keys, by key id.
  public var keys: [String: P256PublicKey] = [:]
  /// The identity of requests that are signed with one of the keys.
  public var keyIdentity = CallerIdentity.serverKey
  /// The `users/*` operations that a key may call. Apple's CloudKit JS calls `users/current` with a key; all others
  /// are refused (Documentation/reference/web-services.md#credentials-and-databases, contradictory).
  public var userEndpointsOfKeys: Set<Endpoint> = [.usersCurrent]
  public var apiTokens: Set<Secret> = []
  /// The signed-in users, by web-auth token.
  public var users: [Secret: CallerIdentity] = [:]
  /// The token that the management API accepts; random by default.
  public var managementToken = Secret(UUID().uuidString)
  /// Host names that the emulator answers for, in addition to 127.0.0.1, [::1] and localhost, on any port. A
  /// request for another `Host` gets 421.
  public var allowedHosts: Set<String> = []
  /// Origins such as `https://app.example` whose pages may send requests, in addition to those of this machine. A
  /// request from another origin gets 403.
  public var allowedOrigins: Set<String> = []
  /// The id of the team that owns the container. `nil` accepts every team in a path and lists ``anyTeam`` as the
  /// only team.
  public var team: String?
  public static let anyTeam = "DEMODEMO00"
  public var management = ManagementAPIAssumptions([.host: ""])
  public var listening = EmulatorServer.Listening()

  // MARK: Behavior

  /// The behavior of the store.
  public var behavior = ServerBehavior()
  /// The maximum number of records in a page, from 1 to 200.
  public var pageSize = ContainerLimits.recordsPerRequest
  /// How old a signed request's date may be (Documentation/reference/web-services.md#signature-lifetime).
  public var signatureWindow = Duration.seconds(600)
  /// How far in the future a signed request's date may be
  /// (Documentation/reference/web-services.md#signature-lifetime, unknown).
  public var signatureLead = Duration.seconds(600)
  /// The error code for a key that asks for the private or the shared database
  /// (Documentation/reference/web-services.md#credentials-and-databases, the code unknown).
  public var keyAtPrivateDatabase = ServerError.Code.authenticationFailed
  /// Whether a wrong HTTP method is refused with 405 (Documentation/reference/web-services.md#endpoints, unknown).
  public var refusesOtherMethods = true
  /// Whether `users/discover` with GET returns an empty list, instead of failing as the live service does
  /// (Documentation/reference/web-services.md#users-endpoints, L).
  public var discoversEverybody = false
  /// The owner in descriptions of the default zone (Documentation/reference/web-services.md#zones-and-changes,
  /// unknown).
  public var zoneOwner = "_defaultOwner"
  /// Whether a user's first call of `users/caller` creates the user's record
  /// (Documentation/reference/web-services.md#users-endpoints, unknown).
  public var signInMakesUser = true
  /// Whether `users/caller` answers a list with the user under `users`, as Apple's page has it, instead of the user
  /// (Documentation/reference/web-services.md#users-endpoints, A against L).
  public var callerInList = false
  /// Whether one object may stand where the reference has a list of them
  /// (Documentation/reference/web-services.md#endpoints, L).
  public var oneMayStandForList = true
  /// Whether JSON true and false are accepted as INT64 instead of being refused
  /// (Documentation/reference/web-services.md#field-types, unknown).
  public var booleansAreIntegers = false
  /// Replacements for texts in the `reason` of errors, because most texts of the service are unknown.
  public var reasons: [String: String] = [:]
  /// The maximum size of a request body in bytes; a larger one gets 413
  /// (Documentation/reference/web-services.md#limits, unknown).
  public var bodyLimit = 2 << 20
  /// The maximum size of one asset in bytes (Documentation/reference/web-services.md#limits).
  public var assetLimit = 15 << 20
  /// The maximum size of all assets together in bytes. They are kept in memory.
  public var assetQuota = 256 << 20
  /// How long an upload URL is valid (Documentation/reference/web-services.md#assets, L).
  public var uploadLifetime = Duration.seconds(900)
  /// Whether an upload URL accepts only one upload (unknown).
  public var uploadsOnce = true
  /// Whether a receipt is only valid for the record and the field of its upload token
  /// (Documentation/reference/web-services.md#assets, unknown).
  public var receiptsAreBound = true
  /// Whether download URLs end with `${f}`, which clients replace by a file name
  /// (Documentation/reference/web-services.md#assets, L).
  public var downloadsAreNamed = true
  /// The form of the checksum of a file (Documentation/reference/web-services.md#asset-checksums, L).
  public var fileChecksum = AssetChecksum.signature
  public var record = RecordReplyFormat()

  // MARK: Faults

  /// A delay before each reply.
  public var latency = Duration.zero
  /// The maximum number of requests a second; further requests get 429 with `retryAfter`.
  public var rateLimit: Double?
  /// The status of throttled requests: 429, or 503 as native clients see it
  /// (Documentation/reference/web-services.md#throttling).
  public var throttleStatus = 429
  /// Whether the header `Retry-After` repeats the body's `retryAfter`
  /// (Documentation/reference/web-services.md#throttling, unknown).
  public var sendsRetryAfterHeader = true
  public var faults: [FaultRule] = []

  // MARK: Reproducible runs

  public var clock = Clock.system
  /// The seed for request ids, record names and receipts; `nil` makes them random.
  public var seed: UInt64?

  public init(container: String) { self.container = container }

  public func now() -> Timestamp {
    switch clock {
    case .system: LocalContainerSettings.systemClock()
    case .fixed(let time): time
    case .moving(let start, let instant, let rate): start + (ContinuousClock.now - instant) * rate
    }
  }

  /// Whether one part of the container id begins with "demo", so that it cannot be the id of a real app.
  public var isMarkedAsDemo: Bool {
    container.split { $0 == "." || $0 == "-" || $0 == "_" }.contains { $0.lowercased().hasPrefix("demo") }
  }

  /// Adds a user who signs in with this web-auth token. The user record name is derived from the token.
  public mutating func admitUser(_ token: Secret) { users[token] = .user(holding: token) }

  /// The settings for a store, with this configuration's clock and ids.
  ///
  /// With a seed, change tags repeat from run to run, as the other ids do. Only for a store in memory: in a file, a tag
  /// would then belong to two contents.
  public func storeSettings(for location: LocalStore.Location) -> LocalContainerSettings {
    let identifiers = IdentifierGenerator(seed: seed.map { $0 &+ 1 })
    var settings = LocalContainerSettings(now: { [self] in now() }, makeRecordName: { identifiers.next() })
    settings.behavior = behavior
    settings.pageSize = pageSize
    if let seed, location == .memory {
      settings.makeTagStart = {
        var numbers = SeededGenerator(seed: seed)
        return Int64(truncatingIfNeeded: numbers.next() >> 2)
      }
    }
    return settings
  }
}
