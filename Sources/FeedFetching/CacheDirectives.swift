package import CloudKitModel
internal import Diagnostics
package import HTTPTransport
internal import Platform

/// The caching headers of a response, which decide when the next request is allowed.
package struct CacheDirectives: Sendable, Hashable {
  /// From Retry-After, in seconds or as a date (RFC 9110, section 10.2.3). In an answer that refuses the request for now,
  /// else from `x-ratelimit-reset` (Documentation/reference/feeds.md#politeness).
  package var retryAfter: Duration?
  /// How much longer the response stays fresh: Cache-Control before Expires (RFC 9111, sections 4.2.1 and 4.2.3).
  package var freshFor: Duration?

  package init() {}

  /// - Parameter status: of the answer.
  package init(_ headers: HTTPHeaders, status: Int, at now: Timestamp) {
    retryAfter = headers.retryAfter(from: now.milliseconds / 1000)
    if [429, 503].contains(status) { retryAfter = retryAfter ?? Self.endOfQuota(headers, now) }
    freshFor = Self.freshness(headers, now)
  }

  /// The time until the host's quota is full again. A number above 10^9 is the seconds since 1970, and one above 10^12 the
  /// milliseconds, by the host's own clock.
  private static func endOfQuota(_ headers: HTTPHeaders, _ now: Timestamp) -> Duration? {
    let names = ["X-RateLimit-Reset", "RateLimit-Reset", "X-Rate-Limit-Reset"]
    guard let text = names.lazy.compactMap({ headers[$0] }).first,
      var seconds = Double(text.trimmingWhitespace),
      seconds >= 0, seconds.isFinite
    else { return nil }
    if seconds > 1e12 { seconds /= 1000 }
    if seconds > 1e9 {
      let sent = headers["Date"].flatMap(date) ?? now
      seconds = max(0, seconds - Double(sent.milliseconds) / 1000)
    }
    return .seconds(min(seconds.rounded(.up), Double(longest)))
  }

  private static func freshness(_ headers: HTTPHeaders, _ now: Timestamp) -> Duration? {
    let directives = cacheDirectives(headers)
    if directives["no-cache"] != nil || directives["no-store"] != nil { return nil }
    let age = headers["Age"].flatMap { Int64($0.trimmingWhitespace) } ?? 0
    if let maxAge = directives["max-age"] {
      return Int64(maxAge).flatMap { $0 > age ? .seconds(min($0, longest) - max(0, age)) : nil }
    }
    guard let expires = headers["Expires"].flatMap(date) else { return nil }
    let sent = headers["Date"].flatMap(date) ?? now
    let lifetime = expires.since(sent)
    return lifetime > .zero ? lifetime : nil
  }

  private static func cacheDirectives(_ headers: HTTPHeaders) -> [String: String] {
    let parts = headers.values("Cache-Control").flatMap { $0.split(separator: ",") }
    return parts.reduce(into: [:]) { directives, part in
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingWhitespace }
      guard let name = pair.first?.lowercased() else { return }
      directives[name] = pair.count > 1 ? pair[1].filter { $0 != "\"" } : ""
    }
  }

  /// `nil` for a value that is not a date, such as the common `Expires: 0`.
  private static func date(_ text: String) -> Timestamp? {
    guard text.contains(":") else { return nil }
    return HTTPDate.secondsSince1970(text).map { Timestamp(milliseconds: $0 * 1000) }
  }

  /// A century, in seconds: larger than any limit applied later.
  private static let longest: Int64 = 3_155_760_000
}

/// What a feed document asks about the time of the next fetch.
package struct PublisherSchedule: Sendable, Hashable {
  package var ttl: Duration?
  /// Hours of the day (UTC, 0...23) in which the publisher wants no requests.
  package var skipHours: Set<Int>
  /// Days of the week (1 is Monday, UTC) on which the publisher wants no requests.
  package var skipDays: Set<Int>

  package init(ttl: Duration? = nil, skipHours: Set<Int> = [], skipDays: Set<Int> = []) {
    self.ttl = ttl
    self.skipHours = skipHours
    self.skipDays = skipDays
  }

  /// `nil` for text of another form.
  package init?(_ text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
    guard numbers.count == 3, let hours = numbers[1], let days = numbers[2] else { return nil }
    ttl = numbers[0].map { .seconds(min(max(0, $0), 1 << 40)) }
    skipHours = Self.set(hours)
    skipDays = Self.set(days)
  }

  /// `3600,0,0`: seconds to keep a copy (may be empty), hours and days as bits; `nil` if nothing is asked.
  package var text: String? {
    guard self != PublisherSchedule() else { return nil }
    return "\(ttl.map { String($0.components.seconds) } ?? ""),\(Self.bits(skipHours)),\(Self.bits(skipDays))"
  }

  private static func bits(_ set: Set<Int>) -> Int64 { set.reduce(0) { $0 | 1 << $1 } }

  private static func set(_ bits: Int64) -> Set<Int> { Set((0..<24).filter { bits & 1 << $0 != 0 }) }
}

extension Timestamp {
  /// Days since 1970-01-01, UTC.
  package var day: Int64 { milliseconds.floorDivided(by: 86_400_000).quotient }

  /// 0...23, UTC.
  package var hour: Int { Int(milliseconds.floorDivided(by: 3_600_000).quotient - day * 24) }

  /// 1 = Monday ... 7 = Sunday, UTC. 1970-01-01 was a Thursday.
  package var weekday: Int { Int((day + 3).floorDivided(by: 7).remainder) + 1 }
}

extension Duration {
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
