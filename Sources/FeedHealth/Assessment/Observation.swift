internal import CloudKitModel

/// The outcome of one request for a feed, before any verdict.
struct Observation: Sendable {
  enum Outcome: Sendable, Hashable {
    /// A whole feed was read.
    case feed
    /// 304: the feed has not changed.
    case notModified
    /// 429: the server works, but the response says nothing about the feed.
    case throttled
    case failed(HealthReason)
  }

  /// When the request was sent.
  var time: Timestamp
  var outcome: Outcome
  var httpStatus: Int?
  /// More about a failure than its reason says, for display.
  var detail: String?
  /// The time until the response was complete, redirects included.
  var duration = Duration.zero
  var directives = CacheDirectives()
  /// Where permanent redirects led; `nil` without one.
  var movedTo: String?
  /// `nil` when no server answered.
  var transport: TransportFacts?
  /// `nil` unless the document was read.
  var content: FeedContent?
  /// The feed that a web page at the feed's address links to.
  var discoveredURL: String?

  var isSuccess: Bool { outcome == .feed || outcome == .notModified }
  var failure: HealthReason? { if case .failed(let reason) = outcome { reason } else { nil } }
}

/// How a feed was served.
struct TransportFacts: Sendable, Hashable {
  var isHTTPS: Bool
  var isCompressed: Bool
  var etag: String?
  var lastModified: String?
  /// The request carried validators.
  var wasConditional: Bool
  /// True when the feed's `http` address redirects to `https`, or the feed's self link is `https`.
  var httpsAvailable = false

  var hasValidator: Bool { etag != nil || lastModified != nil }
}
