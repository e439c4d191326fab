package import CloudKitModel
package import Cryptography
internal import FoundationEssentials
package import LocalContainer
internal import Platform
package import WebServicesWire

/// All settings of an emulator: its container, credentials, address, limits and faults. Where the behavior of
/// Apple's service is unknown (`Documentation/Fidelity.md`), a setting chooses it.
package struct EmulatorConfiguration: Sendable {

  /// The id of the container that the emulator serves, such as `iCloud.demo.celestra`.
  package var container: String
  package var environments: Set<Environment> = [.development]
  package var keys: [String: P256PublicKey] = [:]
  /// The caller of ``localKeyID``. Each other key is a user of its own, with the same roles.
  package var keyIdentity = CallerIdentity.serverKey
  /// The id of the key that the emulator made: the same user as a local container, so that a file stays its own.
  package var localKeyID: String?
  /// The `users/*` operations that a key may call. Apple's CloudKit JS calls `users/current` with a key; all others
  /// are refused (Documentation/reference/web-services.md#credentials-and-databases, contradictory).
  package var userEndpointsOfKeys: Set<Endpoint> = [.usersCurrent]
  package var apiTokens: Set<Secret> = []
  /// The signed-in users, by web-auth token.
  package var users: [Secret: CallerIdentity] = [:]
  /// The token that the management API accepts; random by default.
  package var managementToken = Secret(UUID().uuidString)
  /// Host names that the emulator answers for, in addition to 127.0.0.1, [::1] and localhost, on any port. A
  /// request for another `Host` gets 421.
  package var allowedHosts: Set<String> = []
  /// Origins such as `https://app.example` whose pages may send requests, in addition to those of this machine. A
  /// request from another origin gets 403.
  package var allowedOrigins: Set<String> = []
  /// The id of the team that owns the container. `nil` accepts every team in a path and lists ``anyTeam`` as the
  /// only team.
  package var team: String?
  package static let anyTeam = "DEMODEMO00"
  /// The port; 0 selects a free one.
  package var port = 0
  /// Required for a container id that could be a real app's.
  package var allowsRealContainer = false
  package var listening = LimitedHTTPServer.Limits()

  // MARK: Behavior

  package var behavior = ServerBehavior()
  /// The maximum number of records in a page, from 1 to 200.
  package var pageSize = ContainerLimits.recordsPerRequest
  /// How old a signed request's date may be (Documentation/reference/web-services.md#signature-lifetime).
  package var signatureWindow = Duration.seconds(600)
  /// How far in the future a signed request's date may be
  /// (Documentation/reference/web-services.md#signature-lifetime, unknown).
  package var signatureLead = Duration.seconds(600)
  /// The error code for a key that asks for the private or the shared database
  /// (Documentation/reference/web-services.md#credentials-and-databases, the code unknown).
  package var keyAtPrivateDatabase = ServerError.Code.authenticationFailed
  /// Whether a wrong HTTP method is refused with 405 (Documentation/reference/web-services.md#endpoints, unknown).
  package var refusesOtherMethods = true
  /// Whether `users/discover` with GET returns an empty list, instead of failing as the live service does
  /// (Documentation/reference/web-services.md#users-endpoints, L).
  package var discoversEverybody = false
  /// The owner in descriptions of the default zone (Documentation/reference/web-services.md#zones-and-changes,
  /// unknown).
  package var zoneOwner = "_defaultOwner"
  /// Whether a user's first call of `users/caller` creates the user's record
  /// (Documentation/reference/web-services.md#users-endpoints, unknown).
  package var signInMakesUser = true
  /// Whether `users/caller` answers a list with the user under `users`, as Apple's page has it, instead of the user
  /// (Documentation/reference/web-services.md#users-endpoints, A against L).
  package var callerInList = false
  /// Whether one object may stand where the reference has a list of them
  /// (Documentation/reference/web-services.md#endpoints, L).
  package var oneMayStandForList = true
  /// Whether JSON true and false are accepted as INT64 instead of being refused
  /// (Documentation/reference/web-services.md#field-types, unknown).
  package var booleansAreIntegers = false
  /// Replacements for texts in the `reason` of errors, because most texts of the service are unknown.
  package var reasons: [String: String] = [:]
  /// The maximum size of a request body in bytes; a larger one gets 413
  /// (Documentation/reference/web-services.md#limits, unknown).
  package var bodyLimit = 2 << 20
  /// The maximum size of one asset in bytes (Documentation/reference/web-services.md#limits).
  package var assetLimit = 15 << 20
  /// The maximum size of all assets together in bytes. They are kept in memory.
  package var assetQuota = 256 << 20
  /// How long an upload URL is valid (Documentation/reference/web-services.md#assets, L).
  package var uploadLifetime = Duration.seconds(900)
  /// Whether an upload URL accepts only one upload (unknown).
  package var uploadsOnce = true
  /// Whether a receipt is only valid for the record and the field of its upload token
  /// (Documentation/reference/web-services.md#assets, unknown).
  package var receiptsAreBound = true
  /// Whether download URLs end with `${f}`, which clients replace by a file name
  /// (Documentation/reference/web-services.md#assets, L).
  package var downloadsAreNamed = true
  /// The form of the checksum of a file (Documentation/reference/web-services.md#asset-checksums, L).
  package var fileChecksum = AssetChecksum.signature
  package var record = RecordReplyFormat()

  // MARK: Faults

  /// A delay before each reply.
  package var latency = Duration.zero
  /// The maximum number of requests a second; further requests get 429 with `retryAfter`.
  package var rateLimit: Double?
  /// The status of throttled requests: 429, or 503 as native clients see it
  /// (Documentation/reference/web-services.md#throttling).
  package var throttleStatus = 429
  /// Whether the header `Retry-After` repeats the body's `retryAfter`
  /// (Documentation/reference/web-services.md#throttling, unknown).
  package var sendsRetryAfterHeader = true
  package var faults: [FaultRule] = []

  // MARK: Reproducible runs

  /// The time in records' stamps and in the header Date. Signatures are still checked against the machine's clock.
  package var now: @Sendable () -> Timestamp = LocalContainerSettings.systemClock
  /// The seed for request ids, record names and receipts; `nil` makes them random.
  package var seed: UInt64?

  package init(container: String) { self.container = container }

  /// Whether one part of the container id begins with "demo", so that it cannot be the id of a real app.
  package var isMarkedAsDemo: Bool {
    container.split { $0 == "." || $0 == "-" || $0 == "_" }.contains { $0.lowercased().hasPrefix("demo") }
  }

  /// The caller that signs with a key. The user record name is derived from the key's id.
  func identity(ofKey id: String) -> CallerIdentity {
    var identity = keyIdentity
    if id != localKeyID { identity.userRecordName = "_" + SHA256.hex("key \(id)").prefix(32) }
    return identity
  }

  /// Adds a user who signs in with this web-auth token. The user record name is derived from the token.
  package mutating func admitUser(_ token: Secret) { users[token] = .user(holding: token) }

  /// The settings for a store, with this configuration's clock and ids. With a seed, change tags repeat from run to
  /// run, as the other ids do. Only for a store in memory: in a file, a tag would then belong to two contents.
  package func storeSettings(for location: LocalStore.Location) -> LocalContainerSettings {
    let identifiers = IdentifierGenerator(seed: seed.map { $0 &+ 1 })
    var settings = LocalContainerSettings(now: now, makeRecordName: { identifiers.next() })
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
