internal import Articles
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import HTTPTransport

/// The outcome of one request for a feed, before any verdict.
struct FetchObservation: Sendable {
  enum Outcome: Sendable, Hashable {
    case feed
    /// 304: the feed has not changed.
    case notModified
    /// The server works, but the response does not show the feed's state: 429, an access wall, or a document larger
    /// than the limit.
    case inconclusive(HealthReason)
    case failed(HealthReason)
    /// A limit of this tool forbids the request, so nothing is recorded.
    case refusedHere(HealthReason)
  }

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
  var transport: TransportDetails?
  /// `nil` unless the document was parsed.
  var content: FeedContent?
  /// What the document asks; `nil` without one.
  var schedule: PublisherSchedule?
  /// `nil` without a document.
  var itemCount: Int?
  /// False for a document that was not read to its end (Documentation/reference/feeds.md#documents-without-an-end).
  var isComplete = true
  /// Of a document whose items are not stored, if those of another are.
  var bodyDigest: String?
  /// The items to store; `nil` unless the run stores articles and the document was read.
  var articles: ArticleDocument?
  /// Problems that did not prevent reading the feed, in addition to those of ``content``.
  var flaws: [HealthReason] = []
  /// The address of the document, when redirects led to another than the feed's.
  var redirectedTo: String?
  var feedTitle: String?
  var pageTitle: String?
  /// Addresses that the response names as the feed's, the most likely first; not yet tried.
  var candidates: [String] = []
  /// The feed that is proposed: one of the candidates, or of the site.
  var discoveredURL: String?
  var searchedSite = false
  var isConditional = false
  /// This answers a request without validators, after the answer to one with them was no usable feed.
  var followsRefusedValidators = false
  /// What this has in common with the checks of other hosts if our own network is the cause; `nil` if it cannot be.
  var signature: FailureSignature?
  /// The ``PageShape`` of a page that was served in place of the feed; `nil` for a wall that is known.
  var page: Int?
  /// The network of the address that was tried.
  var network: IPNetwork?
  /// What the response names or the site has, in one clause.
  var suggestionNote: String?

  var isSuccess: Bool { outcome == .feed || outcome == .notModified }
  var failure: HealthReason? { if case .failed(let reason) = outcome { reason } else { nil } }
  /// Whether the validators may be why the server sent neither a 304 nor a whole feed with items. A 429 counts requests,
  /// and no server has read validators when the connection failed.
  var mayRefuseValidators: Bool {
    switch outcome {
    case .feed:
      itemCount == 0 || flaws.contains(.truncated) || flaws.contains(.damagedEncoding)
        || !isComplete && !flaws.contains(.tooLarge)
    case .notModified, .refusedHere, .inconclusive(.throttled), .inconclusive(.tooLarge): false
    case .failed(let reason): !reason.isConnectionFailure && reason != .tlsFailed
    case .inconclusive: true
    }
  }
  var isThrottled: Bool { outcome == .inconclusive(.throttled) }
}

/// Details of how a feed was served: HTTPS, compression and validators.
struct TransportDetails: Sendable, Hashable {
  var isHTTPS: Bool
  var isCompressed: Bool
  var etag: String?
  var lastModified: String?
  /// True when the feed's `http` address redirects to `https`, or the feed's self link is `https`.
  var httpsAvailable = false

  var hasValidator: Bool { etag != nil || lastModified != nil }
}

/// Whose fault a failed check is (Documentation/reference/feeds.md#whose-fault).
package enum FailureCause: String, Sendable, Hashable {
  /// Our network, or a limit of this tool.
  case ours
  /// The host was not reached, or could not or would not answer.
  case host
  /// The host answered, but with something else than the feed.
  case feed
}

extension FetchObservation {
  /// Whose fault this is, as long as nothing is known of other hosts; `nil` for a success.
  var cause: FailureCause? {
    switch outcome {
    case .feed, .notModified: nil
    case .refusedHere, .inconclusive(.tooLarge): .ours
    case .inconclusive: .host
    case .failed(let reason): Self.reasonsOfFeeds.contains(reason) ? .feed : .host
    }
  }

  private static let reasonsOfFeeds: Set<HealthReason> = [
    .invalidURL, .notFound, .gone, .refused, .unexpectedStatus, .notAFeed, .htmlPage, .emptyDocument,
  ]
}
