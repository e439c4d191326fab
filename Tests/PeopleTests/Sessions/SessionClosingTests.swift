import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import People

@Suite struct SessionClosingTests {
  private static let hour = 3_600_000
  /// The moment of the run, in milliseconds.
  private static let now: Int64 = 1_790_000_000_000
  /// The time of the container.
  private let clock = ContainerTime(now)

  private func world(_ sessions: (name: String, isActive: Bool, end: Int?)...) async throws -> LocalContainer
  {
    let clock = clock
    let settings = LocalContainerSettings(now: { Timestamp(milliseconds: clock.milliseconds) })
    let store = try LocalStore(.memory, settings: settings)
    try await store.importSchema(
      Schema(
        parsing: """
          DEFINE SCHEMA
            RECORD TYPE LiveSession ( "___recordID" REFERENCE QUERYABLE, isActive INT64 QUERYABLE, endTime TIMESTAMP,
              startTime TIMESTAMP, title STRING, currentParticipants INT64, maxParticipants INT64,
              GRANT READ, CREATE, WRITE TO "_icloud" );
            RECORD TYPE LiveSessionParticipant ( "___recordID" REFERENCE QUERYABLE,
              "___createTime" TIMESTAMP QUERYABLE, isActive INT64 QUERYABLE, leftAt TIMESTAMP,
              sessionId STRING QUERYABLE, GRANT READ, CREATE, WRITE TO "_icloud" );
            RECORD TYPE ChatMessage ( "___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP QUERYABLE,
              sessionId STRING QUERYABLE, GRANT READ, CREATE, WRITE TO "_icloud" );
            RECORD TYPE AbuseReport ( "___recordID" REFERENCE QUERYABLE, isOpen INT64 QUERYABLE, target STRING,
              GRANT READ, CREATE, WRITE TO "_icloud" );
          """), into: .development)
    let container = LocalContainer(store: store, environment: .development)
    let outcomes = try await container.modify(
      sessions.map { session in
        var fields: [String: FieldValue?] = [
          "isActive": .flag(session.isActive), "title": .string(session.name),
        ]
        fields["endTime"] = session.end.map { .timestamp(Timestamp(milliseconds: Self.now + Int64($0))) }
        return RecordOperation(.create, recordType: "LiveSession", recordName: session.name, fields: fields)
      })
    for outcome in outcomes { if let error = outcome.error { throw error } }
    return container
  }

  private func close(
    _ container: any Container, before end: TimeOrAge = .age(.zero), idle: Duration? = nil,
    settle: Duration = .zero, dryRun: Bool = false
  ) async throws -> SessionClosingResult {
    let closing = SessionClosing(
      container: container, endedBefore: end, idle: idle, settle: settle)
    guard !dryRun else { return try await closing.run(through: nil) }
    return try await writing(to: container) { try await closing.run(through: $0) }
  }

  private func writing<Result>(to container: any Container, _ body: (JobWriter) async throws -> Result)
    async throws -> Result
  {
    try await WriteSession(
      WritingJob("sessions close", kind: .job), container: container,
      dependencies: WriteSessionDependencies(
        now: { Timestamp(milliseconds: Self.now) }, runID: "run", wait: { _ in })
    ).run(body)
  }

  /// Creates records of a type as they come from an app, at a number of minutes after the moment of the run.
  private func create(
    _ type: String, _ names: [String], in container: LocalContainer, at minutes: Int64 = 0,
    _ fields: [String: FieldValue?]
  ) async throws {
    clock.milliseconds = Self.now + minutes * 60_000
    for start in stride(from: 0, to: names.count, by: 200) {
      let outcomes = try await container.modify(
        names[start..<min(start + 200, names.count)].map {
          RecordOperation(.create, recordType: type, recordName: $0, fields: fields)
        })
      for outcome in outcomes { if let error = outcome.error { throw error } }
    }
    clock.milliseconds = Self.now
  }

  private func active(_ container: any Container) async throws -> Set<String> {
    let query = Query("LiveSession", filters: [Filter("isActive", equals: .flag(true))])
    return Set(try await container.allRecords(query).map(\.recordName))
  }

  @Test("closes what has ended, and leaves what goes on, what is closed and what has no end")
  func closes() async throws {
    let container = try await world(
      ("over", true, -1), ("now", true, 0), ("later", true, 1), ("closed", false, -1), ("endless", true, nil))
    let plan = try await close(container, dryRun: true)
    #expect(plan.json["ended"] == .integer(1) && plan.json["closed"] == .integer(0))
    #expect(try await active(container).count == 4)
    let result = try await close(container)
    #expect(result.status == .done && result.json["closed"] == .integer(1))
    #expect(result.json["withoutEnd"] == .integer(1) && result.json["active"] == .integer(4))
    #expect(try await active(container) == ["now", "later", "endless"])
    let record = try #require(try await container.lookup(LookupRequest(["over"]))[0].record)
    #expect(record["title"] == .string("over") && record["isActive"] == .flag(false))
    #expect(try await close(container).json["closed"] == .integer(0))
  }

  @Test("a session must have ended for so long")
  func age() async throws {
    let container = try await world(("old", true, -Self.hour - 1), ("fresh", true, -Self.hour))
    #expect(try await close(container, before: .age(.seconds(3600))).json["closed"] == .integer(1))
    #expect(try await active(container) == ["fresh"])
  }

  @Test("the service's clock decides, not this machine's")
  func serviceClock() async throws {
    let container = try await world(("over", true, -1))
    let behind = FaultyContainer(container, clock: .service(at: Timestamp(milliseconds: Self.now - 2)))
    #expect(try await close(behind).json["closed"] == .integer(0))
    let ahead = FaultyContainer(container, clock: .service(at: Timestamp(milliseconds: Self.now + 1)))
    #expect(try await close(ahead).json["closed"] == .integer(1))
  }

  @Test("a session that its host opens again meanwhile stays open")
  func conflict() async throws {
    let container = try await world(("over", true, -1))
    let disturbed = FaultyContainer(container) { request in
      guard case .modify = request else { return nil }
      let end = FieldValue.timestamp(Timestamp(milliseconds: Self.now + 1))
      _ = try await container.modify([
        RecordOperation(
          .forceUpdate, recordType: "LiveSession", recordName: "over",
          fields: ["endTime": end, "isActive": .int64(2)])
      ])
      return nil
    }
    let result = try await close(disturbed)
    #expect(result.status != .done && result.json["closed"] == .integer(0))
    #expect(try await container.lookup(LookupRequest(["over"]))[0].record?["isActive"] == .int64(2))
  }

  @Test("a container without sessions is named as such")
  func noSessions() async throws {
    let store = try LocalStore(.memory)
    try await store.importSchema(
      Schema(parsing: "DEFINE SCHEMA RECORD TYPE Note ( \"___recordID\" REFERENCE QUERYABLE );"),
      into: .development)
    let container = LocalContainer(store: store, environment: .development)
    let error = try await #require(throws: CommandFailure.self) { try await close(container) }
    #expect(error.code == "missing-record-type")
    #expect(try await ActiveSessions.read(from: container, endedBefore: Timestamp(milliseconds: 0)) == nil)
  }

  // MARK: - Sessions that nobody uses, and who is in them

  @Test(
    "a session without an end is over when nobody has joined it or written in it for so long, as the index shows it"
  )
  func idle() async throws {
    let container = try await world()
    let names = ["silent", "joined", "written", "new", "back", "later"]
    try await create(
      "LiveSession", names.filter { $0 != "new" }, in: container, at: -300, ["isActive": .flag(true)])
    try await create("LiveSession", ["new"], in: container, at: -30, ["isActive": .flag(true)])
    clock.milliseconds = Self.now - 300 * 60_000
    _ = try await container.modify([
      RecordOperation(
        .forceUpdate, recordType: "LiveSession", recordName: "later",
        fields: ["startTime": .timestamp(Timestamp(milliseconds: Self.now + 1))])
    ])
    for (session, minutes) in [("silent", -61), ("joined", -59), ("back", -200)] as [(String, Int64)] {
      try await create(
        "LiveSessionParticipant", ["who-\(session)"], in: container, at: minutes,
        ["isActive": .flag(session == "silent"), "sessionId": .string(session)])
    }
    try await create("ChatMessage", ["m"], in: container, at: -1, ["sessionId": .string("written")])
    // This person comes back with an old record.
    clock.milliseconds = Self.now - 60_000
    _ = try await container.modify([
      RecordOperation(
        .forceUpdate, recordType: "LiveSessionParticipant", recordName: "who-back",
        fields: ["isActive": .flag(true)])
    ])
    clock.milliseconds = Self.now
    // What happened within the settle time may be missing in the index: it does not count as silence.
    let unsettled = try await close(container, idle: .seconds(3600), settle: .seconds(120), dryRun: true)
    #expect(unsettled.json["idle"] == .integer(0))
    let plan = try await close(container, idle: .seconds(3600), dryRun: true)
    #expect(plan.json["idle"] == .integer(1) && plan.json["left"] == .integer(1))
    let result = try await close(container, idle: .seconds(3600))
    #expect(result.json["closed"] == .integer(1) && result.json["left"] == .integer(1))
    #expect(try await active(container) == Set(names).subtracting(["silent"]))
  }

  @Test("who is in a session that is over leaves and is no longer counted; who comes back meanwhile stays")
  func leaving() async throws {
    let container = try await world(("over", true, -1), ("closed", false, -1), ("later", true, 1))
    for session in ["over", "closed", "later", "unknown"] {
      try await create(
        "LiveSessionParticipant", (0..<3).map { "\(session) \($0)" }, in: container,
        ["isActive": .flag(true), "sessionId": .string(session)])
      guard session != "unknown" else { continue }
      _ = try await container.modify([
        RecordOperation(
          .forceUpdate, recordType: "LiveSession", recordName: session,
          fields: ["currentParticipants": .int64(3)])
      ])
    }
    let disturbed = FaultyContainer(container) { request in
      guard case .modify(let operations) = request, operations.contains(where: { $0.recordName == "over 2" })
      else { return nil }
      _ = try await container.modify([
        RecordOperation(
          .forceUpdate, recordType: "LiveSessionParticipant", recordName: "over 2",
          fields: ["leftAt": .timestamp(Timestamp(milliseconds: 1))])
      ])
      return nil
    }
    let result = try await close(disturbed)
    #expect(result.json["left"] == .integer(5) && result.status == .partial)
    let records = try await container.lookup(
      LookupRequest(["over", "closed", "later", "over 0", "later 0", "unknown 0"])
    )
    .map { try #require($0.record) }
    #expect(records.prefix(3).map { $0["currentParticipants"] } == [.int64(1), .int64(0), .int64(3)])
    #expect(records[3]["leftAt"] == .timestamp(Timestamp(milliseconds: Self.now)))
    #expect(records[3...].map { $0["isActive"] } == [.flag(false), .flag(true), .flag(true)])
    // The next run finishes the rest.
    #expect(try await close(container).json["left"] == .integer(1))
  }

  @Test("busy sessions cost no more requests than there are sessions")
  func requests() async throws {
    let container = try await world()
    let sessions = (0..<250).map { "session \($0)" }
    try await create("LiveSession", sessions, in: container, at: -300, ["isActive": .flag(true)])
    for session in sessions.prefix(5) {
      try await create(
        "ChatMessage", (0..<450).map { "\(session) \($0)" }, in: container, at: -1,
        ["sessionId": .string(session)])
    }
    let counted = FaultyContainer(container)
    let result = try await close(counted, idle: .seconds(3600), dryRun: true)
    #expect(result.json["idle"] == .integer(245))
    let queries = counted.requests.count { if case .query = $0 { true } else { false } }
    // Sessions, participants, joins and messages of 100 sessions each, and one more for each busy session.
    #expect(queries <= 2 + 1 + 3 + 3 + 5, "\(queries)")
  }

  @Test("old messages are deleted, but not those about which a moderator has to decide")
  func purge() async throws {
    let container = try await world()
    try await create("ChatMessage", (0..<450).map { "old \($0)" }, in: container, at: -61, [:])
    try await create("ChatMessage", ["new"], in: container, at: -59, [:])
    try await create(
      "AbuseReport", ["open"], in: container, ["isOpen": .flag(true), "target": .string("old 3")])
    try await create(
      "AbuseReport", ["done"], in: container, ["isOpen": .flag(false), "target": .string("old 4")])
    let purge = MessagePurge(container: container, createdBefore: .age(.seconds(3600)), reports: .init())
    let result = try await writing(to: container) { try await purge.run(through: $0, limit: nil) }
    #expect(result.deleted == 449 && result.kept == 1 && result.status == .done)
    let left = try await container.allRecords(Query("ChatMessage")).map(\.recordName)
    #expect(Set(left) == ["old 3", "new"])
  }
}
