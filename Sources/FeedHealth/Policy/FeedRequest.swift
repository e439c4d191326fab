internal import CloudKitModel
internal import HTTPTransport

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
