internal import Articles
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import HTTPTransport
internal import Platform
internal import Synchronization

/// Checks all hosts at once, each within its own limits. A class, because many tasks share it.
final class FeedCheckScheduler: Sendable {
  private let checker: FeedChecker
  private let catalog: KnownFeedURLs
  private let robots: RobotsCache
  private let recorder: HealthRunRecorder
  /// On the clock's elapsed time; `nil` without a budget.
  private let deadline: Duration?

  init(checker: FeedChecker, catalog: KnownFeedURLs, recorder: HealthRunRecorder) {
    self.checker = checker
    self.catalog = catalog
    self.recorder = recorder
    robots = RobotsCache(transport: checker.transport, policy: checker.options.policy)
    deadline = checker.options.budget.map { checker.clock.elapsed() + $0 }
  }

  private var clock: HealthRunClock { checker.clock }
  private var options: HealthOptions { checker.options }
  private var samples: HostSamples { recorder.samples }

  /// Returns when every feed is checked or skipped. Throws `CancellationError`, errors of reading the container, and what
  /// the recorder throws to end the run. Feeds without a verdict count as not checked.
  func run(_ hosts: HostAssignment) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<min(hosts.count, max(1, options.concurrency)) {
        group.addTask { try await self.work(through: hosts) }
      }
      for try await _ in group {}
    }
  }

  /// Checks the feeds of one host after another. A feed that would become down is fetched a second time after the others
  /// of its host; one whose host may not have been reached waits for the end of its sample. If the run has a budget,
  /// waiting hosts get their turn after each feed.
  private func work(through hosts: HostAssignment) async throws {
    while let queue = hosts.next() {
      var doubtful: [HeldCheck] = []
      while let target = queue.next() {
        guard let seen = try await fetch(target, queue) else { continue }
        let check = HeldCheck(target: target, seen: seen, seenAt: clock.elapsed(), queue: queue)
        if seen.mustWait(about: target) {
          samples.hold(check)
          try await finish(target)
        } else if turnsDown(check) {
          doubtful.append(check)
        } else {
          try await conclude(check, turnsDown: false)
          try await finish(target)
        }
        if deadline != nil, hosts.giveWay(queue) { break }
      }
      for doubt in doubtful {
        try await conclude(try await confirm(doubt), turnsDown: true)
        try await finish(doubt.target)
      }
    }
  }

  /// Returns `nil` when the feed was skipped, after reporting that.
  private func fetch(_ target: FeedCheckTarget, _ queue: HostQueue) async throws
    -> FetchObservation?
  {
    try Task.checkCancellation()
    let reason: SkippedFeed.Reason
    if isOver(in: .zero) {
      reason = .budget
    } else if await !robots.allows(target.feedURL) {
      reason = .robots
    } else if let failure = samples.knownFailure(of: target, at: clock.now()) {
      return failure
    } else if let seen = try await answer(for: target, queue) {
      guard let rule = seen.ownRule, !seen.mustWait(about: target) else { return seen }
      reason = rule
    } else {
      reason = .hostAsksToWait(until: queue.throttle.blockedUntil ?? clock.now())
    }
    try await skip(target, reason)
    try await finish(target)
    return nil
  }

  private func turnsDown(_ check: HeldCheck) -> Bool {
    !check.seen.isSuccess && checker.assess(check.seen, of: check.target).turnsDown
  }

  /// Fetches the feed a second time. If no second request is possible, the first one counts.
  private func confirm(_ doubt: HeldCheck) async throws -> HeldCheck {
    if turnsDown(doubt) {
      let pause = options.secondLookDelay - (clock.elapsed() - doubt.seenAt)
      if !isOver(in: pause) {
        try await clock.wait(
          pause, "a feed of \(doubt.target.host) failed",
          next: "asking a second time before it counts as down")
      }
    }
    guard !isOver(in: .zero) else { return doubt }
    let second = try await answer(
      for: doubt.target, doubt.queue, sendsValidators: !doubt.seen.followsRefusedValidators)
    guard let second, second.ownRule == nil else { return doubt }
    var doubt = doubt
    doubt.seen = second
    return doubt
  }

  /// Records the verdict. The site of a feed that is gone is asked first.
  private func conclude(_ check: HeldCheck, turnsDown: Bool) async throws {
    let (target, throttle) = (check.target, check.queue.throttle)
    var seen = check.seen
    if !seen.candidates.isEmpty {
      try await checker.tryCandidates(for: &seen, of: target, throttle, catalog)
    }
    if !isOver(in: .zero) {
      try await checker.searchSite(
        for: &seen, of: target, throttle, robots, catalog, turnsDown: turnsDown)
    }
    try await record(seen, of: target)
  }

  private func record(_ seen: FetchObservation, of target: FeedCheckTarget, isLost: Bool = false) async throws
  {
    var check = checker.assess(seen, of: target)
    check.isLost = isLost
    if !isLost, let url = check.result.suggestedURL {
      check.result.suggestedFeed = try await catalog.feed(at: url, except: target.recordName)
    }
    try await recorder.record(check)
  }

  // MARK: Samples

  /// Judges a sample when its last feed is done. Its suspect hosts are asked once more before that.
  private func finish(_ target: FeedCheckTarget) async throws {
    guard let sample = samples.finish(target.host) else { return }
    let (again, others) = samples.takeHeld(of: sample)
    let held = try await askAgain(again) + others
    let names = samples.namesToAskAgain(for: sample)
    if !names.isEmpty, await !resolvesAny(of: names) { samples.noteLostNames(for: sample) }
    if try await !reachesAny(of: samples.witnesses(for: sample)) { samples.noteCutOff(of: sample) }
    if let outage = samples.outage(of: sample) {
      let waiting = held.joined().map { checker.assess($0.seen, of: $0.target).result }
      return try await recorder.judge(sample, outage, waiting)
    }
    try await recorder.judge(sample, nil)
    try await OrderedTaskPool(width: options.concurrency).run(held) { checks in
      for check in checks { try await self.release(check, of: sample) }
    }
  }

  private func resolvesAny(of names: [String]) async -> Bool {
    for name in names where await checker.transport.resolves(name) { return true }
    return false
  }

  /// Whether a host that delivered a feed is still reached. One that asks for a pause shows nothing. The request is sent
  /// also when the time is over, because without it no failure counts.
  private func reachesAny(of witnesses: [Witness]) async throws -> Bool {
    var failed = 0
    for witness in witnesses where failed < HostSamples.witnesses {
      guard try await clock.waitForTurn(at: witness.throttle) else { continue }
      let seen = try await checker.fetch(witness.target, isLastOfHost: true)
      witness.throttle.finished(at: clock.elapsed())
      applyBackOff(seen, witness.target, witness.throttle)
      if seen.signature(about: witness.target) == nil { return true }
      failed += 1
    }
    return failed == 0
  }

  /// Records a check that waited for its sample.
  private func release(_ check: HeldCheck, of sample: Int) async throws {
    if let rule = check.seen.ownRule { return try await skip(check.target, rule) }
    if samples.isLost(check, in: sample) {
      return try await record(check.seen, of: check.target, isLost: true)
    }
    let isDown = turnsDown(check)
    try await conclude(isDown && !check.isConfirmed ? try await confirm(check) : check, turnsDown: isDown)
  }

  /// Asks hosts once more, two at a time, because a network or a name server that fails under load may answer then. Ends
  /// early when several in a row fail as before, or when it takes too long.
  private func askAgain(_ hosts: [[HeldCheck]]) async throws -> [[HeldCheck]] {
    let end = clock.elapsed() + Self.maxTimeToAskAgain
    let failedInRow = Atomic<Int>(0)
    // Name servers are the likeliest to answer the second time.
    let unnamed = hosts.filter { $0[0].seen.signature?.isAboutName == true }
    let others = hosts.filter { $0[0].seen.signature?.isAboutName != true }
    var results: [[HeldCheck]] = []
    try await OrderedTaskPool(width: min(2, options.concurrency)).run(unnamed + others) { [self] checks in
      guard failedInRow.load(ordering: .relaxed) < Self.maxFailedInRow, clock.elapsed() < end,
        !isOver(in: .zero)
      else { return checks }
      let asked = try await askHost(checks)
      if asked[0].isConfirmed {
        // That a name has no address is said at once.
        let isQuick = asked[0].seen.signature?.kind == .unknownNames
        failedInRow.add(isQuick ? 0 : 1, ordering: .relaxed)
      } else {
        failedInRow.store(0, ordering: .relaxed)
      }
      return asked
    } take: {
      results.append($0)
    }
    return results
  }

  private static let maxTimeToAskAgain = Duration.seconds(300)
  private static let maxFailedInRow = 6

  /// Asks for the feeds of one host. When it is not reached, that is so for all of its feeds.
  private func askHost(_ checks: [HeldCheck]) async throws -> [HeldCheck] {
    var checks = checks
    for index in checks.indices {
      checks[index] = try await confirm(checks[index])
      guard checks[index].seen.signature(about: checks[index].target) != nil else { continue }
      for rest in index..<checks.count { checks[rest].isConfirmed = true }
      break
    }
    return checks
  }

  // MARK: Requests

  /// Judges nothing by an answer that the validators may have caused: the feed is then requested without them
  /// (Documentation/reference/feeds.md#conditional-requests). Returns `nil` while the host asks for a pause.
  private func answer(
    for target: FeedCheckTarget, _ queue: HostQueue, sendsValidators: Bool = true
  ) async throws -> FetchObservation? {
    var seen = try await request(target, queue, sendsValidators: sendsValidators)
    if let first = seen, first.isConditional, first.mayRefuseValidators {
      seen = try await request(target, queue, sendsValidators: false)
      seen?.followsRefusedValidators = true
    }
    guard let seen else { return nil }
    if let cleared = samples.note(seen, about: target, queue.throttle) {
      try await recorder.judge(cleared, nil)
    }
    return seen
  }

  /// The answer to a request when the host's turn has come. In a run with a budget, a request that the host throttled is
  /// sent again after the pause that it asked for.
  private func request(
    _ target: FeedCheckTarget, _ queue: HostQueue, sendsValidators: Bool
  ) async throws -> FetchObservation? {
    let throttle = queue.throttle
    var tries = 0
    while true {
      guard try await clock.waitForTurn(at: throttle, rest: rest) else { return nil }
      let seen = try await checker.fetch(
        target, isLastOfHost: queue.isEmpty, sendsValidators: sendsValidators)
      throttle.finished(at: clock.elapsed())
      applyBackOff(seen, target, throttle)
      tries += 1
      guard seen.isThrottled, tries < Self.maxTries, let rest,
        let pause = throttle.blockedUntil?.since(clock.now()), pause > .zero, pause < rest
      else { return seen }
    }
  }

  /// Requests for a feed that its host throttles, at most.
  private static let maxTries = 3

  /// The time until the deadline; `nil` without one.
  private var rest: Duration? { deadline.map { max(.zero, $0 - clock.elapsed()) } }

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

  /// A pause that ends before the next run asks again needs no record, unless the address was never asked: only a record
  /// lets that run find it. `nextCheck` then stays what the feed's own last answer asked for, which shows when the feed is
  /// neglected.
  private static let shortPause = Duration.seconds(300)

  private func skip(_ target: FeedCheckTarget, _ reason: SkippedFeed.Reason) async throws {
    let now = clock.now()
    let until: Timestamp? =
      switch reason {
      case .hostAsksToWait(let end): target.lastRequest == nil || end.since(now) > Self.shortPause ? end : nil
      case .robots, .ownRules: options.mapping.stateType == nil ? nil : now + options.policy.interval
      case .notDue, .budget: nil
      }
    let update = until.map { checker.deferring(target, until: $0, reason) }
    let feed = SkippedFeed(target, reason, now: now, policy: options.policy)
    try await recorder.skip(feed, of: target.host, update)
  }
}

extension FetchObservation {
  /// The limit of this tool that forbids the request; `nil` when it was sent.
  fileprivate var ownRule: SkippedFeed.Reason? {
    guard case .refusedHere(let reason) = outcome else { return nil }
    return .ownRules(reason, detail: detail ?? "")
  }
}

extension SkippedFeed {
  /// The number of intervals after which a feed without a check counts as neglected.
  private static let neglectedAfter = 3

  init(_ target: FeedCheckTarget, _ reason: Reason, now: Timestamp, policy: FetchPolicy) {
    self.init(
      recordName: target.recordName, feedURL: target.feedURL, title: target.title,
      status: target.previousStatus ?? .unknown, statusReason: target.metadata.reasons.first, reason: reason,
      lastCheck: target.metadata.lastHealthCheck,
      falls: target.metadata.falls, isRetired: target.isRetired)
    if case .notDue = reason { return }
    guard let since = lastCheck ?? target.created else { return }
    let own = target.metadata.nextCheck.map { $0.since(since) } ?? policy.interval
    let interval = min(max(policy.interval, own), policy.maxInterval)
    isNeglected = now.since(since) > interval * Self.neglectedAfter
  }
}
