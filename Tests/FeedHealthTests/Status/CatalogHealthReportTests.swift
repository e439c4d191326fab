import Catalog
import Diagnostics
import FeedFetching
import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct CatalogHealthReportTests {
  private static func ago(_ seconds: Int64) -> Timestamp { .monday + .seconds(-seconds) }

  private func entry(
    _ name: String, _ status: HealthStatus = .down, reasons: [HealthReason] = [.notFound],
    host: String = "a.example",
    _ change: (inout CatalogHealth.Entry) -> Void = { _ in }
  ) -> CatalogHealth.Entry {
    var entry = CatalogHealth.Entry(
      recordName: name, feedURL: "http://\(host)/\(name)", title: "T\(name)", status: status,
      reasons: reasons, isVerified: false,
      metadata: FeedMetadata(feed: name))
    change(&entry)
    return entry
  }

  private func health(_ feeds: [CatalogHealth.Entry], _ change: (inout CatalogHealth) -> Void = { _ in })
    -> CatalogHealth
  {
    var health = CatalogHealth(asOf: .monday)
    health.feeds = feeds
    change(&health)
    return health
  }

  @Test("the exit status follows from the statuses of feeds at the level asked for")
  func statuses() {
    for (status, degraded, down, unchecked) in [
      (HealthStatus.healthy, false, false, false), (.degraded, true, false, false),
      (.down, true, true, false), (.unknown, false, false, true),
    ] {
      let health = health([entry("a", status)])
      for (level, isFinding) in [
        (CatalogHealthReport.FailLevel.degraded, degraded), (.down, down), (.unchecked, unchecked),
      ] {
        #expect(
          CatalogHealthReport(health, failLevel: level).status == (isFinding ? .findings : .done),
          "\(status) \(level)")
      }
      #expect(CatalogHealthReport(health).status == .done)
    }
    let both = health([entry("a", .degraded), entry("b", .down)])
    #expect(CatalogHealthReport(both, failLevel: .degraded).status == .findings)
  }

  @Test(
    "feeds are ordered by status, readers, age and address; the categories by name, those without one last")
  func order() {
    let feeds = [
      entry("e", .degraded), entry("b") { $0.readers = 5 }, entry("a") { $0.readers = 9 },
      entry("c") { $0.statusSince = Self.ago(9) },
      entry("d"), entry("h", .healthy),
    ]
    #expect(health(feeds).troubled.map(\.recordName) == ["a", "b", "c", "d", "e"])
    let counts = health([
      entry("a") { $0.category = "z" }, entry("b", .healthy), entry("c", .unknown) { $0.category = "x" },
      entry("d") { $0.category = "z" },
    ]).counts
    #expect(
      counts.map(\.category) == ["x", "z", nil] && counts.map(\.feeds) == [1, 2, 1] && counts[1][.down] == 2
        && counts[1][.healthy] == 0)
    let checked = health([
      entry("a") { $0.lastCheck = Self.ago(1) }, entry("b") { $0.lastCheck = Self.ago(2) }, entry("c"),
    ])
    #expect(checked.oldestCheck?.recordName == "b" && health([entry("c")]).oldestCheck == nil)
    #expect(health([entry("c", .unknown), entry("d")]).unchecked.map(\.recordName) == ["c"])
  }

  @Test("feeds of one host with the same trouble are one group, unless another address is known for one")
  func groups() {
    func names(_ feeds: [CatalogHealth.Entry]) -> [[String]] {
      health(feeds).troubledGroups.map { $0.feeds.map(\.recordName) }
    }
    #expect(
      names([entry("a"), entry("b")]) == [["a", "b"]]
        && names([entry("a"), entry("b", host: "b.example")]) == [["a"], ["b"]])
    #expect(
      names([entry("a"), entry("b", reasons: [.gone])]) == [["a"], ["b"]]
        && names([entry("a", reasons: []), entry("b", reasons: [])]) == [["a"], ["b"]])
    #expect(
      names([entry("a"), entry("b") { $0.suggestedURL = "http://n/" }, entry("c")]) == [["a", "c"], ["b"]])
    #expect(
      names([entry("a") { $0.suggestedURL = "http://n/" }, entry("b"), entry("c")]) == [["a"], ["b", "c"]])
    let group = health([
      entry("a") { ($0.readers, $0.metadata.failureBegan) = (3, Self.ago(5)) },
      entry("b") { $0.metadata.failureBegan = Self.ago(9) },
      entry("c") { $0.readers = 4 },
    ]).troubledGroups[0]
    #expect(group.readers == 7 && group.failingSince == Self.ago(9))
    #expect(health([entry("a")]).troubledGroups[0].readers == nil)
  }

  @Test("a group is named by its feed, or by their number and host; five are listed")
  func names() {
    func words(_ count: Int) -> [String] {
      let health = health((0..<count).map { entry("\($0)") })
      let report = CatalogHealthReport(health)
      let group = health.troubledGroups[0]
      return [report.name(of: group), report.place(of: group)]
    }
    #expect(words(1) == ["T0", "http://a.example/0"] && words(2) == ["2 feeds of a.example", "T0, T1"])
    #expect(words(5)[1] == "T0, T1, T2, T3, T4" && words(6)[1] == "T0, T1, T2, T3, T4 and 1 more")
  }

  @Test("the state of a group has its age if all feeds share it, and its readers")
  func states() {
    func state(_ ages: [Int64?], readers: Int64? = nil) -> String {
      let health = health(
        ages.enumerated().map { index, age in
          entry("\(index)") { ($0.statusSince, $0.readers) = (age.map(Self.ago), readers) }
        })
      return CatalogHealthReport(health).state(of: health.troubledGroups[0])
    }
    #expect(
      state([nil]) == "down" && state([7200]) == "down for 2 hours"
        && state([7200], readers: 1) == "down for 2 hours, 1 reader")
    #expect(
      state([7200, 7300]) == "down for 2 hours" && state([7200, 86_400]) == "down"
        && state([5, 7], readers: 2) == "down, 4 readers")
  }

  @Test("facts of one feed: its failure, last success, answer and uptime; of several the first failure")
  func facts() {
    func facts(_ change: (inout FeedMetadata) -> Void) -> [String] {
      entry("a") { change(&$0.metadata) }.facts(at: .monday)
    }
    #expect(facts { _ in } == [])
    #expect(facts { $0.failureBegan = Self.ago(59) } == ["failing since 2026-03-02T11:59:01Z"])
    #expect(facts { $0.failureBegan = Self.ago(60) } == ["failing since 2026-03-02T11:59:00Z, for 1 minute"])
    #expect(facts { $0.lastHealthCheck = .monday } == ["last success never"])
    #expect(
      facts { ($0.lastHealthCheck, $0.lastFetchSuccess) = (.monday, Self.ago(1)) } == [
        "last success 2026-03-02T11:59:59Z"
      ])
    for (status, words) in [(200, []), (304, []), (404, ["HTTP 404"])] as [(Int64, [String])] {
      #expect(facts { $0.httpStatus = status } == words)
    }
    let today = DailyCheckCounts(day: Timestamp.monday.day, successes: 1, failures: 1)
    let refusals = DailyCheckHistory([DailyCheckCounts(day: Timestamp.monday.day, failures: 1)])
    #expect(
      facts { ($0.history, $0.uptimePercentage) = (DailyCheckHistory([today]), 50.9) } == [
        "uptime 50 % of 2 checks"
      ])
    #expect(
      facts { ($0.history, $0.uptimePercentage, $0.refusals) = (DailyCheckHistory([today]), 50, refusals) }
        == ["uptime 50 % of 2 checks; 1 check refused"])
    #expect(
      facts { $0.refusals = refusals } == ["1 check refused"] && facts { $0.uptimePercentage = 50 } == [])
    let both = health([entry("a") { $0.metadata.failureBegan = Self.ago(60) }, entry("b")])
    #expect(
      CatalogHealthReport(both).facts(of: both.troubledGroups[0])
        == "the first fails since 2026-03-02T11:59:00Z")
  }

  @Test("a job is overdue more than a day after its last complete run")
  func overdue() {
    func overdue(_ seconds: Int64?) -> [String] {
      CatalogHealthReport(
        health([]) { ($0.lastRun, $0.lastRecount) = (seconds.map(Self.ago), seconds.map(Self.ago)) }
      ).overdue
    }
    #expect(overdue(nil) == [] && overdue(86_400) == [] && overdue(86_401).count == 2)
    #expect(overdue(86_401).first == "no complete health check for 24 hours, since 2026-03-01T11:59:59Z")
    #expect(
      overdue(3 * 86_400).first?.contains(" for 72 hours,") == true
        && overdue(3 * 86_400 + 1).first?.contains(" for 3 days,") == true)
  }

  @Test("the last lines say how old the checks, runs and numbers of readers are")
  func ages() {
    #expect(
      CatalogHealthReport(health([])).ages
        == [
          "oldest check: none", "last complete run: unknown",
          "readers: as the records have them; no complete recount is known",
        ])
    let known = health([entry("a") { $0.lastCheck = Self.ago(59) }]) {
      ($0.lastRun, $0.readersAsOf, $0.articlesWritten, $0.articlesInDay) = (
        Self.ago(60), Self.ago(3600), 1, 5
      )
    }
    #expect(
      CatalogHealthReport(known).ages
        == [
          "oldest check: just now, 2026-03-02T11:59:01Z (Ta)",
          "last complete run: 1 minute ago, 2026-03-02T11:59:00Z, 1 article written, 5 in 24 hours",
          "readers: as of the last recount, 1 hour ago, 2026-03-02T11:00:00Z",
        ])
  }

  @Test("refused feeds are counted, and 20 feeds that were never checked are named")
  func sentences() {
    func refused(_ count: Int) -> String? {
      CatalogHealthReport(
        health((0..<count).map { entry("\($0)", .degraded, reasons: [.botWall]) } + [entry("x")])
      ).refusedSentence
    }
    #expect(
      refused(0) == nil && refused(1) == "the servers of 1 feed refuse us, so nothing is known about it")
    #expect(refused(2) == "the servers of 2 feeds refuse us, so nothing is known about them")
    #expect(health([entry("a", .healthy, reasons: [.botWall])]).refused == 0)
    for (count, more) in [(20, false), (21, true)] {
      let text = CatalogHealthReport(health((0..<count).map { entry("\($0)", .unknown) })).text(.plain)
        .description
      #expect(
        text.contains("\(count) feeds not checked yet: T0, ") && text.contains("T19 and 1 more") == more)
    }
  }

  @Test("a table has a row for each category, and one for all when there are two or more")
  func tables() {
    let one = CatalogHealthReport(health([entry("a", .healthy)])).text(.plain).description
    #expect(
      one.contains(
        "category  feeds  healthy  degraded  down  not checked\n  (none)        1        1         0     0            0\n"
      ))
    #expect(!one.contains("\n  all "))
    let two = CatalogHealthReport(
      health([entry("a", .healthy) { $0.category = "news" }, entry("b", .unknown)])
    ).text(.plain).description
    #expect(two.contains("\n  all           2        1         0     0            1\n"))
    #expect(
      CatalogHealthReport(health([])).text(.plain).description.hasPrefix("The container has no feeds.\n\n"))
    let markdown = CatalogHealthReport(health([entry("a")])).markdown.description
    #expect(
      markdown.contains("| (none) | 1 | 0 | 0 | 1 | 0 |")
        && markdown.contains("| feed | state | why | what to do |"))
    #expect(
      !CatalogHealthReport(health([entry("a", .healthy)])).markdown.description.contains("| feed | state |"))
  }

  @Test("the JSON of a feed has what is known of its trouble; groups have two feeds or more")
  func json() {
    func feed(_ change: (inout CatalogHealth.Entry) -> Void = { _ in }) -> JSONValue? {
      CatalogHealthReport(health([entry("a", .down, reasons: [.notFound], host: "a.example", change)])).json[
        "troubled"]?.array?.first
    }
    #expect(
      feed()?["refusedChecks"] == nil && feed()?["family"] == nil && feed()?["uptimeChecks"] == .integer(0))
    #expect(feed { $0.reasons = [.botWall] }?["family"] == "refused")
    let refusals = DailyCheckHistory([DailyCheckCounts(day: Timestamp.monday.day, failures: 2)])
    #expect(feed { $0.metadata.refusals = refusals }?["refusedChecks"] == .integer(2))
    #expect(CatalogHealthReport(health([entry("a")])).json["groups"]?.array?.count == 0)
    #expect(CatalogHealthReport(health([entry("a"), entry("b")])).json["groups"]?.array?.count == 1)
    let unchecked = CatalogHealthReport(health([entry("a", .unknown)])).json["neverChecked"]?.array?.first
    #expect(unchecked?["status"] == "unchecked" && unchecked?["reasons"] == nil)
  }

  @Test("an address is proposed by the last check, or by three sightings of a redirect")
  func proposals() {
    for (count, expected) in [(2, nil), (3, "http://r/")] as [(Int64, String?)] {
      let found = entry("a") { ($0.metadata.redirectURL, $0.metadata.redirectCount) = ("http://r/", count) }
      #expect(found.proposedURL == expected)
    }
    #expect(entry("a") { $0.metadata.suggestedURL = "http://s/" }.proposedURL == "http://s/")
  }
}
