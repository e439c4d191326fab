import CloudKitModel
import Testing

@testable import RecordChanges

@Suite("Lease records") struct LeaseRecordTests {
  private func record(_ name: String = "lease-x", _ fields: [String: FieldValue]) -> Record {
    Record(recordType: "AdminLease", recordName: name, fields: fields)
  }

  @Test(
    "a lease is held while it has a holder and expires after 1970",
    arguments: [
      ("run", 1, true), ("run", 0, false), ("run", -1, false), ("run", nil, false), ("", 1, false),
      (nil, 1, false),
    ] as [(String?, Int64?, Bool)])
  func held(holder: String?, expires: Int64?, isHeld: Bool) {
    var fields: [String: FieldValue] = [:]
    fields["holder"] = holder.map(FieldValue.string)
    fields["expiresAt"] = expires.map { .timestamp(Timestamp(milliseconds: $0)) }
    #expect(record("l", fields).isLeaseHeld == isHeld)
  }

  @Test(
    "a job has 1 to 10,000 shards",
    arguments: [(nil, 0), (-1, 0), (0, 0), (1, 1), (10_000, 10_000), (10_001, 0)] as [(Int64?, Int)])
  func parts(stored: Int64?, parts: Int) {
    var fields: [String: FieldValue] = [:]
    fields["parts"] = stored.map(FieldValue.int64)
    #expect(record("l", fields).leaseParts == parts)
  }

  @Test("names of leases, their records and their locks")
  func names() {
    let whole = LeaseName("recount subscribers")
    let part = LeaseName("recount subscribers", part: .init(index: 3, count: 8))
    #expect(
      whole.recordName == "lease-recount-subscribers" && part.recordName == "lease-recount-subscribers-3-of-8"
    )
    #expect(part.wholeRecordName == whole.recordName)
    #expect(whole.purpose == "recount subscribers 1/1" && part.purpose == "recount subscribers 3/8")
    #expect(LeaseName.seed.lockName == "lock" && LeaseName.health.lockName == "lock-health")
    #expect(part.lockName == "lock-recount-subscribers-3-of-8")
    #expect(LeaseName("a").partNames(count: 2) == ["lease-a-1-of-2", "lease-a-2-of-2"])
  }

  @Test(
    "a lease record names its job, if a run of that job wrote it",
    arguments: [
      ("recount subscribers 3/8", "lease-recount-subscribers-3-of-8", "recount subscribers"),
      ("seed 1/1", "lease-seed", "seed"), ("seed", "lease-seed", nil), ("1/1", "lease-", nil),
      ("seed x", "lease-seed", nil),
      ("seed 1/1", "lease-health", nil), (nil, "lease-seed", nil),
    ] as [(String?, String, String?)])
  func job(purpose: String?, name: String, job: String?) {
    var fields: [String: FieldValue] = [:]
    fields["purpose"] = purpose.map(FieldValue.string)
    #expect(LeaseName(ofJobIn: record(name, fields))?.job == job)
  }

  @Test("a whole run is blocked by each shard, and a shard by the whole")
  func blocking() {
    func record(_ name: String) -> Record { self.record(name, ["holder": .string("run of \(name)")]) }
    let whole = LeaseTable(own: record("w"), whole: record("w"), parts: [record("p")])
    #expect(
      whole.blocking.map(\.recordName) == ["w", "p"] && whole.otherHolders(than: "w") == ["p": "run of p"])
    let part = LeaseTable(own: record("p"), whole: record("w"))
    #expect(
      part.blocking.map(\.recordName) == ["p", "w"] && part.otherHolders(than: "p") == ["w": "run of w"])
    #expect(
      LeaseTable().blocking.isEmpty && LeaseTable(whole: record("w")).blocking.map(\.recordName) == ["w"])
  }

  @Test("counts of shards hold for the earliest of their times, if each has one")
  func countedAsOf() throws {
    func run(_ json: String) throws -> LastJobRun {
      let fields: [String: FieldValue] = [
        "finishedAt": .timestamp(Timestamp(milliseconds: 9)), "result": .string(json),
      ]
      return try #require(LastJobRun(record("lease-x", fields)))
    }
    let (one, two) = (
      try run(#"{"schemaVersion":1,"asOf":"1970-01-01T00:00:02Z","keys":["a",1]}"#),
      try run(#"{"schemaVersion":1,"asOf":"1970-01-01T00:00:01Z"}"#)
    )
    #expect(one.countedAsOf == Timestamp(milliseconds: 2000) && one.keys == ["a"])
    #expect(LastJobRun(record("lease-x", one.fields.compactMapValues(\.self))) == one)
    // What a newer version or another program wrote is unknown; that a run ended is not.
    for unknown in [
      "x", "[]", "{}", #"{"schemaVersion":2,"asOf":"1970-01-01T00:00:02Z","keys":["a"]}"#,
      #"{"schemaVersion":1,"keys":["a"],"keys":["b"]}"#,
    ] {
      let last = try run(unknown)
      #expect(last.countedAsOf == nil && last.keys == [] && last.finishedAt == one.finishedAt, "\(unknown)")
    }
    #expect([one, two].countedAsOf == Timestamp(milliseconds: 1000) && [one].countedAsOf == one.countedAsOf)
    #expect(try [one, run("{}")].countedAsOf == nil && [LastJobRun]().countedAsOf == nil)
  }

  // MARK: Watching

  private func lease(tag: String, holder: String = "other", modified: Int64 = 0, expires: Int64 = 1) -> Record
  {
    Record(
      recordType: "AdminLease", recordName: "l",
      fields: ["holder": .string(holder), "expiresAt": .timestamp(Timestamp(milliseconds: expires))],
      changeTag: tag,
      modified: RecordStamp(timestamp: Timestamp(milliseconds: modified), userRecordName: "_u", deviceID: ""))
  }

  @Test("a holder that is silent for long enough has ended, and one that renews is running")
  func silence() {
    let terms = LeaseDurations()
    #expect(terms.silence == .seconds(180) && terms.renewal == .seconds(40) && terms.interval == .seconds(5))
    var watcher = LeaseWatcher(terms: terms, dead: ["ended"])
    func judge(_ tag: String, at seconds: Double) -> LeaseWatcher.Verdict {
      watcher.judge(lease(tag: tag), uptime: .seconds(seconds), serviceTime: nil)
    }
    #expect(
      judge("1", at: 10) == .silent && judge("1", at: 189) == .silent && judge("2", at: 189.5) == .moving)
    #expect(
      judge("2", at: 369) == .silent && judge("2", at: 369.5) == .free && judge("3", at: 400) == .moving)
    #expect(watcher.judge(lease(tag: "9", holder: "ended"), uptime: .zero, serviceTime: nil) == .free)
    #expect(watcher.judge(lease(tag: "9", expires: 0), uptime: .zero, serviceTime: nil) == .free)
  }

  @Test(
    "by the service's time a lease is free ten minutes after it was renewed",
    arguments: [(599_999, false), (600_000, true), (600_001, true)])
  func staleness(milliseconds: Int64, isFree: Bool) {
    var watcher = LeaseWatcher(terms: LeaseDurations(), dead: [])
    let verdict = watcher.judge(
      lease(tag: "1", modified: 1000), uptime: .zero,
      serviceTime: Timestamp(milliseconds: 1000 + milliseconds))
    #expect(verdict == (isFree ? .free : .silent))
  }
}
