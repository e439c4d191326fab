internal import CloudKitModel

/// What one look at a feed showed, before anything is concluded from it.
struct Observation: Sendable {
  enum Outcome: Sendable, Hashable {
    /// A whole feed was read.
    case feed
    /// 304: the feed is as it was.
    case notModified
    /// 429: the server lives and says nothing about the feed.
    case throttled
    case failed(HealthReason)
  }

  /// When the request was sent.
  var time: Timestamp
  var outcome: Outcome
  var httpStatus: Int?
  /// More than the reason says about what went wrong, for a person.
  var detail: String?
  /// Of the answer, redirects included.
  var duration = Duration.zero
  var wishes = ServerWishes()
  /// Where permanent redirects led; `nil` without one.
  var movedTo: String?
  /// Known when a server answered.
  var transport: TransportFacts?
  /// Of a full fetch.
  var content: FeedContent?
  /// A feed that the page found in the feed's place links to.
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
  /// The feed's own `http` address leads to, or the feed names, an `https` one.
  var httpsAvailable = false

  var hasValidator: Bool { etag != nil || lastModified != nil }
}
