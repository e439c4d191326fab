internal import Articles
internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import HTTPTransport

struct FeedCheck: Sendable {
  var result: FeedResult
  let update: FeedStateUpdate
  /// The document to store; `nil` without a new one.
  let articles: ArticleDocument?
  /// True when this check would turn the feed's status to down.
  let turnsDown: Bool
  /// The check says nothing about the feed, so it is not recorded.
  var isLost = false
}

/// Fetches one feed and assesses the result. It does not schedule, and it does not write.
final class FeedChecker: Sendable {
  let clock: HealthRunClock
  let options: HealthOptions
  let transport: any HTTPTransport
  /// The end of the last run that named falls; `nil` when none has.
  private let namedUntil: Timestamp?
  /// The facts that are kept, each with its field.
  let fields: [(row: FeedMetadataFields.Row, field: String)]

  init(
    transport: any HTTPTransport, clock: HealthRunClock, options: HealthOptions, namedUntil: Timestamp? = nil
  ) {
    self.transport = transport
    self.clock = clock
    self.options = options
    self.namedUntil = namedUntil
    fields = options.mapping.rows
  }

  /// Throws only `CancellationError`; every other failure is an observation.
  ///
  /// - Parameter sendsValidators: false to ask for the whole document.
  func fetch(_ target: FeedCheckTarget, isLastOfHost: Bool, sendsValidators: Bool = true) async throws
    -> FetchObservation
  {
    let now = clock.now()
    let metadata = target.metadata
    let sent = sendsValidators && !metadata.refusesValidators(at: now)
    let request = FeedRequest(
      url: target.feedURL, validators: sent ? validators(of: metadata) : FeedValidators(),
      feed: target.recordName,
      lastSuccess: metadata.lastFetchSuccess, policy: options.policy, at: now, isLast: isLastOfHost)
    return try await answer(
      to: ResponseEvaluator(
        feedURL: target.feedURL, request: request, time: now, policy: options.policy, target: target,
        articles: options.articles))
  }

  /// Fetches an address that the catalog has no feed for. Throws only `CancellationError`.
  func fetch(_ url: String) async throws -> FetchObservation {
    let now = clock.now()
    let request = FeedRequest(url: url, policy: options.policy, at: now)
    return try await answer(
      to: ResponseEvaluator(feedURL: url, request: request, time: now, policy: options.policy))
  }

  private func answer(to evaluator: ResponseEvaluator) async throws -> FetchObservation {
    do {
      return evaluator.observe(try await transport.send(evaluator.request.http))
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      return evaluator.observe(error)
    }
  }

  private func validators(of metadata: FeedMetadata) -> FeedValidators {
    let keepsCoverage = options.mapping.keepsArticleCoverage
    return options.articles?.validators(of: metadata, keepsCoverage: keepsCoverage) ?? metadata.validators
  }

  func assess(_ observation: FetchObservation, of target: FeedCheckTarget) -> FeedCheck {
    let previous = target.metadata
    let (next, assessment) = state(after: previous, observation, of: target.feedURL)
    // The document leaves memory when it is stored, the observation when the state is.
    var kept = observation
    if let articles = kept.articles, articles.itemsToStore > 0 { kept.articles = nil }
    return FeedCheck(
      result: FeedResult(target, observation, assessment, next),
      update: FeedStateUpdate(target, after: .checked(kept), next: next, by: self),
      articles: observation.articles,
      turnsDown: assessment.status == .down && previous.status != .down)
  }

  /// The update that defers a feed that was skipped.
  func deferring(
    _ target: FeedCheckTarget, until moment: Timestamp, _ reason: SkippedFeed.Reason
  ) -> FeedStateUpdate {
    let event = FeedStateUpdate.Event.deferred(
      until: min(moment, clock.now() + options.policy.maxInterval), reason)
    return FeedStateUpdate(
      target, after: event, next: state(after: event, of: target, from: target.metadata), by: self)
  }

  /// The state after an event, from the state that the feed has, or that another client wrote in the meantime.
  func state(
    after event: FeedStateUpdate.Event, of target: FeedCheckTarget, from current: FeedMetadata
  ) -> FeedMetadata {
    switch event {
    case .checked(let observation):
      if let last = current.lastHealthCheck, last > observation.time { return current.counting(observation) }
      return state(after: current, observation, of: target.feedURL).next
    case .deferred(let moment, let reason):
      var next = current
      next.nextCheck = max(next.nextCheck ?? moment, moment)
      // A verdict keeps its own reason.
      if next.status == .unknown { next.lastFailureReason = reason.kind.words.description }
      next.checkedURL = target.feedURL
      next.feedReference = next.feedReference ?? Reference(target.recordName)
      return next
    }
  }

  /// The state with the document that the stored articles cover.
  func state(
    _ next: FeedMetadata, after previous: FeedMetadata, with document: StoredDocument
  ) -> FeedMetadata {
    guard let articles = options.articles else { return next }
    var next = next
    document.record(
      in: &next, after: previous, keepsCoverage: options.mapping.keepsArticleCoverage, articles)
    return next
  }

  private func state(
    after previous: FeedMetadata, _ observation: FetchObservation, of url: String
  ) -> (next: FeedMetadata, HealthAssessment) {
    var next = previous.recording(observation, of: url)
    // Read back without their address, they would be sent to the feed's own.
    if next.validatorsURL != nil, options.mapping.absentFields.contains("validatorsURL") {
      next.validators = FeedValidators()
    }
    let assessment = HealthAssessor(
      thresholds: options.thresholds, observation: observation, metadata: next, previous: previous
    ).assess()
    if let digest = observation.bodyDigest { ArticleOptions.recordUnstored(digest, in: &next) }
    if observation.outcome == .notModified {
      options.articles?.recordNotModified(in: &next, after: previous)
    }
    if assessment.status != previous.status {
      next.statusSince = observation.time
      if assessment.status == .down { next.falls.add(fall(at: observation.time)) }
    }
    next.status = assessment.status
    next.reasons = assessment.reasons
    next.suggestedURL = assessment.suggestedURL
    next.nextCheck = NextCheckTime(
      policy: options.policy, thresholds: options.thresholds, schedule: next.schedule
    ).time(after: observation, failures: next.failureCount)
    return (next, assessment)
  }
}

extension FeedChecker {
  /// A fall is after the end of the last run, also in the same moment, or where the clock went back a little since then.
  private func fall(at time: Timestamp) -> Timestamp {
    guard let namedUntil, namedUntil.since(time) <= ServiceTime.limit else { return time }
    return max(time, namedUntil + .milliseconds(1))
  }
}

extension FeedResult {
  init(
    _ target: FeedCheckTarget, _ observation: FetchObservation, _ assessment: HealthAssessment,
    _ next: FeedMetadata
  ) {
    self.init(
      recordName: target.recordName, feedURL: target.feedURL, slug: target.slug, title: target.title,
      status: assessment.status, previousStatus: target.previousStatus,
      statusSince: next.statusSince, checkedAt: observation.time, httpStatus: observation.httpStatus,
      reasons: assessment.reasons, cause: observation.cause,
      detail: observation.detail, suggestedURL: assessment.suggestedURL,
      suggestionNote: observation.suggestionNote, redirectURL: next.redirectURL,
      redirectedTo: observation.redirectedTo,
      pageTitle: observation.pageTitle,
      notModified: observation.outcome == .notModified, items: observation.itemCount,
      newestItem: next.newestItem, uptimePercentage: next.uptimePercentage,
      uptimeChecks: next.history.totals(until: observation.time.day).checks,
      refusedChecks: next.refusals.totals(until: observation.time.day).checks, falls: next.falls,
      page: target.metadata.lastCheckFailed && assessment.status == target.previousStatus
        ? nil : observation.page, isRetired: target.isRetired)
  }
}
