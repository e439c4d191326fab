internal import Articles
internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import HTTPTransport
internal import RecordChanges

/// One check of a feed and its verdict.
struct FeedCheck: Sendable {
  var result: FeedResult
  let update: FeedStateUpdate
  /// The document to store; `nil` without a new one.
  let articles: ArticleDocument?
  /// True when this check would turn the feed's status to down.
  let isFall: Bool
  /// The check says nothing about the feed, so it is not recorded.
  var isLost = false
}

/// A feed's new state. The record changes, ten times as large, are made only when they are written. A class, because
/// queues hold thousands of them.
final class FeedStateUpdate: Sendable {
  let target: FeedCheckTarget
  let next: FeedMetadata

  /// Computes the new state again from what another client wrote in the meantime, so that no count is overwritten.
  private let derive: @Sendable (FeedMetadata) -> FeedMetadata

  init(
    target: FeedCheckTarget, next: FeedMetadata, derive: @escaping @Sendable (FeedMetadata) -> FeedMetadata
  ) {
    self.target = target
    self.next = next
    self.derive = derive
  }

  var changes: [RecordChange] { target.changes(to: next) }

  /// The same update with one more change of the state.
  func adding(
    _ change: @escaping @Sendable (_ next: inout FeedMetadata, _ previous: FeedMetadata) -> Void
  ) -> FeedStateUpdate {
    var next = next
    change(&next, target.metadata)
    return FeedStateUpdate(target: target, next: next) { [derive] current in
      var next = derive(current)
      change(&next, current)
      return next
    }
  }

  /// The change of one of the feed's records, made from the record as it is now; `nil` when nothing is left to write.
  func change(_ change: RecordChange, from current: Record) -> RecordChange? {
    guard target.keepsState(change.recordType) else { return change.reapplied(to: current) }
    let stored = target.state(in: current)
    return target.stateChange(from: stored, to: derive(stored.known(of: target.feedURL)))
  }
}

/// The boxed result of one fetch, so that thousands of suspended tasks stay small.
final class FeedFetchResult: Sendable {
  let observation: FetchObservation
  /// The request carried validators.
  let wasConditional: Bool

  init(_ observation: FetchObservation, wasConditional: Bool = false) {
    self.observation = observation
    self.wasConditional = wasConditional
  }

  /// The validators may have kept the server from sending the feed, so this says nothing about the feed.
  var mayRefuseValidators: Bool { wasConditional && observation.mayRefuseValidators }

  /// The same result, after the answer to a request with validators was no usable feed.
  var followingRefusedValidators: FeedFetchResult {
    var observation = observation
    observation.followsRefusedValidators = true
    return FeedFetchResult(observation)
  }

  /// A document without items to store is small, and may stay.
  var withoutArticles: (result: FeedFetchResult, articles: ArticleDocument?) {
    guard let articles = observation.articles, articles.itemsToStore > 0 else {
      return (self, observation.articles)
    }
    var observation = observation
    observation.articles = nil
    return (FeedFetchResult(observation), articles)
  }
}

/// Fetches one feed and assesses the result. It does not schedule, and it does not write.
///
/// What has large values is not inlined: they would be part of each of the thousands of tasks that wait for an answer.
/// 20,000 feeds, of which 2,000 do not answer, would take 158 instead of 143 MB.
final class FeedChecker: Sendable {
  let clock: HealthRunClock
  let options: HealthOptions
  let transport: any HTTPTransport

  init(transport: any HTTPTransport, clock: HealthRunClock, options: HealthOptions) {
    self.transport = transport
    self.clock = clock
    self.options = options
  }

  /// Throws only `CancellationError`; every other failure is an observation.
  ///
  /// - Parameter sendsValidators: false to ask for the whole document.
  func look(at target: FeedCheckTarget, isLastOfHost: Bool, sendsValidators: Bool = true) async throws
    -> FeedFetchResult
  {
    try await result(
      of: evaluator(for: target, isLastOfHost: isLastOfHost, sendsValidators: sendsValidators))
  }

  /// Checks an address that the catalog has no feed for. Throws only `CancellationError`.
  func look(at url: String) async throws -> FetchObservation {
    let now = clock.now()
    let request = FeedRequest(url: url, policy: options.policy, at: now)
    let evaluator = ResponseEvaluator(feedURL: url, request: request, time: now, policy: options.policy)
    return try await result(of: evaluator).observation
  }

  private func result(of evaluator: ResponseEvaluator) async throws -> FeedFetchResult {
    do {
      return evaluator.result(of: try await transport.send(evaluator.request.http))
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      return FeedFetchResult(evaluator.observe(error), wasConditional: evaluator.request.isConditional)
    }
  }

  @inline(never)
  private func evaluator(for target: FeedCheckTarget, isLastOfHost: Bool, sendsValidators: Bool)
    -> ResponseEvaluator
  {
    let now = clock.now()
    let metadata = target.metadata
    let sent = sendsValidators && !metadata.refusesValidators(at: now)
    let request = FeedRequest(
      url: target.feedURL, validators: sent ? validators(of: metadata) : FeedValidators(),
      feed: target.recordName,
      lastFetch: metadata.lastHealthCheck, policy: options.policy, at: now, isLast: isLastOfHost)
    return ResponseEvaluator(
      feedURL: target.feedURL, request: request, time: now, policy: options.policy,
      articles: options.articles.map { .init(options: $0, target: target) })
  }

  private func validators(of metadata: FeedMetadata) -> FeedValidators {
    let keepsCoverage = options.mapping.keepsArticleCoverage
    return options.articles?.validators(of: metadata, keepsCoverage: keepsCoverage) ?? metadata.validators
  }

  @inline(never)
  func conclude(_ fetched: FeedFetchResult, about target: FeedCheckTarget) -> FeedCheck {
    // The document leaves memory when it is stored, the observation when the state is.
    let fetched = fetched.withoutArticles
    let observation = fetched.result.observation
    let previous = target.metadata
    let (next, assessment) = state(after: previous, observation, of: target.feedURL)
    let update = FeedStateUpdate(target: target, next: next) { [self, result = fetched.result] current in
      let observation = result.observation
      if let last = current.lastHealthCheck, last > observation.time { return current.counting(observation) }
      return state(after: current, observation, of: target.feedURL).next
    }
    return FeedCheck(
      result: FeedResult(target, observation, assessment, next), update: update,
      articles: fetched.articles,
      isFall: assessment.status == .down && previous.status != .down)
  }

  private func state(
    after previous: FeedMetadata, _ observation: FetchObservation, of url: String
  ) -> (next: FeedMetadata, HealthAssessment) {
    var next = previous.recording(observation, of: url)
    let assessment = HealthAssessor(
      thresholds: options.thresholds, observation: observation, metadata: next, previous: previous
    ).assess()
    if observation.outcome == .notModified {
      options.articles?.recordNotModified(in: &next, after: previous)
    }
    if assessment.status != previous.status {
      next.statusSince = observation.time
      if assessment.status == .down { next.falls.add(observation.time) }
    }
    next.status = assessment.status
    next.reasons = assessment.reasons
    next.suggestedURL = assessment.suggestedURL
    next.nextCheck = NextCheckTime(policy: options.policy, thresholds: options.thresholds)
      .time(after: observation, failures: next.failureCount)
    return (next, assessment)
  }

  /// The update that defers a feed until its host accepts requests again.
  func deferring(_ target: FeedCheckTarget, until moment: Timestamp) -> FeedStateUpdate {
    let latest = clock.now() + options.policy.maxInterval
    let derive: @Sendable (FeedMetadata) -> FeedMetadata = { current in
      var next = current
      next.nextCheck = max(next.nextCheck ?? moment, min(moment, latest))
      next.checkedURL = target.feedURL
      next.feedReference = next.feedReference ?? Reference(target.recordName)
      return next
    }
    return FeedStateUpdate(target: target, next: derive(target.metadata), derive: derive)
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
      suggestionNote: observation.suggestionNote, redirectedTo: observation.redirectedTo,
      pageTitle: observation.pageTitle,
      notModified: observation.outcome == .notModified, items: observation.itemCount,
      newestItem: next.newestItem, uptimePercentage: next.uptimePercentage,
      uptimeChecks: next.history.totals(until: observation.time.day).checks,
      refusedChecks: next.refusals.totals(until: observation.time.day).checks, falls: next.falls)
  }
}
