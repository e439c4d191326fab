internal import FeedState

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
