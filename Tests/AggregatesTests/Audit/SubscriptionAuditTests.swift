import CloudKitModel
import Cryptography
import Diagnostics
import Testing

@testable import Aggregates

/// A catalog with a past, to which a case adds what happens to the feed `target`. Times are minutes.
struct AuditScene {
  static let day: Int64 = 24 * 60
  /// The day on which cases happen.
  static let today: Int64 = 100 * day + 9 * 60
  var records: [Record] = []
  private var people = 0

  /// 300 people with five of 30 feeds each, over 90 days.
  init() {
    for person in 0..<300 {
      for number in 0..<5 {
        subscribe(
          "_old\(person)", "feed\((person * 7 + number * 11) % 30)",
          at: Int64(person * 431 + number * 97) % (90 * Self.day))
      }
    }
  }

  mutating func subscribe(_ person: String, _ feed: String = "target", at minute: Int64, name: String? = nil)
  {
    records.append(
      Record(
        recordType: "FeedSubscription", recordName: name ?? SHA256.hex("\(feed)-\(person)"),
        fields: ["feedRecordName": .string(feed)],
        created: RecordStamp(
          timestamp: Timestamp(milliseconds: minute * 60_000), userRecordName: person, deviceID: "")))
  }

  /// People with other subscriptions, over 90 days or within some minutes of today.
  mutating func readers(_ count: Int, from first: Int = 0, within minutes: Int64? = nil) {
    for index in 0..<count {
      let spread = minutes.map { Self.today + Int64(index) * $0 / Int64(count) }
      subscribe("_old\(first + index)", at: spread ?? Int64(index * 613) % (90 * Self.day))
    }
  }

  /// Accounts that did nothing before.
  mutating func newAccounts(
    _ count: Int, within minutes: Int64 = 50, at start: Int64 = today, feeds: [String] = ["target"]
  ) {
    for index in 0..<count {
      people += 1
      for feed in feeds {
        subscribe("_new\(people)", feed, at: start + Int64(index) * minutes / Int64(count))
      }
    }
  }

  mutating func madeUp(_ count: Int, by creators: Int = 1, every minutes: Int64 = 0) {
    for index in 0..<count {
      people += 1
      subscribe(
        "_old\(index % creators)", at: Self.today + Int64(index) * minutes,
        name: SHA256.hex("invented \(people)"))
    }
  }

  func audited(_ limits: SubscriptionAudit.Limits = .init(), published: Int64? = nil) -> SubscriptionAudit {
    var audit = SubscriptionAudit(limits, names: CreatorNames(ownKeys: [CreatorNames.keyDigest(of: "_key")]))
    for start in stride(from: 0, to: records.count, by: 200) {
      audit.add(Array(records[start...].prefix(200)))
    }
    return audit
  }

  func signals(published: Int64? = nil) -> Set<SubscriptionAudit.Signal> {
    audited().judgedFeeds(published: published.map { ["target": $0] } ?? [:])
      .first { $0.recordName == "target" }?.signals ?? []
  }

  /// Whether the audit warns of the feed.
  var isSuspect: Bool { !signals().isDisjoint(with: [.madeUp, .newAccounts]) }
}

@Suite("Audit of subscriptions") struct SubscriptionAuditTests {
  typealias Scene = AuditScene

  /// Something that happens to the catalog.
  typealias Event = @Sendable (inout Scene) -> Void

  private static func readers(_ count: Int, from first: Int = 0, within minutes: Int64? = nil) -> Event {
    { $0.readers(count, from: first, within: minutes) }
  }

  private static func newAccounts(
    _ count: Int, within minutes: Int64 = 50, at start: Int64 = Scene.today, feeds: [String] = ["target"]
  ) -> Event {
    { $0.newAccounts(count, within: minutes, at: start, feeds: feeds) }
  }

  private static func madeUp(_ count: Int, by creators: Int = 1, every minutes: Int64 = 0) -> Event {
    { $0.madeUp(count, by: creators, every: minutes) }
  }

  /// Subscriptions of today with names that are true for something else.
  private static func named(_ count: Int, _ text: @escaping @Sendable (Int) -> String) -> Event {
    { scene in
      for index in 0..<count {
        scene.subscribe("_new\(index)x", at: Scene.today, name: SHA256.hex(text(index)))
      }
    }
  }

  /// People who begin with five feeds each within an hour.
  private static func launch(
    _ people: Int, _ feed: @escaping @Sendable (_ person: Int, _ number: Int) -> String
  )
    -> Event
  {
    { scene in
      for person in 0..<people {
        for number in 0..<5 {
          scene.subscribe("_launch\(person)", feed(person, number), at: Scene.today + Int64(person % 50))
        }
      }
    }
  }

  private static let attacks: [(name: String, events: [Event])] = [
    ("6 invented names in 16", [readers(10), madeUp(6)]),
    ("12 invented names beside 290 readers", [readers(290), madeUp(12)]),
    ("500 invented names at once", [readers(100), madeUp(500)]),
    ("an invented name a day for a month", [readers(200), madeUp(30, every: Scene.day)]),
    ("invented names by many accounts", [readers(100), madeUp(40, by: 40)]),
    ("one invented name of eight", [readers(7), madeUp(1)]),
    ("a feed with nothing but invented names", [madeUp(9)]),
    ("names that are true for another person", [named(20) { "target-_victim\($0)" }]),
    ("names that are true for another feed", [readers(30), named(8) { "feed1-_new\($0)x" }]),
    ("20 new accounts in ten minutes", [readers(50), newAccounts(20, within: 10)]),
    ("30 new accounts in an hour", [readers(100), newAccounts(30)]),
    ("300 new accounts in an hour", [readers(20), newAccounts(300)]),
    ("new accounts around the full hour", [readers(30), newAccounts(25, at: Scene.today - 25)]),
    (
      "accounts that also read one other feed", [readers(60), newAccounts(40, feeds: ["target", "feed3"])]
    ),
    (
      "accounts for three feeds at once",
      [readers(60), newAccounts(40, feeds: ["target", "feed3", "feed4"])]
    ),
    (
      "two waves", [readers(60), newAccounts(40), newAccounts(40, at: Scene.today + 2 * Scene.day)]
    ),
    ("100 new accounts of a large feed", [readers(290), newAccounts(100)]),
    (
      "new accounts on the day of a launch",
      [launch(60) { "feed\(($0 + $1 * 5) % 30)" }, readers(20), newAccounts(200)]
    ),
    (
      "new accounts among some readers of the same hour",
      [readers(40), newAccounts(45), readers(5, from: 100, within: 40)]
    ),
    ("a new account every two hours", [readers(40), newAccounts(80, within: 160 * 60)]),
  ]

  private static let innocents: [(name: String, events: [Event])] = [
    ("a long tail", [readers(250)]),
    ("a launch day", [launch(400) { ($0 + $1 * 6) % 31 == 30 ? "target" : "feed\(($0 + $1 * 6) % 31)" }]),
    ("an import of a club's 60 members", [readers(30), readers(60, from: 100, within: 40)]),
    ("a club of 15 new people", [readers(30), newAccounts(15)]),
    (
      "a recommendation that 150 readers of other feeds follow",
      [readers(40), readers(150, from: 100, within: 55)]
    ),
    (
      "a recommendation that as many new people follow",
      [readers(40), readers(50, from: 100, within: 50), newAccounts(50)]
    ),
    (
      "one person imports 25 feeds",
      [
        readers(20),
        { scene in
          for feed in 0..<25 { scene.subscribe("_importer", "feed\(feed)", at: Scene.today) }
          scene.subscribe("_importer", at: Scene.today)
        },
      ]
    ),
    (
      "500 restored records",
      [
        { scene in
          for index in 0..<500 {
            scene.subscribe("_key", at: Scene.today, name: SHA256.hex("restored \(index)"))
          }
        }
      ]
    ),
    ("one wrong name of an old app", [readers(50), madeUp(1)]),
    ("three wrong names of an old app", [readers(60), madeUp(3, by: 3, every: 3000)]),
    ("four readers, whatever their names", [madeUp(4)]),
    (
      "new people with a starter pack of five feeds",
      [readers(40), newAccounts(100, feeds: ["target", "feed1", "feed2", "feed3", "feed4"])]
    ),
    ("a conference day", [readers(20), readers(120, from: 50, within: 8 * 60)]),
    ("steady growth by new people", [newAccounts(300, within: 60 * Scene.day)]),
    (
      "new people on each of ten days",
      (0..<10).map { newAccounts(12, within: 6 * 60, at: Scene.today + Int64($0) * Scene.day) }
    ),
    (
      "a newsletter each Monday",
      (0..<8).map { newAccounts(25, at: Scene.today + Int64($0 * 7) * Scene.day) }
    ),
    ("a bot-free feed without anything in 90 days", [readers(6)]),
    ("19 new people in an hour", [readers(80), newAccounts(19)]),
    (
      "new people who stay and read more",
      [
        readers(40),
        { scene in
          for person in 0..<40 {
            scene.subscribe("_stays\(person)", at: Scene.today + Int64(person))
            scene.subscribe("_stays\(person)", "feed\(person % 30)", at: Scene.today + 3 * Scene.day)
          }
        },
      ]
    ),
    ("readers who come back to a feed", [readers(200), readers(30, from: 200, within: 50)]),
  ]

  /// The names of those in which the audit warns of the feed.
  private func suspects(_ cases: [(name: String, events: [Event])]) -> [String] {
    cases.filter { example in
      var scene = Scene()
      for event in example.events { event(&scene) }
      return scene.isSuspect
    }.map(\.name)
  }

  @Test("of 20 attacks at most one is missed, and of 20 innocent patterns none is suspected")
  func patterns() {
    #expect(Self.attacks.count == 20 && Self.innocents.count == 20)
    let missed = Set(Self.attacks.map(\.name)).subtracting(suspects(Self.attacks))
    #expect(missed == ["a new account every two hours"])
    #expect(suspects(Self.innocents) == [])
  }

  @Test("no feed of the catalog before is suspected, and others stay free when one is attacked")
  func others() {
    var scene = Scene()
    #expect(scene.audited().judgedFeeds().count == 30)
    #expect(scene.audited().judgedFeeds().allSatisfy { $0.signals.isEmpty })
    scene.newAccounts(200)
    scene.madeUp(50)
    #expect(scene.audited().judgedFeeds().filter { !$0.signals.isEmpty }.map(\.recordName) == ["target"])
  }

  @Test(
    "a jump is a note, from 20 published readers on",
    arguments: [(19, false), (20, true), (24, true), (25, false)])
  func jump(_ published: Int64, _ expected: Bool) {
    var scene = Scene()
    scene.readers(50)
    #expect(scene.signals(published: published).contains(.jump) == expected)
    #expect(!scene.isSuspect)
  }

  @Test("creators over a limit are a number, in all and within an hour")
  func creators() {
    var scene = Scene()
    for feed in 0..<600 { scene.subscribe("_collector", "c\(feed)", at: Int64(feed) * 30) }
    for feed in 0..<250 { scene.subscribe("_program", "c\(feed)", at: Scene.today) }
    let audit = scene.audited()
    #expect(audit.creatorsOverLimit == 1 && audit.creatorsOverHourlyLimit == 1)
    var limits = SubscriptionAudit.Limits()
    limits.since = Timestamp(milliseconds: (Scene.today + 1) * 60_000)
    #expect(scene.audited(limits).creatorsOverLimit == 0)
    #expect(scene.audited(limits).creatorsOverHourlyLimit == 0)
  }

  @Test(
    "the example of a rule has its finding, and what to have instead has none",
    arguments: AggregateRule.rules.filter { $0.code.hasPrefix("AG03") })
  func examples(_ rule: Rule) throws {
    let found = try codes(in: rule.example)
    let instead = try codes(in: rule.useInstead)
    #expect(found.contains(rule.code) && !instead.contains(rule.code))
  }

  /// Plays lines of `N KIND`.
  private func codes(in example: String) throws -> [String] {
    var scene = Scene()
    var published: [String: Int64] = [:]
    for line in example.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      let number = try #require(words.first.flatMap { Int($0) })
      switch words.last {
      case "by people over days": scene.readers(number)
      case "made up": scene.madeUp(number)
      case "by new accounts within an hour": scene.newAccounts(number)
      case "by members within an hour": scene.readers(number, from: 100, within: 40)
      case "published": published["target"] = Int64(number)
      case "feeds by one creator":
        for feed in 0..<number { scene.subscribe("_collector", "c\(feed)", at: Int64(feed) * 30) }
      default: Issue.record("unknown line \(line)")
      }
    }
    let audit = scene.audited()
    let result = SubscriptionAuditResult(
      feeds: audit.judgedFeeds(published: published), creatorsOverLimit: audit.creatorsOverLimit,
      creatorsOverHourlyLimit: audit.creatorsOverHourlyLimit)
    #expect(!"\(result.json)\(result.diagnostics)".contains("_old"))
    return result.diagnostics.map(\.code)
  }

  // MARK: Limits

  private static let hour: Int64 = 3_600_000

  /// An audit of a feed with subscriptions at these times, each by another creator.
  private func audit(_ times: [Int64]) -> SubscriptionAudit {
    var audit = SubscriptionAudit(.init(), names: CreatorNames(ownKeys: []))
    audit.add(
      times.enumerated().map { number, time in
        Record(
          recordType: "FeedSubscription", recordName: SHA256.hex("f-_u\(number)"),
          fields: ["feedRecordName": .string("f")],
          created: RecordStamp(
            timestamp: Timestamp(milliseconds: time), userRecordName: "_u\(number)", deviceID: ""))
      })
    return audit
  }

  @Test("feeds with fewer than 5 readers are not judged", arguments: [(4, false), (5, true), (6, true)])
  func judged(readers: Int, isJudged: Bool) {
    let audit = audit((0..<readers).map { Int64($0) * 1000 * Self.hour })
    #expect(audit.judgedNames == (isJudged ? ["f"] : []) && audit.judgedFeeds().count == (isJudged ? 1 : 0))
  }
}
