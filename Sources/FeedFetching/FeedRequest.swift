package import CloudKitModel
package import HTTPTransport

/// The validators of a feed's last document, with which a server can answer 304.
package struct FeedValidators: Sendable, Hashable {
  /// As received, quotes included.
  package var etag: String?
  package var lastModified: String?
  /// The address that gave them, to which redirects led; `nil` for the feed's own.
  package var url: String?

  package init(etag: String? = nil, lastModified: String? = nil, url: String? = nil) {
    self.url = url
    self.etag = etag.flatMap { $0.isEmpty ? nil : $0 }
    self.lastModified = lastModified.flatMap { $0.isEmpty ? nil : $0 }
  }

  package var isEmpty: Bool { etag == nil && lastModified == nil }
}

package struct FeedRequest: Sendable {
  private static let accept =
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    + "application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, */*;q=0.1"

  package let http: HTTPRequest
  /// True when the request carries a validator to the feed's own address, so that its server may answer 304.
  package let isConditional: Bool

  /// Whether a validator was sent to the address that answered.
  ///
  /// - Parameter target: where redirects led; `nil` without one.
  package func sentValidator(afterRedirectTo target: String?) -> Bool {
    target.map { $0 == http.validators?.url } ?? isConditional
  }

  /// - Parameters:
  ///   - validators: sent unless it is time for a whole document.
  ///   - feed: the feed's record name, which decides that time.
  ///   - lastSuccess: the feed's last good answer; `nil` for never.
  ///   - isLast: true for the last request to this host in the run.
  package init(
    url: String, validators: FeedValidators = FeedValidators(), feed: String = "",
    lastSuccess: Timestamp? = nil,
    policy: FetchPolicy, at now: Timestamp, isLast: Bool = false
  ) {
    let headers: HTTPHeaders = ["Accept": Self.accept, "User-Agent": policy.userAgent]
    var sent: HTTPHeaders = [:]
    if !validators.isEmpty, !Self.mustBeWhole(feed, lastSuccess, policy, now) {
      // Sent back exactly as received: validators are opaque, quotes included (RFC 9110, section 8.8).
      sent["If-None-Match"] = validators.etag
      sent["If-Modified-Since"] = validators.lastModified
    }
    let own = sent.fields.isEmpty ? url : URLParts(url)?.text ?? url
    let address = validators.url ?? own
    isConditional = address == own && !sent.fields.isEmpty
    var http = HTTPRequest(
      url: url, headers: isConditional ? HTTPHeaders(headers.fields + sent.fields) : headers,
      limits: policy.limits, addressPolicy: policy.addressPolicy, keepsConnection: !isLast)
    http.isLenient = true
    http.validators = sent.fields.isEmpty ? nil : (address, sent)
    self.http = http
  }

  /// True until a check succeeds in the present period of days, which begins on a day of the feed's own. A period without a
  /// check on its first day, or with a failed one, is not left out.
  private static func mustBeWhole(
    _ feed: String, _ lastSuccess: Timestamp?, _ policy: FetchPolicy, _ now: Timestamp
  ) -> Bool {
    guard let days = policy.fullFetchDays, days > 0, let lastSuccess else { return false }
    let own = feed.utf8.reduce(Int64(0)) { ($0 * 31 + Int64($1)) % 1_000_003 }
    return (now.day + own) / days != (lastSuccess.day + own) / days
  }
}
