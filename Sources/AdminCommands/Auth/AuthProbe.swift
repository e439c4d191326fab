internal import CloudKitClient
internal import CloudKitModel
internal import HTTPTransport
internal import SchemaLanguage

/// What only the service can answer about the credentials.
struct AuthProbe {
  private let session: Session
  /// A signed request expires ten minutes after its date (web-services.md section 1.1).
  private static let window: Int64 = 600

  init(_ session: Session) { self.session = session }

  /// Compares this machine's clock with the service's.
  func clock() async throws -> String {
    let url = try session.settings[.baseURL] ?? ClientSettings.appleBaseURL
    let response = try await CurlTransport().send(HTTPRequest(url: url))
    guard let there = response.headers["Date"].flatMap(HTTPDate.secondsSince1970) else {
      return "the service does not tell the time"
    }
    let difference = session.world.now().milliseconds / 1000 - there
    guard abs(difference) < AuthProbe.window else {
      throw CommandFailure(
        "this machine's clock is \(abs(difference)) s \(difference > 0 ? "ahead of" : "behind") the service's",
        hint: "Set the clock; signatures are accepted within ten minutes.", status: .denied)
    }
    return "\(abs(difference)) s from the service's"
  }

  /// Looks up a name nobody uses: allowed to every identity the service knows.
  func service() async throws -> String {
    let target = try session.target
    let container = try await session.handle().container
    let outcomes = try await container.lookup(LookupRequest(["celestra-admin auth check"], desiredKeys: []))
    if let error = outcomes.first?.error, error.code != .notFound { throw error }
    return "\(target.name) accepts the credentials in \(target.environment.rawValue)"
  }

  /// Subscriptions carry their creator beside a hash: whoever reads them can tell who reads what
  /// (needs.md E1).
  func privacy() async throws -> String {
    guard let schema = try await session.schemaIfAvailable() else {
      return "not checked: the schema is reached with a management token"
    }
    let type = schema[recordType: "FeedSubscription"]
    guard type?.privileges(of: Role.world).contains(.read) != true else {
      throw CommandFailure(
        "anyone can read FeedSubscription, and with it who subscribes to what",
        hint: "Remove READ TO \"_world\" from its grants.", status: .denied)
    }
    return "FeedSubscription is not readable by the world"
  }
}
