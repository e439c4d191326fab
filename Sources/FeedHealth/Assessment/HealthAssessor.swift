internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState

/// The verdict on a feed, from one observation and the feed's history.
struct HealthAssessment: Sendable, Hashable {
  var status: HealthStatus
  /// The most important first; empty for a healthy feed.
  var reasons: [HealthReason]
  /// An address for an editor to put in the seed. The tool never applies it by itself.
  var suggestedURL: String?
}

/// Assesses the health of a feed by the rules of Documentation/reference/feeds.md#status-rules.
struct HealthAssessor {
  let thresholds: HealthThresholds
  let observation: FetchObservation
  /// The feed's state, including this observation.
  let metadata: FeedMetadata
  /// The feed's state before this observation.
  let previous: FeedMetadata

  func assess() -> HealthAssessment {
    switch observation.outcome {
    case .failed(let reason): assessFailure(reason)
    case .inconclusive(let reason), .refusedHere(let reason): assessInconclusive(reason)
    case .feed, .notModified: assessSuccess()
    }
  }

  private func assessFailure(_ reason: HealthReason) -> HealthAssessment {
    var reasons = [reason]
    if metadata.failureCount >= thresholds.failuresUntilDown { reasons.append(.failingRepeatedly) }
    if reason.kind == .host, failingFor >= thresholds.hostFailureUntilDown {
      reasons.append(.failingForLong)
    }
    // A feed that is down stays down until a check succeeds.
    var isDown = reason.isDecisive || reasons.count > 1 || previous.status == .down
    if isDown, previous.status != .down, mayBeMomentary(reason) {
      isDown = false
      reasons = [reason]
    }
    return HealthAssessment(
      status: isDown ? .down : .degraded, reasons: reasons,
      suggestedURL: observation.discoveredURL ?? keptSuggestion)
  }

  /// What an earlier check proposed, until the feed works again or its site has no such feed any more. The target of a
  /// redirect is not kept: the failure is the target's.
  private var keptSuggestion: String? {
    guard !observation.searchedSite, previous.suggestedURL != previous.redirectURL else { return nil }
    return previous.suggestedURL
  }

  /// Nothing is known about a feed that is refused, and a busy server only postpones the reply: the feed is degraded. It is
  /// down when it was down for another reason, or when it has been refused for long.
  private func assessInconclusive(_ reason: HealthReason) -> HealthAssessment {
    let isLong = reason.isRefusal && isRefusedForLong
    return HealthAssessment(
      status: isLong || previous.status == .down ? .down : .degraded,
      reasons: isLong ? [reason, .refusedForLong] : [reason], suggestedURL: keptSuggestion)
  }

  private var isRefusedForLong: Bool {
    let (now, days) = (observation.time, thresholds.refusedUntilDown.components.seconds / 86_400)
    guard let first = metadata.refusals.days.first?.day, first <= now.day - days else { return false }
    let (judged, refused) = (
      metadata.history.totals(until: now.day), metadata.refusals.totals(until: now.day).checks
    )
    return Double(judged.successes) < thresholds.refusedShare * Double(judged.checks + refused)
  }

  /// Whether a feed that worked recently serves other content, and two checks far enough apart have not confirmed
  /// that yet.
  private func mayBeMomentary(_ reason: HealthReason) -> Bool {
    guard reason.kind == .content, let success = previous.lastFetchSuccess,
      observation.time.since(success) <= thresholds.recentSuccess
    else { return false }
    return failingFor < thresholds.contentUntilDown
  }

  private var failingFor: Duration { metadata.failingSince.map(observation.time.since) ?? .zero }

  private func assessSuccess() -> HealthAssessment {
    let limits = previous.status == .degraded ? thresholds.tightened() : thresholds
    var reasons: [HealthReason] = []
    if previous.status == .down { reasons.append(.recovering) }
    if metadata.redirectURL != nil { reasons.append(.movedPermanently) }
    reasons += observation.flaws
    reasons += documentReasons(limits)
    if !reasons.contains(.ended), isStale(limits) { reasons.append(.stale) }
    if observation.duration > limits.slowAnswer { reasons.append(.slow) }
    if isAlsoOverHTTPS, metadata.redirectURL == nil { reasons.append(.httpsAvailable) }
    if isUnreliable(limits) { reasons.append(.unreliable) }
    return HealthAssessment(
      status: reasons.isEmpty ? .healthy : .degraded, reasons: reasons,
      suggestedURL: metadata.provenRedirect(thresholds))
  }

  private var isAlsoOverHTTPS: Bool {
    observation.transport?.httpsAvailable == true
      || observation.outcome == .notModified && previous.reasons.contains(.httpsAvailable)
  }

  /// Reads the stored state, so that a 304 repeats the findings of the last full fetch.
  private func documentReasons(_ limits: HealthThresholds) -> [HealthReason] {
    guard let score = metadata.validity else { return [] }
    let validity = StoredFeedValidity(score: score)
    var reasons: [HealthReason] = []
    if !validity.isWellFormed { reasons.append(.illFormed) }
    if validity.hasEncodingMismatch { reasons.append(.encodingMismatch) }
    switch metadata.idHygiene {
    // A feed bridge that cannot read its site lists nothing but that.
    case nil where observation.flaws.contains(.bridgeError): break
    // A document without its end may have items in the part that is missing.
    case nil: if observation.isComplete { reasons.append(.noItems) }
    case let hygiene? where hygiene <= limits.idShare: reasons.append(.itemIdentity)
    case _?: break
    }
    return reasons
  }

  private func isStale(_ limits: HealthThresholds) -> Bool {
    guard let newest = metadata.newestItem else { return false }
    let patience = metadata.medianItemGap.map { $0 * limits.staleGaps } ?? .zero
    return observation.time.since(newest) > max(limits.staleAge, patience)
  }

  private func isUnreliable(_ limits: HealthThresholds) -> Bool {
    let totals = metadata.history.totals(until: observation.time.day)
    guard totals.checks >= limits.checksForRate else { return false }
    return Double(totals.successes) <= limits.successRate * Double(totals.checks)
  }
}
