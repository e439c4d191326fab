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

  struct Case: Sendable {
    let name: String
    let happens: @Sendable (inout Scene) -> Void

    init(_ name: String, _ happens: @escaping @Sendable (inout Scene) -> Void) {
      self.name = name
      self.happens = happens
    }
  }

  private static let attacks: [Case] = {
    var list: [Case] = []
    list.append(
      Case("6 invented names in 16") {
        $0.readers(10); $0.madeUp(6)
      })
    list.append(
      Case("12 invented names beside 290 readers") {
        $0.readers(290); $0.madeUp(12)
      })
    list.append(
      Case("500 invented names at once") {
        $0.readers(100); $0.madeUp(500)
      })
    list.append(
      Case("an invented name a day for a month") {
        $0.readers(200); $0.madeUp(30, every: Scene.day)
      })
    list.append(
      Case("invented names by many accounts") {
        $0.readers(100); $0.madeUp(40, by: 40)
      })
    list.append(
      Case("one invented name of eight") {
        $0.readers(7); $0.madeUp(1)
      })
    list.append(Case("a feed with nothing but invented names") { $0.madeUp(9) })
    list.append(
      Case("names that are true for another person") { scene in
        for index in 0..<20 {
          scene.subscribe("_old1", at: Scene.today, name: SHA256.hex("target-_victim\(index)"))
        }
      })
    list.append(
      Case("names that are true for another feed") { scene in
        scene.readers(30)
        for index in 0..<8 {
          scene.subscribe("_new\(index)x", at: Scene.today, name: SHA256.hex("feed1-_new\(index)x"))
        }
      })
    list.append(
      Case("20 new accounts in ten minutes") {
        $0.readers(50); $0.newAccounts(20, within: 10)
      })
    list.append(
      Case("30 new accounts in an hour") {
        $0.readers(100); $0.newAccounts(30)
      })
    list.append(
      Case("300 new accounts in an hour") {
        $0.readers(20); $0.newAccounts(300)
      })
    list.append(
      Case("new accounts around the full hour") {
        $0.readers(30)
        $0.newAccounts(25, at: Scene.today - 25)
      })
    list.append(
      Case("accounts that also read one other feed") {
        $0.readers(60)
        $0.newAccounts(40, feeds: ["target", "feed3"])
      })
    list.append(
      Case("accounts for three feeds at once") {
        $0.readers(60)
        $0.newAccounts(40, feeds: ["target", "feed3", "feed4"])
      })
    list.append(
      Case("two waves") {
        $0.readers(60)
        $0.newAccounts(40)
        $0.newAccounts(40, at: Scene.today + 2 * Scene.day)
      })
    list.append(
      Case("100 new accounts of a large feed") {
        $0.readers(290); $0.newAccounts(100)
      })
    list.append(
      Case("new accounts on the day of a launch") { scene in
        for person in 0..<60 {
          for number in 0..<5 {
            scene.subscribe(
              "_launch\(person)", "feed\((person + number * 5) % 30)", at: Scene.today + Int64(person % 50))
          }
        }
        scene.readers(20)
        scene.newAccounts(200)
      })
    list.append(
      Case("new accounts among some readers of the same hour") {
        $0.readers(40)
        $0.newAccounts(45)
        $0.readers(5, from: 100, within: 40)
      })
    list.append(
      Case("a new account every two hours") {
        $0.readers(40); $0.newAccounts(80, within: 160 * 60)
      })
    return list
  }()

  private static let innocents: [Case] = {
    var list: [Case] = []
    list.append(Case("a long tail") { $0.readers(250) })
    list.append(
      Case("a launch day") { scene in
        for person in 0..<400 {
          for number in 0..<5 {
            let feed = (person + number * 6) % 31
            scene.subscribe(
              "_launch\(person)", feed == 30 ? "target" : "feed\(feed)", at: Scene.today + Int64(person % 55))
          }
        }
      })
    list.append(
      Case("an import of a club's 60 members") {
        $0.readers(30); $0.readers(60, from: 100, within: 40)
      })
    list.append(
      Case("a club of 15 new people") {
        $0.readers(30); $0.newAccounts(15)
      })
    list.append(
      Case("a recommendation that 150 readers of other feeds follow") {
        $0.readers(40)
        $0.readers(150, from: 100, within: 55)
      })
    list.append(
      Case("a recommendation that as many new people follow") {
        $0.readers(40)
        $0.readers(50, from: 100, within: 50)
        $0.newAccounts(50)
      })
    list.append(
      Case("one person imports 25 feeds") { scene in
        scene.readers(20)
        for feed in 0..<25 { scene.subscribe("_importer", "feed\(feed)", at: Scene.today) }
        scene.subscribe("_importer", at: Scene.today)
      })
    list.append(
      Case("500 restored records") { scene in
        for index in 0..<500 {
          scene.subscribe("_key", at: Scene.today, name: SHA256.hex("restored \(index)"))
        }
      })
    list.append(
      Case("one wrong name of an old app") {
        $0.readers(50); $0.madeUp(1)
      })
    list.append(
      Case("three wrong names of an old app") {
        $0.readers(60); $0.madeUp(3, by: 3, every: 3000)
      })
    list.append(Case("four readers, whatever their names") { $0.madeUp(4) })
    list.append(
      Case("new people with a starter pack of five feeds") {
        $0.readers(40)
        $0.newAccounts(100, feeds: ["target", "feed1", "feed2", "feed3", "feed4"])
      })
    list.append(
      Case("a conference day") {
        $0.readers(20); $0.readers(120, from: 50, within: 8 * 60)
      })
    list.append(Case("steady growth by new people") { $0.newAccounts(300, within: 60 * Scene.day) })
    list.append(
      Case("new people on each of ten days") { scene in
        for day in 0..<10 { scene.newAccounts(12, within: 6 * 60, at: Scene.today + Int64(day) * Scene.day) }
      })
    list.append(
      Case("a newsletter each Monday") { scene in
        for week in 0..<8 { scene.newAccounts(25, at: Scene.today + Int64(week * 7) * Scene.day) }
      })
    list.append(Case("a bot-free feed without anything in 90 days") { $0.readers(6) })
    list.append(
      Case("19 new people in an hour") {
        $0.readers(80); $0.newAccounts(19)
      })
    list.append(
      Case("new people who stay and read more") { scene in
        scene.readers(40)
        for person in 0..<40 {
          scene.subscribe("_stays\(person)", at: Scene.today + Int64(person))
          scene.subscribe("_stays\(person)", "feed\(person % 30)", at: Scene.today + 3 * Scene.day)
        }
      })
    list.append(
      Case("readers who come back to a feed") {
        $0.readers(200); $0.readers(30, from: 200, within: 50)
      })
    return list
  }()

  @Test("of 20 attacks at most one is missed")
  func foundAttacks() {
    let missed = Self.attacks.filter { attack in
      var scene = Scene()
      attack.happens(&scene)
      return !scene.isSuspect
    }
    #expect(Self.attacks.count == 20 && Set(Self.attacks.map(\.name)).count == 20)
    #expect(missed.map(\.name) == ["a new account every two hours"])
  }

  @Test("of 20 innocent patterns at most one is suspected")
  func sparedInnocents() {
    let suspected = Self.innocents.filter { innocent in
      var scene = Scene()
      innocent.happens(&scene)
      return scene.isSuspect
    }
    #expect(Self.innocents.count == 20 && Set(Self.innocents.map(\.name)).count == 20)
    #expect(suspected.map(\.name) == [])
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

  @Test("the busiest hour is the window that holds most, and an hour long at most")
  func window() {
    let hour = SubscriptionAudit.hour
    #expect(SubscriptionAudit.busiestHour([]) == 0..<0)
    #expect(SubscriptionAudit.busiestHour([0, hour - 1]) == 0..<2)
    #expect(SubscriptionAudit.busiestHour([0, hour]) == 0..<1)
    #expect(SubscriptionAudit.busiestHour([0, 5, hour + 4, hour + 5, hour + 6]) == 2..<5)
  }

  @Test(
    "the example of a rule has its finding, and what to have instead has none",
    arguments: SubscriptionAuditRule.rules)
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
