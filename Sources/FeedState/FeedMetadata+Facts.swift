package import CloudKitModel
package import FeedFetching

extension FeedMetadata {
  package var validators: FeedValidators {
    get { FeedValidators(etag: etag, lastModified: lastModified, url: validatorsURL) }
    set { (etag, lastModified, validatorsURL) = (newValue.etag, newValue.lastModified, newValue.url) }
  }

  /// Whether the server answers requests with validators wrongly, so that none are sent.
  package func refusesValidators(at now: Timestamp) -> Bool { validatorsRefused.map { $0 > now } ?? false }

  /// The state to use for a check of `url`. When an editor has changed the address since the last check, only the feed's
  /// history is kept: what the old server said does not hold for the new one.
  package func known(of url: String) -> FeedMetadata {
    guard let checkedURL, checkedURL != url else { return self }
    var fresh = FeedMetadata(feed: feedRecordName)
    fresh.changeTag = changeTag
    fresh.feedReference = feedReference
    fresh.totalAttempts = totalAttempts
    fresh.successfulAttempts = successfulAttempts
    fresh.history = history
    fresh.lastFetchSuccess = lastFetchSuccess
    fresh.lastFetchFailure = lastFetchFailure
    fresh.lastFailureReason = lastFailureReason
    fresh.undatedItems = undatedItems
    fresh.itemIDRule = itemIDRule
    return fresh
  }

  /// The reason of the last failure; `nil` when the last check succeeded.
  package var failingReason: HealthReason? { failureCount > 0 ? lastReason : nil }

  /// The reason of the last failure or wall.
  package var lastReason: HealthReason? {
    lastFailureReason.flatMap { HealthReason(rawValue: String($0.prefix { $0 != " " })) }
  }

  /// What the last failure or wall said beyond its reason, such as `plain text`; `nil` for nothing, or only the status.
  package var lastFailureDetail: String? {
    guard let text = lastFailureReason, let reason = lastReason,
      let words = text.split(separator: HealthReason.sinceMark).first
    else { return nil }
    let start = "\(reason.code) \(reason.explanation) ("
    guard words.hasPrefix(start), words.hasSuffix(")") else { return nil }
    let detail = String(words.dropFirst(start.count).dropLast())
    return Int(detail) == nil ? detail : nil
  }

  /// When the feed began to fail in the way of its last failure; `nil` when the last check succeeded.
  package var failingSince: Timestamp? { failureCount > 0 ? lastSightingBegan ?? lastFetchFailure : nil }

  /// The moment that the text of the last failure ends with.
  package var lastSightingBegan: Timestamp? {
    lastFailureReason?.split(separator: HealthReason.sinceMark).last.flatMap { Timestamp(text: String($0)) }
  }

  package var wasThrottled: Bool { httpStatus == 429 || lastCheckFailed && lastReason == .throttled }

  package var lastCheckFailed: Bool {
    guard let lastHealthCheck else { return false }
    return lastFetchSuccess.map { $0 < lastHealthCheck } ?? true
  }
}

extension HealthReason {
  /// Stands before the time at which a failure began, in the text of a stored failure.
  package static let sinceMark = ", since "
}
