package import Articles
package import CloudKitModel
package import Diagnostics
package import FeedFetching
package import FeedState
package import HTTPTransport

package struct HealthOptions: Sendable {
  /// Only feeds of this category, by slug.
  package var category: String?
  /// Only these feeds, by record name, feed URL or slug; empty for all.
  package var only: [String] = []
  /// The feed URLs of slugs that seeds declare. Without one, a slug means the feed with that title.
  package var aliases: [String: String] = [:]
  /// Finds the feeds on the site of a feed that is gone; `nil` asks no site.
  package var siteSearch: SiteFeedSearch?
  /// What to store of the feeds' items; `nil` stores none.
  package var articles: ArticleOptions?
  package var mapping = FeedRecordMapping.celestra
  /// Also check feeds that are not due.
  package var force = false
  /// Read all feeds, also those that are not due, because the report judges the whole catalog.
  package var readsAllFeeds = false
  /// The falls since the last run with this option are findings.
  package var reportsFalls = false
  /// How long after a change a query may miss it.
  package var settle = Duration.zero
  /// The number of hosts asked at once, 1 or more.
  package var concurrency = 256
  /// The number of requests to one host at once, 1 or more.
  package var perHost = 1
  /// No check starts after this time; the feeds that are left are reported as skipped.
  package var budget: Duration?
  /// The pause before the second request that confirms that a feed is down.
  package var secondLookDelay = Duration.seconds(5)
  package var policy = FetchPolicy()
  /// Also those of the ``mapping``, so that what a run stores is read by the same limits.
  package var thresholds: HealthThresholds {
    get { mapping.thresholds }
    set { mapping.thresholds = newValue }
  }

  package init() {}

  /// The options with the names that the container's schema has. Throws the container's errors.
  ///
  /// - Parameter readsSeeds: whether feeds of seeds are checked, of which nothing is stored.
  func matching(_ container: any Container, readsSeeds: Bool) async throws -> HealthOptions {
    var options = self
    if readsSeeds { (options.articles, options.only, options.category) = (nil, [], nil) }
    options.mapping = try await mapping.matching(container, storesArticles: options.articles != nil)
    if !readsSeeds, options.mapping.hasOlderSchema, let type = mapping.stateType,
      !(try await container.hasRecordType(type))
    {
      throw HealthCheckError.noStateType(type)
    }
    if let articles = options.articles {
      options.articles?.mapping = try await articles.mapping.matching(container)
    }
    return options
  }
}

/// The clock of a run: the time, and a way to wait.
package struct HealthRunClock: Sendable {
  package var now: @Sendable () -> Timestamp
  package var wait: @Sendable (Duration) async throws -> Void
  /// Where the run says what it waits for.
  package var waits: WaitReporter
  /// The time since some fixed moment, which budgets and pauses are measured in: it goes on even when `now` stands still
  /// or is set back.
  package var elapsed: @Sendable () -> Duration

  /// - Parameter elapsed: `nil` takes it from `now`.
  package init(
    now: @escaping @Sendable () -> Timestamp, elapsed: (@Sendable () -> Duration)? = nil,
    wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    waits: WaitReporter = .silent
  ) {
    self.now = now
    self.elapsed = elapsed ?? { .milliseconds(now().milliseconds) }
    self.wait = wait
    self.waits = waits
  }

  /// Waits for a turn at a host. Returns false, without waiting, while the host asks for a longer pause.
  ///
  /// - Parameter rest: the time that the run has left; `nil` without a budget.
  func waitForTurn(at throttle: HostThrottle, rest: Duration? = nil) async throws -> Bool {
    guard let pause = throttle.admit(at: now(), elapsed: elapsed(), rest: rest) else { return false }
    try await wait(pause, "waiting for a turn at \(throttle.host)", next: "asking it")
    return true
  }

  /// Lets the time pass before the next request, of which the messages say what it is.
  func wait(_ pause: Duration, _ message: String, next: String) async throws {
    guard pause > .zero else { return }
    let wait = Wait(message, pause: pause, next: next)
    try await waits.during(wait) { try await self.wait(pause) }
  }
}

/// The error of a health check that cannot start.
package enum HealthCheckError: CommandFailureConvertible, Hashable {
  /// Feeds named on the command line that the container does not have.
  case unknownFeeds([String])
  /// The container has no record type for feeds.
  case noFeedType(String)
  /// The container has no record type for the results of checks.
  case noStateType(String)
  /// No category of the container has this slug.
  case unknownCategory(String, nearest: String?)

  package var failure: CommandFailure {
    switch self {
    case .unknownFeeds(let names):
      CommandFailure(
        "no such feed in the container: \(names.joined(separator: ", "))", code: "unknown-feed")
    case .noFeedType(let type):
      CommandFailure(
        "the container has no record type \(type), which should hold the feeds; records.feedType or records.profile in "
          + "the project file says which type does", code: "missing-record-type")
    case .noStateType(let type):
      CommandFailure(
        "the container has no record type \(type), which should hold what checks find",
        code: "missing-record-type",
        hint: "Add it to the schema as 'schema init --template celestra' writes it.")
    case .unknownCategory(let slug, let nearest):
      CommandFailure(
        "no such category in the container: \(slug)", code: "unknown-category",
        hint: nearest.map { "Did you mean '\($0)'?" })
    }
  }

  /// Turns the service's refusal of a query for the feeds into the sentence that says what is missing.
  static func namingMissingType(_ mapping: FeedRecordMapping, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as ServerError where error.code == .notFound {
      throw HealthCheckError.noFeedType(mapping.recordType)
    }
  }
}

struct NextCheckTime {
  let policy: FetchPolicy
  var thresholds = HealthThresholds()
  /// What the feed's last whole document asked, which neither a 304 nor a document that was cut repeats.
  var schedule: PublisherSchedule?

  /// The latest of our own interval (doubled for each failure in a row after the first) and the times that the headers and
  /// the document ask for, at most ``FetchPolicy/maxInterval`` away; moved out of the hours and days that the publisher excludes.
  func time(after observation: FetchObservation, failures: Int64) -> Timestamp {
    let directives = observation.directives
    var wait = policy.backOff(failures: failures)
    // The next check of other content counts only from then on.
    if observation.failure?.kind == .content { wait = max(wait, thresholds.contentUntilDown) }
    if observation.isThrottled {
      wait = max(wait, directives.retryAfter ?? policy.throttledInterval)
    }
    let schedule = observation.isSuccess ? self.schedule ?? observation.schedule : nil
    for wish in [directives.retryAfter, directives.freshFor, schedule?.ttl] {
      if let wish { wait = max(wait, wish) }
    }
    let time = observation.time + min(wait, policy.maxInterval)
    return schedule.map { Self.permitted(time, $0) } ?? time
  }

  /// How far ``permitted(_:_:)`` moves a time at most.
  static let maxShift = Duration.seconds(maxShiftHours * 3600)
  private static let maxShiftHours: Int64 = 24 * 7

  /// The first moment from `time` on outside the excluded hours and days (UTC). A feed that excludes every hour of the
  /// week is treated as if it excluded none.
  static func permitted(_ time: Timestamp, _ schedule: PublisherSchedule) -> Timestamp {
    guard !schedule.skipHours.isEmpty || !schedule.skipDays.isEmpty else { return time }
    let hour: Int64 = 3_600_000
    let begun = time.day * 24 + Int64(time.hour)
    let later = (1..<maxShiftHours).lazy.map { Timestamp(milliseconds: (begun + $0) * hour) }
    func isOpen(_ moment: Timestamp) -> Bool {
      !schedule.skipHours.contains(moment.hour) && !schedule.skipDays.contains(moment.weekday)
    }
    return isOpen(time) ? time : later.first(where: isOpen) ?? time
  }
}

/// Finds the feeds of a site, for feeds that are gone. A module above this one does it.
///
/// Returns the feeds that have items and are not about comments, the best first. Throws only `CancellationError`.
///
/// - Parameter transport: sends each request as a health check does: with its user agent, its pauses, `robots.txt`, and its
///   rule for private addresses, which is in `addresses`, too.
package typealias SiteFeedSearch =
  @Sendable (
    _ site: String, _ transport: any HTTPTransport, _ addresses: IPAddressPolicy
  ) async throws -> [SiteFeed]
