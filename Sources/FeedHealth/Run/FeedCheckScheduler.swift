internal import Articles
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import Synchronization

/// An event of the scheduler.
enum FeedCheckEvent: Sendable {
  /// Indirect, because thousands of events may wait.
  indirect case checked(FeedCheck)
  /// The sample has its verdict: what failed in it is our own network's fault, or, with `nil`, is not.
  case judged(sample: Int, LocalOutage?)
  case skipped(SkippedFeed, host: String, update: FeedStateUpdate?)
  /// Time has passed: what waits to be written can be written.
  case tick
}

/// Checks all hosts at once, each within its own limits. A class, because thousands of tasks share it.
final class FeedCheckScheduler: Sendable {
  private let checker: FeedChecker
  private let suggestions: ReplacementURLFinder
  private let catalog: KnownFeedURLs
  private let goneFeeds: GoneFeedSearch?
  private let robots: RobotsCache
  private let deadline: Duration?
  private let backlog: ArticleBacklog
  private let samples: HostSamples
  private let events: AsyncStream<FeedCheckEvent>.Continuation

  /// - Parameter deadline: on the clock's elapsed time.
  init(
    checker: FeedChecker, suggestions: ReplacementURLFinder, catalog: KnownFeedURLs,
    goneFeeds: GoneFeedSearch?, robots: RobotsCache,
    deadline: Duration?, backlog: ArticleBacklog, samples: HostSamples,
    events: AsyncStream<FeedCheckEvent>.Continuation
  ) {
    self.checker = checker
    self.suggestions = suggestions
    self.catalog = catalog
    self.goneFeeds = goneFeeds
    self.robots = robots
    self.deadline = deadline
    self.backlog = backlog
    self.samples = samples
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

  /// Checks the feeds of one host after another. A feed that would become down is fetched a second time after the others
  /// of its host; one whose host may not have been reached waits for the end of its sample. If the run has a budget,
  /// waiting hosts get their turn after each feed.
  private func work(through hosts: HostAssignment<FeedCheckTarget>) async {
    do {
      while let queue = hosts.next() {
        var doubtful: [HeldCheck] = []
        while let target = queue.next() {
          try await backlog.waitForRoom()
          if let fetched = try await look(at: target, queue) {
            let check = HeldCheck(target: target, seen: fetched, queue: queue)
            if samples.mustWait(fetched, about: target) {
              samples.hold(check)
              try await finish(target)
            } else if isFall(fetched, about: target) {
              doubtful.append(check)
            } else {
              try await settle(check, isFall: false)
              try await finish(target)
            }
          } else {
            try await finish(target)
            continue
          }
          if deadline != nil, hosts.giveWay(queue) { break }
        }
        for doubt in doubtful {
          try await settle(try await lookAgain(at: doubt), isFall: true)
          try await finish(doubt.target)
        }
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
  private func settle(_ check: HeldCheck, isFall: Bool) async throws {
    let (target, throttle) = (check.target, check.queue.throttle)
    var fetched = check.seen
    // Only now: the state of a search takes more memory than all else of a feed that waits.
    if fetched.observation.namesAddresses {
      fetched = try await suggestions.completing(fetched, about: target, throttle)
    }
    if let goneFeeds, !isOver(in: .zero),
      goneFeeds.isWanted(fetched.observation, about: target, isFall: isFall)
    {
      fetched = try await goneFeeds.completing(fetched, about: target, throttle)
    }
    try await report(fetched, about: target)
  }

  @inline(never)
  private func report(
    _ fetched: FeedFetchResult, about target: FeedCheckTarget, isLost: Bool = false
  ) async throws {
    var check = checker.conclude(fetched, about: target)
    check.isLost = isLost
    if !isLost, let url = check.result.suggestedURL {
      check.result.suggestedFeed = try await catalog.feed(at: url, except: target.recordName)
    }
    backlog.add(check.articles?.itemsToStore ?? 0)
    events.yield(.checked(check))
  }

  /// If no second request is possible, the first one counts.
  private func lookAgain(at doubt: HeldCheck) async throws -> HeldCheck {
    if isFall(doubt.seen, about: doubt.target) {
      let pause = options.secondLookDelay - clock.now().since(doubt.seen.observation.time)
      if !isOver(in: pause) { try await clock.wait(pause, for: doubt.target.host) }
    }
    guard !isOver(in: .zero) else { return doubt }
    let second = try await fetch(
      doubt.target, doubt.queue, sendsValidators: !doubt.seen.observation.followsRefusedValidators)
    guard let second, !second.isRefusedHere else { return doubt }
    var doubt = doubt
    doubt.seen = second
    return doubt
  }

  // MARK: Samples

  /// Judges a sample when its last feed is done. Its suspect hosts are asked once more before that.
  private func finish(_ target: FeedCheckTarget) async throws {
    guard let sample = samples.finish(target.host) else { return }
    try await judge(sample)
  }

  @inline(never)
  private func judge(_ sample: Int) async throws {
    let (again, others) = samples.takeHeld(of: sample)
    let asked = try await askAgain(again)
    let outage = samples.outage(of: sample)
    if outage != nil {
      for check in (asked + others).joined() {
        try await report(check.seen, about: check.target)
      }
    }
    events.yield(.judged(sample: sample, outage))
    guard outage == nil else { return }
    _ = try await each(asked + others, atOnce: options.concurrency) { checks in
      for check in checks { try await self.release(check, of: sample) }
      return checks
    }
  }

  /// Reports a check that waited for its sample.
  private func release(_ check: HeldCheck, of sample: Int) async throws {
    if samples.isLost(check, in: sample) {
      return try await report(check.seen, about: check.target, isLost: true)
    }
    let isFall = isFall(check.seen, about: check.target)
    try await settle(isFall && !check.isConfirmed ? try await lookAgain(at: check) : check, isFall: isFall)
  }

  /// Asks hosts once more, two at a time, because a network or a name server that fails under load may answer then. Ends
  /// early when several in a row fail as before, or when it takes too long.
  private func askAgain(_ hosts: [[HeldCheck]]) async throws -> [[HeldCheck]] {
    let end = clock.elapsed() + Self.maxTimeToAskAgain
    let failedInRow = Atomic<Int>(0)
    // Name servers are the likeliest to answer the second time.
    let unnamed = hosts.filter { $0[0].seen.observation.signature?.isAboutName == true }
    let others = hosts.filter { $0[0].seen.observation.signature?.isAboutName != true }
    return try await each(unnamed + others, atOnce: min(2, options.concurrency)) { [self] checks in
      guard failedInRow.load(ordering: .relaxed) < Self.maxFailedInRow, clock.elapsed() < end,
        !isOver(in: .zero)
      else { return checks }
      let asked = try await askHost(checks)
      if asked[0].isConfirmed {
        // That a name has no address is said at once.
        let isQuick = asked[0].seen.observation.signature == .unknownName
        failedInRow.add(isQuick ? 0 : 1, ordering: .relaxed)
      } else {
        failedInRow.store(0, ordering: .relaxed)
      }
      return asked
    }
  }

  private static let maxTimeToAskAgain = Duration.seconds(300)
  private static let maxFailedInRow = 6

  /// Asks for the feeds of one host. When it is not reached, that is so for all of its feeds.
  private func askHost(_ checks: [HeldCheck]) async throws -> [HeldCheck] {
    var checks = checks
    for index in checks.indices {
      checks[index] = try await lookAgain(at: checks[index])
      guard checks[index].seen.observation.signature(about: checks[index].target) != nil else { continue }
      for rest in index..<checks.count { checks[rest].isConfirmed = true }
      break
    }
    return checks
  }

  /// Runs `body` for each element, for some at once, and returns its results.
  private func each<Element: Sendable>(
    _ elements: [Element], atOnce width: Int, _ body: @escaping @Sendable (Element) async throws -> Element
  ) async throws -> [Element] {
    try await withThrowingTaskGroup { group in
      var (next, results) = (elements.makeIterator(), [Element]())
      for _ in 0..<max(1, width) {
        if let element = next.next() { group.addTask { try await body(element) } }
      }
      while let result = try await group.next() {
        results.append(result)
        if let element = next.next() { group.addTask { try await body(element) } }
      }
      return results
    }
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
    guard let fetched = try await document(of: target, queue, sendsValidators: sendsValidators) else {
      return nil
    }
    if let cleared = samples.note(fetched.observation, about: target) {
      events.yield(.judged(sample: cleared, nil))
    }
    return fetched
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

  /// The answer to a request when the host's turn has come. In a run with a budget, a request that the host throttled is
  /// sent again after the pause that it asked for.
  private func request(
    _ target: FeedCheckTarget, _ queue: HostQueue<FeedCheckTarget>, sendsValidators: Bool
  ) async throws -> FeedFetchResult? {
    let throttle = queue.throttle
    var tries = 0
    while true {
      guard try await clock.waitForTurn(at: throttle, rest: rest) else { return nil }
      let fetched = try await checker.look(
        at: target, isLastOfHost: queue.isEmpty, sendsValidators: sendsValidators)
      throttle.finished(at: clock.now())
      applyBackOff(fetched.observation, target, throttle)
      tries += 1
      guard fetched.observation.isThrottled, tries < Self.maxTries, let rest,
        let pause = throttle.blockedUntil?.since(clock.now()), pause > .zero, pause < rest
      else { return fetched }
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

  /// A pause that ends before the next run asks again needs no record. `nextCheck` then stays what the feed's own last
  /// answer asked for, which shows when the feed is neglected.
  private static let shortPause = Duration.seconds(300)

  @inline(never)
  private func skip(_ target: FeedCheckTarget, _ reason: SkippedFeed.Reason) -> FeedFetchResult? {
    var update: FeedStateUpdate?
    if case .hostAsksToWait(let until) = reason, until.since(clock.now()) > Self.shortPause {
      update = checker.deferring(target, until: until)
    }
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
