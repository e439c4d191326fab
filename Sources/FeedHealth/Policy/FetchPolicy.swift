internal import CloudKitModel
internal import HTTPTransport

/// The limits for fetching feeds.
public struct FetchPolicy: Sendable, Hashable {
  /// Names the tool and a contact; see ``userAgent(version:contact:)``.
  public var userAgent = FetchPolicy.userAgent(version: "1", contact: nil)
  public var connectTimeout = Duration.seconds(10)
  /// For one feed, redirects included.
  public var totalTimeout = Duration.seconds(30)
  public var maxRedirects = 10
  /// Bytes of a feed that are read, after decoding.
  public var maxBodyBytes = 10 << 20
  /// Allow private and loopback addresses, for intranets and tests.
  public var allowPrivateAddresses = false
  /// The pause between the end of one request to a host and the start of the next. Loopback hosts need none, because
  /// they belong to this machine.
  public var hostDelay = Duration.seconds(1)
  /// A host that asks for a longer pause is left to a later run.
  public var hostPatience = Duration.seconds(5)
  /// Fetch `robots.txt` first and obey it.
  public var obeysRobots = false
  /// The time between two checks of a feed that asks for no other interval. It is a little less than an hour, so that
  /// an hourly run that starts early skips no feed.
  public var interval = Duration.seconds(50 * 60)
  /// The longest time that publishers and our own back-off may defer a check.
  public var maxInterval = Duration.seconds(86_400)
  /// The pause after a 429 without Retry-After.
  public var throttledInterval = Duration.seconds(600)
  /// The period, in days, after which a feed is fetched without validators, because some servers answer 304 forever.
  /// The day differs from feed to feed. `nil` turns this off.
  public var fullFetchDays: Int64? = 8

  public init() {}

  /// The tool, its version, and a contact for server operators: a URL or a mail address.
  public static func userAgent(version: String, contact: String?) -> String {
    let contact = contact.map { "; +\($0)" } ?? ""
    return "celestra-admin/\(version) (feed health check\(contact))"
  }

  var limits: HTTPLimits {
    HTTPLimits(
      connectTimeout: connectTimeout, totalTimeout: totalTimeout, maxRedirects: maxRedirects,
      maxBodyBytes: maxBodyBytes)
  }

  var addressPolicy: IPAddressPolicy { allowPrivateAddresses ? .any : .publicOnly }
}

/// The request for one feed.
struct FeedRequest: Sendable {
  private static let accept =
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    + "application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, */*;q=0.1"

  let http: HTTPRequest
  /// True when the request carries a validator, so that the server may answer 304.
  let isConditional: Bool

  /// - Parameters:
  ///   - isLast: true for the last request to this host in the run.
  init(
    url: String, metadata: FeedMetadata, policy: FetchPolicy, at now: Timestamp, isLast: Bool = false
  ) {
    var headers: HTTPHeaders = ["Accept": Self.accept, "User-Agent": policy.userAgent]
    if !Self.isDayForAll(metadata, policy, now) {
      // Sent back exactly as received: validators are opaque, quotes included (RFC 9110, section 8.8).
      headers["If-None-Match"] = metadata.etag.flatMap { $0.isEmpty ? nil : $0 }
      headers["If-Modified-Since"] = metadata.lastModified.flatMap { $0.isEmpty ? nil : $0 }
    }
    isConditional = headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil
    var http = HTTPRequest(
      url: url, headers: headers, limits: policy.limits, addressPolicy: policy.addressPolicy,
      keepsConnection: !isLast)
    http.isLenient = true
    self.http = http
  }

  /// True for the first check on a day on which this feed is fetched without validators.
  private static func isDayForAll(_ metadata: FeedMetadata, _ policy: FetchPolicy, _ now: Timestamp) -> Bool {
    guard let period = policy.fullFetchDays, period > 0, let last = metadata.lastHealthCheck,
      last.day != now.day
    else { return false }
    let own = metadata.feedRecordName.utf8.reduce(Int64(0)) { ($0 * 31 + Int64($1)) % 1_000_003 }
    return (now.day + own) % period == 0
  }
}
