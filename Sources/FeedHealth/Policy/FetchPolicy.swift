internal import FeedParsing
internal import HTTPTransport

/// How feeds are asked for: politely, and within bounds (feeds.md section 1.2).
public struct FetchPolicy: Sendable, Hashable {
  /// Names the tool and a contact; see ``userAgent(version:contact:)``.
  public var userAgent = FetchPolicy.userAgent(version: "1", contact: nil)
  public var connectTimeout = Duration.seconds(10)
  /// For one feed, redirects included.
  public var totalTimeout = Duration.seconds(30)
  public var maxRedirects = 5
  /// Bytes after decoding.
  public var maxBodyBytes = 15 << 20
  /// Ask private and loopback addresses too: for intranets and tests.
  public var allowPrivateAddresses = false
  /// Between the end of one request to a host and the start of the next. Loopback hosts get none: they are
  /// nobody else's.
  public var hostDelay = Duration.seconds(1)
  /// A host that asks to be left alone for longer is left to a later run.
  public var hostPatience = Duration.seconds(5)
  /// Ask for `robots.txt` first and obey it.
  public var obeysRobots = false
  /// Between checks of a feed that asks for nothing else: short of an hour, so that an hourly run, started a
  /// little early, passes none over.
  public var interval = Duration.seconds(50 * 60)
  /// The longest that publishers' wishes and our own back-off defer a check.
  public var longestInterval = Duration.seconds(86_400)
  /// For a 429 without Retry-After.
  public var throttledInterval = Duration.seconds(600)
  /// Every so many days a feed is asked for without validators, the day differing from feed to feed: some
  /// servers answer 304 for ever. `nil` never does.
  public var fullFetchDays: Int64? = 8

  public init() {}

  /// The tool, its version, and whom to write to when it misbehaves: a URL or a mail address.
  public static func userAgent(version: String, contact: String?) -> String {
    let contact = contact.map { "; +\($0)" } ?? ""
    return "celestra-admin/\(version) (feed health check\(contact))"
  }

  var limits: HTTPLimits {
    var limits = HTTPLimits(
      connectTimeout: connectTimeout, totalTimeout: totalTimeout, maxRedirects: maxRedirects,
      maxBodyBytes: maxBodyBytes)
    limits.keptBodyBytes = FeedLimits().wantedBytes
    return limits
  }

  var addressPolicy: AddressPolicy { allowPrivateAddresses ? .any : .publicOnly }
}
