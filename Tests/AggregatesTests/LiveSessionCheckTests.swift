import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import Aggregates

@Suite("Live sessions") struct LiveSessionCheckTests {
  private let schema = Schema(recordTypes: [
    RecordType("LiveSession", fields: [Fixtures.recordID, Field("currentParticipants", .int64)]),
    RecordType(
      "LiveSessionParticipant",
      fields: [
        Fixtures.recordID, Field("sessionId", .string, [.queryable]), Field("isActive", .int64, [.queryable]),
      ]),
  ])

  private func session(_ name: String, _ fields: [String: FieldValue] = [:]) -> Record {
    Record(recordType: "LiveSession", recordName: name, fields: fields)
  }

  private func participant(_ number: Int, in session: String, active: Bool = true) -> Record {
    Record(
      recordType: "LiveSessionParticipant", recordName: "p\(number)",
      fields: [
        "sessionId": .string(session), "isActive": .flag(active), "userId": .string("_secret\(number)"),
        "joinedAt": .timestamp(Timestamp(milliseconds: 50)),
      ])
  }

  private func time(_ milliseconds: Int64) -> FieldValue { .timestamp(Timestamp(milliseconds: milliseconds)) }

  @Test("only active participants count", arguments: [ScanStrategy.sweep, .binned, .pushdown])
  func count(_ strategy: ScanStrategy) async throws {
    let container = MemoryContainer()
    container.insert([session("a"), session("b")])
    container.insert([
      participant(1, in: "a"), participant(2, in: "a"), participant(3, in: "a", active: false),
    ])
    let declaration = try #require(AggregateDeclaration.builtIn(for: schema).first)
    var options = RecountOptions()
    options.strategy = strategy
    let outcome = try await Recount(
      declaration, schema: schema, container: container, grouping: GroupingContainer(base: container),
      options: options, environment: Fixtures.environment()
    ).run()
    #expect(outcome.result.aggregate == "participants")
    #expect(container["a"]?["currentParticipants"] == .int64(2))
    #expect(container["b"]?["currentParticipants"] == .int64(0))
  }

  @Test("sessions past their end, over capacity and reversed, and stray participants are reported")
  func findings() async throws {
    let container = MemoryContainer()
    container.insert([
      session("stale", ["isActive": .flag(true), "endTime": time(99), "startTime": time(10)]),
      session("full", ["isActive": .flag(true), "maxParticipants": .int64(1), "endTime": time(101)]),
      session("reversed", ["startTime": time(20), "endTime": time(10)]),
      session("fine", ["isActive": .flag(true), "maxParticipants": .int64(0)]),
    ])
    var early = participant(5, in: "fine")
    early.fields["leftAt"] = time(49)
    container.insert([
      participant(1, in: "full"), participant(2, in: "full"), participant(3, in: "full", active: false),
      participant(4, in: "nowhere"), early,
    ])
    let found = try await LiveSessionCheck(container: container, now: Timestamp(milliseconds: 100)).run()
    #expect(found.map(\.code) == ["LS0102", "LS0103", "LS0101", "LS0104", "LS0105"])
    #expect(!found.contains { $0.message.contains("_secret") })
    #expect(found.first?.message == "session full has 2 active participants for 1 places")
  }
}
