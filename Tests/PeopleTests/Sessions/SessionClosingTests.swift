import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import People
import RecordChanges
import SchemaLanguage
import Testing

@Suite struct SessionClosingTests {
  private static let hour = 3_600_000
  /// The moment of the run, in milliseconds.
  private static let now: Int64 = 1_790_000_000_000

  private func world(_ sessions: (name: String, isActive: Bool, end: Int?)...) async throws -> LocalContainer
  {
    let settings = LocalContainerSettings(now: { Timestamp(milliseconds: Self.now) })
    let store = try LocalStore(.memory, settings: settings)
    try await store.importSchema(
      Schema(
        parsing: """
          DEFINE SCHEMA
            RECORD TYPE LiveSession ( "___recordID" REFERENCE QUERYABLE, isActive INT64 QUERYABLE, endTime TIMESTAMP,
              title STRING, GRANT READ, CREATE, WRITE TO "_icloud" );
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

  private func close(_ container: any Container, before end: TimeOrAge = .age(.zero), dryRun: Bool = false)
    async throws
    -> SessionClosingResult
  {
    let closing = SessionClosing(container: container, endedBefore: end)
    guard !dryRun else { return try await closing.run(through: nil) }
    let session = WriteSession(
      WritingJob("sessions close", kind: .job), container: container,
      dependencies: WriteSessionDependencies(
        now: { Timestamp(milliseconds: Self.now) }, runID: "run", wait: { _ in }))
    return try await session.run { try await closing.run(through: $0) }
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
}
