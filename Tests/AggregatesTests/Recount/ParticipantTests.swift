import CloudKitModel
import SchemaLanguage
import Testing

@testable import Aggregates

@Suite("Participants of live sessions") struct ParticipantTests {
  private let schema = Schema(recordTypes: [
    RecordType("LiveSession", fields: [Fixtures.recordID, Field("currentParticipants", .int64)]),
    RecordType(
      "LiveSessionParticipant",
      fields: [
        Fixtures.recordID, Field("sessionId", .string, [.queryable]), Field("isActive", .int64, [.queryable]),
      ]),
  ])

  private func participant(_ number: Int, isActive: Bool = true) -> Record {
    Record(
      recordType: "LiveSessionParticipant", recordName: "p\(number)",
      fields: ["sessionId": .string("a"), "isActive": .flag(isActive)])
  }

  @Test("only active participants count", arguments: [ScanStrategy.sweep, .byTarget, .pushdown])
  func count(_ strategy: ScanStrategy) async throws {
    let container = MemoryContainer()
    container.insert(["a", "b"].map { Record(recordType: "LiveSession", recordName: $0) })
    container.insert([participant(1), participant(2), participant(3, isActive: false)])
    let declaration = try #require(AggregateDeclaration.builtIn(for: schema).first)
    var options = RecountOptions()
    options.strategy = strategy
    let outcome = try await Recount(
      declaration, schema: schema, container: GroupingContainer(base: container),
      options: options, dependencies: Fixtures.environment()
    ).run()
    #expect(outcome.result.aggregate == "participants")
    #expect(container["a"]?["currentParticipants"] == .int64(2))
    #expect(container["b"]?["currentParticipants"] == .int64(0))
  }
}
