import CloudKitModel
import ContainerFaults
import Cryptography
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Synchronization
import Testing

@testable import People

@Suite("Moderation of live sessions") struct ModerationTests {
  private static let now = Timestamp(milliseconds: 1_795_000_000_000)

  /// Jane has written a session and two messages, Bob one message and a report about Jane's.
  private struct Room {
    let world: PeopleWorld
    /// The container's time, a millisecond later whenever it is asked for.
    let clock = ContainerTime(ModerationTests.now.milliseconds)
    private var container: any Container
    private(set) var moderation: Moderation

    init(_ words: [String] = ["scam*"]) async throws {
      let clock = clock
      world = try await PeopleWorld(
        ModerationDeclarationTests.liveSessionsText(),
        LocalContainerSettings(now: {
          clock.milliseconds += 1
          return Timestamp(milliseconds: clock.milliseconds)
        }))
      container = world.container
      var declaration = ModerationDeclaration()
      declaration.words = words
      declaration.types =
        ModerationDeclaration.load(
          SourceText(name: "moderation.json", ModerationTests.declaration)
        ).declaration.types
      moderation = try Moderation(
        declaration, in: world.container, world.schema, containerID: "iCloud.com.example.App")
      try await world.write(
        PeopleWorld.jane, ("LiveSession", "room", ["isHidden": .int64(0), "isActive": .int64(1)]),
        ("ChatMessage", "m1", message("a SCAM", in: "room")),
        ("ChatMessage", "m2", message("hello", in: "room")))
      try await world.write(PeopleWorld.bob, ("ChatMessage", "b1", message("hi", in: "room")))
      try await report("r1", by: PeopleWorld.bob, about: "m1")
    }

    /// The room as a command sees it that is killed after some writes: what it would write then is not sent.
    func killed(afterWrites number: Int) throws -> Room {
      let writes = Mutex(0)
      return try seen(
        through: FaultyContainer(world.container) { request in
          guard case .modify(let operations) = request, operations.first?.recordType != "AdminLease" else {
            return nil
          }
          return writes.withLock { count in
            count += 1
            return count > number ? .refuse(CancellationError()) : nil
          }
        })
    }

    private func seen(through container: FaultyContainer) throws -> Room {
      var room = self
      room.container = container
      room.moderation = try Moderation(
        moderation.declaration, in: room.container, world.schema, containerID: moderation.containerID)
      return room
    }

    private func message(_ text: String, in session: String) -> [String: FieldValue] {
      [
        "message": .string(text), "sessionId": .string(session), "isHidden": .int64(0),
        "timestamp": .timestamp(Timestamp(milliseconds: clock.milliseconds)),
      ]
    }

    func report(_ name: String, by user: String, about target: String, _ type: String = "ChatMessage")
      async throws
    {
      try await world.write(
        user,
        (
          "AbuseReport", name,
          [
            "target": .string(target), "targetType": .string(type), "reason": .string("spam"),
            "isOpen": .int64(1),
          ]
        ))
    }

    func queue() async throws -> [ModerationCase] {
      try await ModerationQueue(of: moderation, at: Timestamp(milliseconds: .max / 2)).cases
    }

    @discardableResult
    func act(_ action: ModerationAction, _ id: String) async throws -> ModerationResult {
      try await session { writer in
        let plan = try await moderation.plan(action, reason: "why", id: id)
        return try await moderation.carryOut(plan, through: writer)
      }
    }

    @discardableResult
    func sweep(_ id: String) async throws -> ModerationSweepResult {
      try await session {
        try await ModerationSweep(moderation, settle: .zero, id: id).run(through: $0)
      }
    }

    /// Whether a sweep looks at a record.
    func sweep(_ id: String, looksAt name: String) async throws -> Bool {
      let watched = FaultyContainer(world.container)
      try await seen(through: watched).sweep(id)
      return watched.requests.contains { request in
        if case .lookup(let lookup) = request { lookup.recordNames.contains(name) } else { false }
      }
    }

    private func session<Result>(_ body: (JobWriter) async throws -> Result) async throws -> Result {
      let session = WriteSession(
        WritingJob("moderation", kind: .job, lease: .moderation), container: container,
        dependencies: WriteSessionDependencies(
          now: { ModerationTests.now }, runID: "run", schema: world.schema, wait: { _ in }))
      return try await session.run(body)
    }

    func record(_ name: String) async throws -> Record? {
      try await world.container.lookupAll([name])[0].found
    }

    func hidden() async throws -> Set<String> {
      let hidden = Filter("isHidden", equals: .int64(1))
      var names: Set<String> = []
      for type in ["LiveSession", "ChatMessage"] {
        names.formUnion(
          try await world.container.allRecords(Query(type, filters: [hidden])).map(\.recordName))
      }
      return names
    }

    /// Changes a field of a record as its author.
    func edit(
      _ name: String, _ type: String, _ value: Int64, by user: String, _ field: String = "isHidden"
    ) async throws {
      let outcome = try await world.container(CallerIdentity(userRecordName: user)).modify([
        RecordOperation(
          .forceUpdate, recordType: type, recordName: name, fields: [field: .int64(value)])
      ])
      if let error = outcome[0].error { throw error }
    }
  }

  private static let declaration = """
    {"types": [
      {"recordType": "LiveSession", "texts": ["title"], "hiddenField": "isHidden", "activeField": "isActive"},
      {"recordType": "ChatMessage", "texts": ["message"], "hiddenField": "isHidden",
       "thread": {"field": "sessionId", "recordType": "LiveSession", "sort": "timestamp"},
       "limit": {"records": 1, "minutes": 60}}]}
    """

  @Test("many reports about a record are one case, and what is most urgent comes first")
  func queue() async throws {
    let room = try await Room()
    for index in 0..<25 { try await room.report("flood\(index)", by: PeopleWorld.bob, about: "m2") }
    try await room.report("about-report", by: PeopleWorld.jane, about: "r1", "AbuseReport")
    try await room.report("made-up", by: PeopleWorld.jane, about: "nothing")
    let cases = try await room.queue()
    #expect(cases.map(\.target) == ["r1", "m1", "m2", "nothing"])
    #expect(cases[0].signals == [.aboutReport])
    #expect(cases[1].words == ["scam*"] && cases[1].signals.contains(.words))
    #expect(cases[2].reports == 25 && cases[2].people == 1 && cases[2].signals == [.oneAccount])
    #expect(cases[3].signals == [.noRecord])
  }

  @Test("a hidden record stays hidden after its author shows it, until the decision is taken back")
  func hide() async throws {
    let room = try await Room()
    try await room.act(.hide(["m1"]), "d")
    #expect(try await room.hidden() == ["m1"])
    #expect(try await room.queue().isEmpty)
    try await room.edit("m1", "ChatMessage", 0, by: PeopleWorld.jane)
    let swept = try await room.sweep("s")
    #expect(swept.hiddenAgain == 1)
    #expect(try await room.hidden() == ["m1"])
    // Another moderator finds it done.
    let again = try await room.act(.hide(["m1"]), "e")
    #expect(again.plan.isEmpty)
    try await room.act(.restore(["m1"]), "f")
    let calm = try await room.sweep("t")
    #expect(calm.hiddenAgain == 0)
    #expect(try await room.hidden().isEmpty)
    await #expect(throws: CommandFailure.self) { try await room.act(.restore(["m1"]), "g") }
  }

  @Test("a sweep looks at what was changed since the last one, and every day at all that decisions hide")
  func sweeping() async throws {
    let room = try await Room()
    try await room.act(.hide(["m1"]), "d")
    #expect(try await room.sweep("first", looksAt: "m1"))
    #expect(try await !room.sweep("calm", looksAt: "m1"))
    try await room.edit("m1", "ChatMessage", 0, by: PeopleWorld.jane)
    #expect(try await room.sweep("s").hiddenAgain == 1)
    #expect(try await room.hidden() == ["m1"])
    // A command that was interrupted after its decision changed no record.
    try await room.killed(afterWrites: 1).act(.hide(["m2"]), "e")
    #expect(try await room.sweep("t").hiddenAgain == 1)
    #expect(try await room.hidden() == ["m1", "m2"])
    #expect(try await !room.sweep("u", looksAt: "m1"))
    room.clock.milliseconds += 86_400_000
    #expect(try await room.sweep("next", looksAt: "m1"))
  }

  @Test("a block hides everything of a person, also what comes later, and is taken back as a whole")
  func block() async throws {
    let room = try await Room()
    try await room.act(.hide(["m2", "room"]), "own")
    let blocked = try await room.act(.block("m1"), "b")
    let id = try #require(blocked.plan.block)
    #expect(try await room.hidden() == ["room", "m1", "m2"])
    #expect(try await room.record("room")?["isActive"] == .int64(0))
    let name = SHA256.hex("iCloud.com.example.App|blocked|\(PeopleWorld.jane)")
    #expect(try await room.record(name)?.recordType == "BlockedUser")
    #expect(!blocked.text().description.contains(name) && !blocked.json.text().contains(name))
    try await room.world.write(
      PeopleWorld.jane, ("ChatMessage", "m3", ["message": .string("again"), "isHidden": .int64(0)]))
    let swept = try await room.sweep("s")
    #expect(swept.hidden == 1)
    #expect(try await room.hidden() == ["room", "m1", "m2", "m3"])
    try await room.act(.unblock(id), "u")
    // What was hidden by a decision of its own stays hidden, and gets all that it had when that is taken back.
    #expect(try await room.hidden() == ["m2", "room"])
    try await room.act(.restore(["room"]), "r")
    #expect(try await room.hidden() == ["m2"])
    #expect(try await room.record("room")?["isActive"] == .int64(1))
    #expect(try await room.record(name) == nil)
    await #expect(throws: CommandFailure.self) { try await room.act(.unblock(id), "v") }
    // What is hidden is not counted as shown when its author only goes on with it.
    try await room.act(.block("m1"), "w")
    try await room.edit("room", "LiveSession", 1, by: PeopleWorld.jane, "isActive")
    let ended = try await room.sweep("x")
    #expect(ended.hiddenAgain == 0 && ended.endedAgain == 1)
  }

  @Test("a block that is killed after any write is finished by a sweep, or by the same command")
  func killedBlock() async throws {
    for number in 1...6 {
      let room = try await Room()
      // The records are older than the last sweep.
      try await room.sweep("before")
      let killed = try await room.killed(afterWrites: number).act(.block("m1"), "b")
      #expect(killed.status != .done)
      let id = try #require(killed.plan.block)
      if number.isMultiple(of: 2) {
        try await room.act(.block("m1"), "again")
      } else {
        try await room.world.container(CallerIdentity(userRecordName: PeopleWorld.jane)).modify([
          RecordOperation(.forceDelete, recordType: "ChatMessage", recordName: "m1")
        ]).forEach { if let error = $0.error { throw error } }
        #expect(try await room.sweep("s").status == .done)
      }
      #expect(try await room.hidden().subtracting(["m1"]) == ["room", "m2"], "after \(number) writes")
      #expect(try await room.record("room")?["isActive"] == .int64(0))
      try await room.act(.unblock(id), "u")
      #expect(try await room.hidden().isEmpty)
      #expect(try await room.record("room")?["isActive"] == .int64(1))
    }
  }

  @Test(
    "an unblock that is killed after any write is finished by the same command, and once it holds by a sweep")
  func killedUnblock() async throws {
    for (number, sweeps) in [
      (0, false), (1, false), (2, false), (3, false), (3, true), (4, false), (4, true),
    ] {
      let room = try await Room()
      try await room.sweep("before")
      let id = try #require(try await room.act(.block("m1"), "b").plan.block)
      #expect(try await room.killed(afterWrites: number).act(.unblock(id), "u").status != .done)
      if sweeps {
        #expect(try await room.sweep("s").shown == (number == 3 ? 3 : 0))
      } else {
        try await room.act(.unblock(id), "again")
      }
      #expect(try await room.hidden().isEmpty, "after \(number) writes")
      #expect(try await room.record("room")?["isActive"] == .int64(1))
      #expect(try await room.sweep("t").hiddenAgain == 0)
      await #expect(throws: CommandFailure.self) { try await room.act(.unblock(id), "v") }
    }
  }

  @Test("a block after an unblock that was killed holds all that its person made")
  func blockedAgain() async throws {
    let room = try await Room()
    let first = try #require(try await room.act(.block("m1"), "b").plan.block)
    try await room.killed(afterWrites: 3).act(.unblock(first), "u")
    try await room.act(.block("m1"), "again")
    try await room.sweep("s")
    #expect(try await room.hidden() == ["room", "m1", "m2"])
  }

  @Test(
    "a sweep leaves what a moderator showed of a blocked person, and hides what is written under its name again"
  )
  func restoredWhileBlocked() async throws {
    let room = try await Room()
    try await room.sweep("before")
    try await room.report("r2", by: PeopleWorld.bob, about: "m2")
    try await room.act(.block("m1"), "b")
    try await room.act(.restore(["m2"]), "r")
    try await room.sweep("s")
    #expect(try await room.hidden() == ["room", "m1"])
    // What stays shown is told, and reports about it can wait again; those about what the block hides cannot.
    try await room.world.write(PeopleWorld.jane, ("LiveSessionParticipant", "p1", ["isActive": .int64(1)]))
    let again = try await room.act(.block("m1"), "again")
    #expect(
      again.json["stayShown"]?.array?.compactMap { $0["recordType"]?.string } == [
        "ChatMessage", "LiveSessionParticipant",
      ])
    await #expect(throws: CommandFailure.self) { try await room.act(.decide(["m1"], as: .open), "o") }
    let reopened = try await room.act(.decide(["r2"], as: .open), "p")
    #expect(reopened.text().description.contains("the author of m2 stays blocked"))
    #expect(try await room.queue().map(\.target) == ["m2"])
    _ = try await room.world.container(CallerIdentity(userRecordName: PeopleWorld.jane)).modify([
      RecordOperation(.forceDelete, recordType: "ChatMessage", recordName: "m2")
    ])
    try await room.world.write(PeopleWorld.jane, ("ChatMessage", "m2", ["message": .string("again")]))
    try await room.sweep("t")
    #expect(try await room.hidden() == ["room", "m1", "m2"])
  }

  @Test("what an author deletes in the meantime is decided, and the sweep ends its decision")
  func deleted() async throws {
    let room = try await Room()
    try await room.act(.hide(["m1"]), "d")
    _ = try await room.world.container(CallerIdentity(userRecordName: PeopleWorld.jane)).modify([
      RecordOperation(.forceDelete, recordType: "ChatMessage", recordName: "m1")
    ])
    let swept = try await room.sweep("s")
    #expect(swept.gone == 1 && swept.status == .done)
    try await room.report("late", by: PeopleWorld.bob, about: "m1")
    try await room.act(.decide(["late"], as: .upheld), "e")
    #expect(try await room.queue().isEmpty)
  }

  @Test(
    "who upholds a report about a report closes both, who blocks its author only that, and a decision can be taken back"
  )
  func aboutReport() async throws {
    let room = try await Room()
    try await room.report("r2", by: PeopleWorld.jane, about: "r1", "AbuseReport")
    try await room.act(.decide(["r1"], as: .upheld), "d")
    #expect(try await room.queue().isEmpty)
    try await room.act(.decide(["r1"], as: .open), "e")
    #expect(try await Set(room.queue().map(\.target)) == ["r1", "m1"])
    await #expect(throws: CommandFailure.self) { try await room.act(.decide(["r1"], as: .open), "f") }
    try await room.act(.decide(["r1"], as: .dismissed), "g")
    #expect(try await room.queue().map(\.target) == ["m1"])
    // Its name could mean the complaint, or the report about it.
    for outcome in [ModerationAction.Outcome.upheld, .dismissed] {
      await #expect {
        try await room.act(.decide(["r1"], as: outcome), "k")
      } throws: {
        let hint = ($0 as? CommandFailure)?.hint ?? ""
        return hint.contains("decide r1 --as open") && hint.contains("decide m1 --as \(outcome.rawValue)")
      }
    }
    try await room.act(.decide(["r2"], as: .open), "h")
    let block = try await room.act(.block("r1"), "i")
    #expect(block.text().description.contains("r1, a report about m1: it still waits"))
    #expect(try await room.queue().map(\.target) == ["m1"])
    #expect(try await room.hidden() == ["b1"])
    await #expect(throws: CommandFailure.self) { try await room.act(.decide(["r1"], as: .upheld), "j") }
  }

  @Test("a report that an app wrote without its state waits after a sweep")
  func unopened() async throws {
    let room = try await Room()
    try await room.world.write(PeopleWorld.bob, ("AbuseReport", "r9", ["target": .string("m2")]))
    #expect(try await room.queue().map(\.target) == ["m1"])
    #expect(try await room.sweep("s").opened == 1)
    #expect(try await Set(room.queue().map(\.target)) == ["m1", "m2"])
  }

  @Test("a case shows how its author writes, its thread and its decisions, and names nobody")
  func details() async throws {
    let room = try await Room()
    for index in 0..<12 {
      let time = Timestamp(milliseconds: room.clock.milliseconds)
      try await room.world.write(
        PeopleWorld.bob,
        ("ChatMessage", "x\(index)", ["sessionId": .string("room"), "timestamp": .timestamp(time)]))
    }
    try await room.act(.hide(["m1"]), "d")
    let now = try #require(try await room.record("m1")?.created?.timestamp)
    let details = try await ModerationCaseDetails(of: "m1", in: room.moderation, at: now)
    #expect(details.isNewAccount == true && details.writing.first?.isOverLimit == true)
    #expect(Set(details.context.map(\.recordName)) == ["m1", "m2", "b1", "x0", "x1", "x2"])
    let last = try await ModerationCaseDetails(of: "x11", in: room.moderation, at: now)
    #expect(last.context.map(\.recordName) == ["x6", "x7", "x8", "x9", "x10", "x11"])
    #expect(details.decisions.map(\.kind) == [.hide] && details.reports.map(\.reporter) == [1])
    let output = details.text().description + details.json.text()
    #expect(!output.contains(PeopleWorld.jane) && !output.contains(PeopleWorld.bob))
  }
}
