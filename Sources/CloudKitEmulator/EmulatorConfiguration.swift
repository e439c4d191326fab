public import CloudKitModel
public import Cryptography
internal import FoundationEssentials
public import LocalContainer
public import WebServicesWire

/// What an emulator serves, to whom, and how faithfully. Where the service's behavior is unknown
/// (`Documentation/Fidelity.md`) a setting chooses.
public struct EmulatorConfiguration: Sendable {
  public enum Clock: Sendable, Hashable {
    case system
    /// Stands still, so that two runs write the same stamps. Signatures are still dated by the machine's clock.
    case fixed(Timestamp)
  }

  /// The one container served: `iCloud.demo.celestra`.
  public var container: String
  public var environments: Set<Environment> = [.development]
  /// Public halves of the server-to-server keys, by id.
  public var keys: [String: P256PublicKey] = [:]
  /// Whom a request signed by any of the keys comes from.
  public var keyIdentity = Identity.serverKey
  /// What a key may ask of `users/*`. Apple's CloudKit JS asks `users/current` with a key; the rest is refused
  /// (Documentation/reference/web-services.md#credentials-and-databases, contradictory).
  public var userEndpointsOfKeys: Set<Endpoint> = [.usersCurrent]
  public var apiTokens: Set<Secret> = []
  /// Users by their web-auth token.
  public var users: [Secret: Identity] = [:]
  /// The one token that the management API takes; a new one unless set.
  public var managementToken = Secret(UUID().uuidString)
  /// Names besides 127.0.0.1, [::1] and localhost for which it answers, whatever the port. A request for another
  /// `Host` gets 421.
  public var allowedHosts: Set<String> = []
  /// Origins besides those of this machine whose pages may send requests, as `https://app.example`. A request of
  /// another origin gets 403.
  public var allowedOrigins: Set<String> = []
  /// The team the container belongs to; without one any team's path is right, and the teams are
  /// ``anyTeam`` alone.
  public var team: String?
  public static let anyTeam = "DEMODEMO00"
  public var management = ManagementConventions([.host: ""])

  // MARK: Behavior

  /// How far a signed request's date may be off (Documentation/reference/web-services.md#signature-lifetime).
  public var signatureWindow = Duration.seconds(600)
  /// How far in the future its date may be (Documentation/reference/web-services.md#signature-lifetime, unknown).
  public var signatureLead = Duration.seconds(600)
  /// The refusal of a key at the private or the shared database
  /// (Documentation/reference/web-services.md#credentials-and-databases, the code unknown).
  public var keyAtPrivateDatabase = ServerError.Code.authenticationFailed
  /// Whether a method other than the operation's own is refused with 405
  /// (Documentation/reference/web-services.md#endpoints, unknown).
  public var refusesOtherMethods = true
  /// Whether `users/discover` with GET finds nobody, instead of failing as the live service does
  /// (Documentation/reference/web-services.md#users-endpoints, L).
  public var discoversEverybody = false
  /// The owner that the default zone is said to have (Documentation/reference/web-services.md#zones-and-changes,
  /// unknown).
  public var zoneOwner = "_defaultOwner"
  /// Whether a user's first `users/caller` makes the user's record
  /// (Documentation/reference/web-services.md#users-endpoints, unknown).
  public var signInMakesUser = true
  /// Whether a yes or no is taken for an INT64 instead of being refused
  /// (Documentation/reference/web-services.md#field-types, unknown).
  public var booleansAreIntegers = false
  /// Texts in the `reason` of refusals and what to say instead: most texts of the service are unknown.
  public var reasons: [String: String] = [:]
  /// Bytes of a request body; more is 413 (Documentation/reference/web-services.md#limits, unknown).
  public var bodyLimit = 2 << 20
  /// Bytes of one asset (Documentation/reference/web-services.md#limits).
  public var assetLimit = 15 << 20
  /// Bytes of all assets together, which are kept in memory.
  public var assetQuota = 256 << 20
  /// How long an upload's URL holds (Documentation/reference/web-services.md#assets, L).
  public var uploadLifetime = Duration.seconds(900)
  /// Whether it takes one upload only (unknown).
  public var uploadsOnce = true
  /// Whether a receipt holds only for the record and the field that its upload token named
  /// (Documentation/reference/web-services.md#assets, unknown).
  public var receiptsAreBound = true
  /// Whether a place to download from ends with `${f}`, for a file name
  /// (Documentation/reference/web-services.md#assets, L).
  public var downloadsAreNamed = true
  public var record = RecordFormat()

  // MARK: Trouble on purpose

  /// Before each answer.
  public var latency = Duration.zero
  /// Requests a second; more is 429 with `retryAfter`.
  public var rateLimit: Double?
  /// 429, or 503 as native clients see it (Documentation/reference/web-services.md#throttling).
  public var throttleStatus = 429
  /// Whether `retryAfter` stands in the header `Retry-After` as well
  /// (Documentation/reference/web-services.md#throttling, unknown).
  public var sendsRetryAfterHeader = true
  public var faults: [FaultRule] = []

  // MARK: Reproducible runs

  public var clock = Clock.system
  /// Makes request ids, record names and receipts from this number instead of chance.
  public var seed: UInt64?

  public init(container: String) { self.container = container }

  public func now() -> Timestamp {
    switch clock {
    case .system: LocalSettings.systemClock()
    case .fixed(let time): time
    }
  }

  /// A container id that can belong to nobody's real app: one of its parts begins with "demo".
  public var isMarkedAsDemo: Bool {
    container.split { $0 == "." || $0 == "-" || $0 == "_" }.contains { $0.lowercased().hasPrefix("demo") }
  }

  /// Settings for the store, so that its stamps and names follow this configuration.
  public func storeSettings(behavior: ServerBehavior = ServerBehavior(), pageSize: Int? = nil)
    -> LocalSettings
  {
    let identifiers = Identifiers(seed: seed.map { $0 &+ 1 })
    var settings = LocalSettings(now: { [self] in now() }, makeRecordName: { identifiers.next() })
    settings.behavior = behavior
    if let pageSize { settings.pageSize = pageSize }
    return settings
  }
}
