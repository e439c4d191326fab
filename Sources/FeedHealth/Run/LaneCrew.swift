internal import CloudKitModel

/// What the lanes tell the run, in the order it happens.
enum RunEvent: Sendable {
  /// A request to a host ended; `reached` is false when there was no connection.
  case sighted(host: String, reached: Bool)
  case checked(FeedCheck)
  case skipped(SkippedFeed, host: String, update: StateUpdate?)
}

/// Works through all hosts at once, each host politely. A class, as each of thousands of lanes has hold of it.
final class LaneCrew: Sendable {
  private let examiner: FeedExaminer
  private let robots: RobotsCache
  private let deadline: Timestamp?
  private let events: AsyncStream<RunEvent>.Continuation

  init(
    examiner: FeedExaminer, robots: RobotsCache, deadline: Timestamp?,
    events: AsyncStream<RunEvent>.Continuation
  ) {
    self.examiner = examiner
    self.robots = robots
    self.deadline = deadline
    self.events = events
  }

  private var clock: HealthClock { examiner.clock }
  private var options: HealthOptions { examiner.options }

  /// Ends when every feed is accounted for, or the task is cancelled.
  func run(_ subjects: [FeedSubject]) async {
    defer { events.finish() }
    let queues = HostQueue.queues(for: subjects, policy: options.policy)
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

  /// One lane. A feed that would be called down waits for a second look until the others are done.
  private func work(on queue: HostQueue) async {
    do {
      var doubtful: [(subject: FeedSubject, seen: Timestamp)] = []
      while let subject = queue.next() {
        guard let sighting = try await look(at: subject, queue) else { continue }
        if !settle(sighting, about: subject) { doubtful.append((subject, sighting.observation.time)) }
      }
      for (subject, seen) in doubtful { try await lookAgain(at: subject, seen: seen, queue) }
    } catch {
      // Cancelled: what this lane did not conclude was not checked.
    }
  }

  /// False for a feed that would fall.
  private func settle(_ sighting: Sighting, about subject: FeedSubject) -> Bool {
    let check = examiner.conclude(sighting.observation, about: subject)
    if !check.isFall { events.yield(.checked(check)) }
    return !check.isFall
  }

  private func lookAgain(at subject: FeedSubject, seen: Timestamp, _ queue: HostQueue) async throws {
    let pause = options.secondLookDelay - clock.now().since(seen)
    if pause > .zero { try await clock.wait(pause) }
    guard let sighting = try await look(at: subject, queue) else { return }
    events.yield(.checked(examiner.conclude(sighting.observation, about: subject)))
  }

  /// `nil` when the feed had to be skipped, which has been reported then.
  private func look(at subject: FeedSubject, _ queue: HostQueue) async throws -> Sighting? {
    let gate = queue.gate
    try Task.checkCancellation()
    if let deadline, clock.now() >= deadline { return skip(subject, .budget) }
    guard await robots.allows(subject.feedURL) else { return skip(subject, .robots) }
    switch gate.admit(at: clock.now()) {
    case .blocked(let until): return skip(subject, .hostAsksToWait(until: until))
    case .after(let pause): if pause > .zero { try await clock.wait(pause) }
    }
    let sighting = try await examiner.look(at: subject, isLastOfHost: queue.isEmpty)
    gate.finished(at: clock.now())
    heed(sighting.observation, gate)
    let reached = sighting.observation.failure?.isConnectionFailure != true
    events.yield(.sighted(host: subject.host, reached: reached))
    return sighting
  }

  /// 429, and 503 with a time, speak for the whole host.
  private func heed(_ observation: Observation, _ gate: HostGate) {
    let asked = observation.wishes.retryAfter
    if observation.outcome == .throttled {
      gate.block(until: observation.time + (asked ?? options.policy.throttledInterval))
    } else if observation.httpStatus == 503, let asked {
      gate.block(until: observation.time + asked)
    }
  }

  private func skip(_ subject: FeedSubject, _ reason: SkippedFeed.Reason) -> Sighting? {
    var update: StateUpdate?
    if case .hostAsksToWait(let until) = reason { update = examiner.deferring(subject, until: until) }
    events.yield(.skipped(SkippedFeed(subject, reason), host: subject.host, update: update))
    return nil
  }
}

extension SkippedFeed {
  init(_ subject: FeedSubject, _ reason: Reason) {
    self.init(
      recordName: subject.recordName, feedURL: subject.feedURL, status: subject.previousStatus ?? .unknown,
      reason: reason)
  }
}
