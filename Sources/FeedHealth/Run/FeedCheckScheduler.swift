internal import CloudKitModel

/// What the scheduler reports, in the order it happens.
enum FeedCheckEvent: Sendable {
  /// A request to a host ended; `reached` is false when no connection was made.
  case requestEnded(host: String, reached: Bool)
  case checked(FeedCheck)
  case skipped(SkippedFeed, host: String, update: StateUpdate?)
}

/// Checks all hosts at once, each within its own limits. A class, because thousands of tasks share it.
final class FeedCheckScheduler: Sendable {
  private let checker: FeedChecker
  private let robots: RobotsCache
  private let deadline: Timestamp?
  private let events: AsyncStream<FeedCheckEvent>.Continuation

  init(
    checker: FeedChecker, robots: RobotsCache, deadline: Timestamp?,
    events: AsyncStream<FeedCheckEvent>.Continuation
  ) {
    self.checker = checker
    self.robots = robots
    self.deadline = deadline
    self.events = events
  }

  private var clock: HealthClock { checker.clock }
  private var options: HealthOptions { checker.options }

  /// Returns when every feed is checked or skipped, or when the task is cancelled.
  func run(_ targets: [FeedCheckTarget]) async {
    defer { events.finish() }
    let queues = HostQueue.queues(for: targets, policy: options.policy)
    var lanes = queues.flatMap { queue in
      repeatElement(queue, count: min(max(1, options.perHost), queue.count))
    }[...]
    await withTaskGroup { group in
      for queue in lanes.prefix(max(1, options.concurrency)) { group.addTask { await self.work(on: queue) } }
      lanes = lanes.dropFirst(max(1, options.concurrency))
      while await group.next() != nil {
        if let queue = lanes.popFirst() { group.addTask { await self.work(on: queue) } }
      }
    }
  }

  /// Checks the feeds of one queue. A feed that would become down is fetched a second time after the others.
  private func work(on queue: HostQueue) async {
    do {
      var doubtful: [(target: FeedCheckTarget, seen: Timestamp)] = []
      while let target = queue.next() {
        guard let fetched = try await look(at: target, queue) else { continue }
        if !settle(fetched, about: target) { doubtful.append((target, fetched.observation.time)) }
      }
      for (target, seen) in doubtful { try await lookAgain(at: target, seen: seen, queue) }
    } catch {
      // Cancelled. Feeds without a verdict count as not checked.
    }
  }

  /// Reports the verdict. Returns false, and reports nothing, for a feed that would become down.
  private func settle(_ fetched: FetchResult, about target: FeedCheckTarget) -> Bool {
    let check = checker.conclude(fetched.observation, about: target)
    if !check.isFall { events.yield(.checked(check)) }
    return !check.isFall
  }

  private func lookAgain(at target: FeedCheckTarget, seen: Timestamp, _ queue: HostQueue) async throws {
    let pause = options.secondLookDelay - clock.now().since(seen)
    if pause > .zero { try await clock.wait(pause) }
    guard let fetched = try await look(at: target, queue) else { return }
    events.yield(.checked(checker.conclude(fetched.observation, about: target)))
  }

  /// Returns `nil` when the feed was skipped, after reporting that.
  private func look(at target: FeedCheckTarget, _ queue: HostQueue) async throws -> FetchResult? {
    let throttle = queue.throttle
    try Task.checkCancellation()
    if let deadline, clock.now() >= deadline { return skip(target, .budget) }
    guard await robots.allows(target.feedURL) else { return skip(target, .robots) }
    switch throttle.admit(at: clock.now()) {
    case .blocked(let until): return skip(target, .hostAsksToWait(until: until))
    case .after(let pause): if pause > .zero { try await clock.wait(pause) }
    }
    let fetched = try await checker.look(at: target, isLastOfHost: queue.isEmpty)
    throttle.finished(at: clock.now())
    applyBackOff(fetched.observation, throttle)
    let reached = fetched.observation.failure?.isConnectionFailure != true
    events.yield(.requestEnded(host: target.host, reached: reached))
    return fetched
  }

  /// A 429, and a 503 with Retry-After, hold for the whole host.
  private func applyBackOff(_ observation: Observation, _ throttle: HostThrottle) {
    let asked = observation.directives.retryAfter
    if observation.outcome == .throttled {
      throttle.block(until: observation.time + (asked ?? options.policy.throttledInterval))
    } else if observation.httpStatus == 503, let asked {
      throttle.block(until: observation.time + asked)
    }
  }

  private func skip(_ target: FeedCheckTarget, _ reason: SkippedFeed.Reason) -> FetchResult? {
    var update: StateUpdate?
    if case .hostAsksToWait(let until) = reason { update = checker.deferring(target, until: until) }
    events.yield(.skipped(SkippedFeed(target, reason), host: target.host, update: update))
    return nil
  }
}

extension SkippedFeed {
  init(_ target: FeedCheckTarget, _ reason: Reason) {
    self.init(
      recordName: target.recordName, feedURL: target.feedURL, status: target.previousStatus ?? .unknown,
      reason: reason)
  }
}
