package import HTTPTransport

package struct FetchPolicy: Sendable, Hashable {
  /// Names the tool and a contact; see ``userAgent(version:contact:)``.
  package var userAgent = FetchPolicy.userAgent(version: "1", contact: nil)
  package var connectTimeout = Duration.seconds(10)
  /// For one feed, redirects included.
  package var totalTimeout = Duration.seconds(30)
  package var maxRedirects = 10
  /// Bytes of a feed that are read, after decoding.
  package var maxBodyBytes = 10 << 20
  /// Allow private and loopback addresses, for intranets and tests.
  package var allowPrivateAddresses = false
  /// The pause between the end of one request to a host and the start of the next. Loopback hosts need none, because
  /// they belong to this machine.
  package var hostDelay = Duration.seconds(1)
  /// A host that asks for a longer pause is left to a later run, unless the run's budget lasts longer.
  package var hostPatience = Duration.seconds(5)
  /// Fetch `robots.txt` first and obey it.
  package var obeysRobots = false
  /// The time between two checks of a feed that asks for no other interval. It is a little less than an hour, so that
  /// an hourly run that starts early skips no feed.
  package var interval = Duration.seconds(50 * 60)
  /// The longest time that publishers and our own back-off may defer a check.
  package var maxInterval = Duration.seconds(86_400)
  /// The pause after a 429 without Retry-After.
  package var throttledInterval = Duration.seconds(600)
  /// The period, in days, after which a feed is fetched without validators, because some servers answer 304 forever.
  /// The day differs from feed to feed. `nil` turns this off.
  package var fullFetchDays: Int64? = 8

  package init() {}

  /// The tool, its version, and a contact for server operators: a URL or a mail address.
  package static func userAgent(version: String, contact: String?) -> String {
    let contact = contact.map { "; +\($0)" } ?? ""
    return "celestra-admin/\(version) (feed health check\(contact))"
  }

  /// The time until the next request to a feed that asks for no other: the interval, doubled for each failure in a row
  /// after the first, at most ``maxInterval``.
  package func backOff(failures: Int64) -> Duration {
    guard failures > 1 else { return interval }
    let doublings = min(failures - 1, 16)
    return min(interval * (1 << doublings), maxInterval)
  }

  package var limits: HTTPLimits {
    HTTPLimits(
      connectTimeout: connectTimeout, totalTimeout: totalTimeout, maxRedirects: maxRedirects,
      maxBodyBytes: maxBodyBytes)
  }

  package var addressPolicy: IPAddressPolicy { allowPrivateAddresses ? .any : .publicOnly }
}
