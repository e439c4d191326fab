internal import Articles
internal import CloudKitModel
internal import FeedFetching
internal import FeedState

/// An event of the scheduler.
enum FeedCheckEvent: Sendable {
  /// A request to a host ended; `reached` is false when no connection was made.
  case requestEnded(host: String, reached: Bool)
  /// Indirect, because thousands of events may wait.
  indirect case checked(FeedCheck)
  case skipped(SkippedFeed, host: String, update: FeedStateUpdate?)
  /// Time has passed: what waits to be written can be written.
  case tick
}

/// Checks all hosts at once, each within its own limits. A class, because thousands of tasks share it.
final class FeedCheckScheduler: Sendable {
  private let checker: FeedChecker
  private let suggestions: ReplacementURLFinder
  private let goneFeeds: GoneFeedSearch?
  private let robots: RobotsCache
  private let deadline: Duration?
  private let backlog: ArticleBacklog
  private let events: AsyncStream<FeedCheckEvent>.Continuation

  /// - Parameter deadline: on the clock's elapsed time.
  init(
    checker: FeedChecker, suggestions: ReplacementURLFinder, goneFeeds: GoneFeedSearch?, robots: RobotsCache,
    deadline: Duration?, backlog: ArticleBacklog,
    events: AsyncStream<FeedCheckEvent>.Continuation
  ) {
    self.checker = checker
    self.suggestions = suggestions
    self.goneFeeds = goneFeeds
    self.robots = robots
    self.deadline = deadline
    self.backlog = backlog
    self.events = events
  }

  private var clock: HealthRunClock { checker.clock }
  private var options: HealthOptions { checker.options }

  /// Returns when every feed is checked or skipped, or when the task is cancelled.
  func run(_ hosts: HostAssignment<FeedCheckTarget>) async {
    defer { events.finish() }
    await withTaskGroup { group in
      for _ in 0..<min(hosts.count, max(1, options.concurrency)) {
        group.addTask { await self.work(through: hosts) }
      }
    }
  }

  private typealias Doubt = (target: FeedCheckTarget, seen: FeedFetchResult)

  /// Checks the feeds of one host after another. A feed that would become down is fetched a second time after the others
  /// of its host. If the run has a budget, waiting hosts get their turn after each feed.
  private func work(through hosts: HostAssignment<FeedCheckTarget>) async {
    do {
      while let queue = hosts.next() {
        var doubtful: [Doubt] = []
        while let target = queue.next() {
          try await backlog.waitForRoom()
          guard let fetched = try await look(at: target, queue) else { continue }
          if isFall(fetched, about: target) {
            doubtful.append((target, fetched))
          } else {
            try await settle(fetched, about: target, queue, isFall: false)
          }
          if deadline != nil, hosts.giveWay(queue) { break }
        }
        for doubt in doubtful { try await lookAgain(at: doubt, queue) }
      }
    } catch {
      // Cancelled. Feeds without a verdict count as not checked.
    }
  }

  /// The feed would become down.
  @inline(never)
  private func isFall(_ fetched: FeedFetchResult, about target: FeedCheckTarget) -> Bool {
    !fetched.observation.isSuccess && checker.conclude(fetched, about: target).isFall
  }

  /// Reports the verdict. The site of a feed that is gone is asked first.
  private func settle(
    _ fetched: FeedFetchResult, about target: FeedCheckTarget, _ queue: HostQueue<FeedCheckTarget>,
    isFall: Bool
  ) async throws {
    guard let goneFeeds, !isOver(in: .zero),
      goneFeeds.isWanted(fetched.observation, about: target, isFall: isFall)
    else { return report(fetched, about: target) }
    report(try await goneFeeds.completing(fetched, about: target, queue.throttle), about: target)
  }

  @inline(never)
  private func report(_ fetched: FeedFetchResult, about target: FeedCheckTarget) {
    let check = checker.conclude(fetched, about: target)
    backlog.add(check.articles?.itemsToStore ?? 0)
    events.yield(.checked(check))
  }

  /// If no second request is possible, the first one counts.
  private func lookAgain(at doubt: Doubt, _ queue: HostQueue<FeedCheckTarget>) async throws {
    let pause = options.secondLookDelay - clock.now().since(doubt.seen.observation.time)
    if !isOver(in: pause) { try await clock.wait(pause, for: doubt.target.host) }
    let second =
      isOver(in: .zero)
      ? nil
      : try await fetch(
        doubt.target, queue, sendsValidators: !doubt.seen.observation.followsRefusedValidators)
    let seen = second.flatMap { $0.isRefusedHere ? nil : $0 } ?? doubt.seen
    try await settle(seen, about: doubt.target, queue, isFall: true)
  }

  /// Returns `nil` when the feed was skipped, after reporting that.
  private func look(at target: FeedCheckTarget, _ queue: HostQueue<FeedCheckTarget>) async throws
    -> FeedFetchResult?
  {
    try Task.checkCancellation()
    if isOver(in: .zero) { return skip(target, .budget) }
    guard await robots.allows(target.feedURL) else { return skip(target, .robots) }
    guard let fetched = try await fetch(target, queue) else {
      return skip(target, .hostAsksToWait(until: queue.throttle.blockedUntil ?? clock.now()))
    }
    if case .refusedHere(let reason) = fetched.observation.outcome {
      return skip(target, .ownRules(reason, detail: fetched.observation.detail ?? ""))
    }
    return fetched
  }

  /// Returns `nil` while the host asks for a pause.
  private func fetch(
    _ target: FeedCheckTarget, _ queue: HostQueue<FeedCheckTarget>, sendsValidators: Bool = true
  ) async throws -> FeedFetchResult? {
    let throttle = queue.throttle
    guard let fetched = try await document(of: target, queue, sendsValidators: sendsValidators) else {
      return nil
    }
    let reached = fetched.observation.failure?.isConnectionFailure != true
    if !fetched.isRefusedHere { events.yield(.requestEnded(host: target.host, reached: reached)) }
    // Only then: the state of a search takes more memory than all else of a feed that waits.
    guard fetched.observation.namesAddresses else { return fetched }
    return try await suggestions.completing(fetched, about: target, throttle)
  }

  /// Judges nothing by an answer that the validators may have caused: the feed is then requested without them
  /// (Documentation/reference/feeds.md#conditional-requests).
  private func document(
    of target: FeedCheckTarget, _ queue: HostQueue<FeedCheckTarget>, sendsValidators: Bool
  ) async throws -> FeedFetchResult? {
    let first = try await request(target, queue, sendsValidators: sendsValidators)
    guard let first, first.mayRefuseValidators else { return first }
    return try await request(target, queue, sendsValidators: false)?.followingRefusedValidators
  }

  /// One request, when the host's turn has come.
  private func request(
    _ target: FeedCheckTarget, _ queue: HostQueue<FeedCheckTarget>, sendsValidators: Bool
  ) async throws -> FeedFetchResult? {
    let throttle = queue.throttle
    guard try await clock.waitForTurn(at: throttle) else { return nil }
    let fetched = try await checker.look(
      at: target, isLastOfHost: queue.isEmpty, sendsValidators: sendsValidators)
    throttle.finished(at: clock.now())
    applyBackOff(fetched.observation, target, throttle)
    return fetched
  }

  private func isOver(in pause: Duration) -> Bool { deadline.map { clock.elapsed() + pause >= $0 } ?? false }

  /// A 429, and a 503 with Retry-After, hold for the whole host once two of its feeds had one.
  private func applyBackOff(
    _ observation: FetchObservation, _ target: FeedCheckTarget, _ throttle: HostThrottle
  ) {
    let asked = observation.directives.retryAfter
    if observation.isThrottled {
      throttle.refused(
        target.recordName, until: observation.time + (asked ?? options.policy.throttledInterval))
    } else if observation.httpStatus == 503, let asked {
      throttle.refused(target.recordName, until: observation.time + asked)
    }
  }

  @inline(never)
  private func skip(_ target: FeedCheckTarget, _ reason: SkippedFeed.Reason) -> FeedFetchResult? {
    var update: FeedStateUpdate?
    if case .hostAsksToWait(let until) = reason { update = checker.deferring(target, until: until) }
    let feed = SkippedFeed(target, reason, now: clock.now(), policy: options.policy)
    events.yield(.skipped(feed, host: target.host, update: update))
    return nil
  }
}

extension FeedFetchResult {
  fileprivate var isRefusedHere: Bool { if case .refusedHere = observation.outcome { true } else { false } }
}

extension SkippedFeed {
  /// The number of intervals after which a feed without a check counts as neglected.
  private static let neglectedAfter = 3

  init(_ target: FeedCheckTarget, _ reason: Reason, now: Timestamp, policy: FetchPolicy) {
    self.init(
      recordName: target.recordName, feedURL: target.feedURL, title: target.title,
      status: target.previousStatus ?? .unknown, reason: reason, lastCheck: target.metadata.lastHealthCheck,
      falls: target.metadata.falls)
    if case .notDue = reason { return }
    guard let since = lastCheck ?? target.created else { return }
    let own = target.metadata.nextCheck.map { $0.since(since) } ?? policy.interval
    let interval = min(max(policy.interval, own), policy.maxInterval)
    isNeglected = now.since(since) > interval * Self.neglectedAfter
  }
}
