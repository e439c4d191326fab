internal import CloudKitModel
internal import HTTPTransport
internal import RecordChanges

/// A look at a feed and what is concluded from it. A class, as thousands may wait to be written.
final class FeedCheck: Sendable {
  let result: FeedResult
  let update: StateUpdate
  /// The feed would be called down, though it was not so far.
  let isFall: Bool

  init(result: FeedResult, update: StateUpdate, isFall: Bool) {
    self.result = result
    self.update = update
    self.isFall = isFall
  }
}

/// What is now known of a feed. The changes of its records, ten times as large, are made only to be written.
/// A class, as it goes from hand to hand in a queue of thousands.
final class StateUpdate: Sendable {
  let subject: FeedSubject
  let next: FeedMetadata

  init(subject: FeedSubject, next: FeedMetadata) {
    self.subject = subject
    self.next = next
  }

  var changes: [RecordChange] { subject.changes(to: next) }
}

/// What one look showed, behind a pointer: thousands of waiting tasks have room for it.
final class Sighting: Sendable {
  let observation: Observation

  init(_ observation: Observation) { self.observation = observation }
}

/// Fetches one feed and judges what came. Knows nothing of hosts, runs or writing.
final class FeedExaminer: Sendable {
  let clock: HealthClock
  let options: HealthOptions
  private let transport: any HTTPTransport

  init(transport: any HTTPTransport, clock: HealthClock, options: HealthOptions) {
    self.transport = transport
    self.clock = clock
    self.options = options
  }

  /// Throws only `CancellationError`: whatever else goes wrong is an observation.
  func look(at subject: FeedSubject, isLastOfHost: Bool) async throws -> Sighting {
    let reader = reader(for: subject, isLastOfHost: isLastOfHost)
    do {
      return reader.look(at: try await transport.send(reader.request.http))
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      return Sighting(reader.observe(error))
    }
  }

  private func reader(for subject: FeedSubject, isLastOfHost: Bool) -> AnswerReader {
    let now = clock.now()
    let request = FeedRequest(
      url: subject.feedURL, metadata: subject.metadata, policy: options.policy, at: now,
      isLast: isLastOfHost)
    return AnswerReader(feedURL: subject.feedURL, request: request, time: now)
  }

  func conclude(_ observation: Observation, about subject: FeedSubject) -> FeedCheck {
    let previous = subject.metadata
    var next = previous.recording(observation, of: subject.feedURL)
    let assessment = HealthJudge(thresholds: options.thresholds).judge(observation, next, after: previous)
    if assessment.status != previous.status { next.statusSince = observation.time }
    next.status = assessment.status
    next.nextCheck = NextCheck(policy: options.policy).time(after: observation, failures: next.failureCount)
    return FeedCheck(
      result: FeedResult(subject, observation, assessment, next),
      update: StateUpdate(subject: subject, next: next),
      isFall: assessment.status == .down && previous.status != .down)
  }

  /// What makes every run leave a feed alone until its host wants to hear from us again.
  func deferring(_ subject: FeedSubject, until moment: Timestamp) -> StateUpdate {
    var next = subject.metadata
    let latest = clock.now() + options.policy.longestInterval
    next.nextCheck = max(next.nextCheck ?? moment, min(moment, latest))
    next.checkedURL = subject.feedURL
    next.feedReference = next.feedReference ?? Reference(subject.recordName)
    return StateUpdate(subject: subject, next: next)
  }
}

extension FeedResult {
  init(_ subject: FeedSubject, _ observation: Observation, _ assessment: Assessment, _ next: FeedMetadata) {
    self.init(
      recordName: subject.recordName, feedURL: subject.feedURL, title: subject.title,
      status: assessment.status, previousStatus: subject.previousStatus,
      statusSince: next.statusSince, httpStatus: observation.httpStatus, reasons: assessment.reasons,
      detail: observation.detail, suggestedURL: assessment.suggestedURL,
      notModified: observation.outcome == .notModified, items: observation.content?.itemCount,
      newestItem: next.newestItem, uptimePercentage: next.uptimePercentage)
  }
}
