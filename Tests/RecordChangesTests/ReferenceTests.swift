import CloudKitModel
import LocalContainer
import SchemaLanguage
import Testing

@testable import RecordChanges

/// Containers of an app that the tool does not know: its references are found in its schema.
@Suite("References of any schema") struct ReferenceTests {
  private static let text = """
    DEFINE SCHEMA
      CREATE ROLE Admin;
      RECORD TYPE Album (
        "___recordID" REFERENCE QUERYABLE, title STRING, cover REFERENCE, GRANT READ, CREATE, WRITE TO Admin);
      RECORD TYPE Photo (
        "___recordID" REFERENCE QUERYABLE, album REFERENCE QUERYABLE, tags LIST<REFERENCE>,
        GRANT READ, CREATE, WRITE TO Admin);
      RECORD TYPE Comment (
        "___recordID" REFERENCE QUERYABLE, photo REFERENCE, text STRING,
        GRANT CREATE TO "_icloud", GRANT READ, WRITE TO Admin);
    """

  private func container() async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(Self.text)
    let records: [(String, String, [String: FieldValue])] = [
      ("Album", "summer", ["title": .string("Summer")]), ("Album", "winter", [:]),
      ("Photo", "beach", ["album": .reference(Reference("summer", action: .deleteSelf))]),
      ("Photo", "snow", ["album": .reference(Reference("winter", action: .deleteSelf))]),
      ("Photo", "loose", ["album": .reference(Reference("summer"))]),
      (
        "Photo", "tagged",
        ["tags": .list(of: .reference, [.reference(Reference("summer", action: .deleteSelf))])]
      ),
      ("Comment", "nice", ["photo": .reference(Reference("beach", action: .deleteSelf))]),
    ]
    for (type, name, fields) in records {
      let outcome = try await container.modify([
        RecordOperation(.create, recordType: type, recordName: name, fields: fields.mapValues { $0 })
      ])[0]
      if let error = outcome.error { throw error }
    }
    return container
  }

  private func deletion(_ name: String, in container: LocalContainer) async throws -> [RecordChange] {
    let record = try #require(try await container.lookup(LookupRequest([name]))[0].found)
    return [RecordChange(deleting: record)]
  }

  @Test("what goes with a deleted record is part of the plan, before the record, also without an index")
  func cascades() async throws {
    let container = try await container()
    let references = ReferenceFields([], in: try Schema(parsing: Self.text))
    let changes = try await deletion("summer", in: container).withCascades(references, in: container)
    #expect(Set(changes.map(\.recordName)) == ["summer", "beach", "tagged", "nice"])
    #expect(changes.last?.recordName == "summer")
    let order = changes.map(\.recordName)
    #expect(try #require(order.firstIndex(of: "nice")) < (try #require(order.firstIndex(of: "beach"))))
    #expect(changes.allSatisfy { $0.action == .delete && $0.changeTag != nil })
    let report = await ChangeExecutor(container: container, policy: .refuse).apply(changes)
    #expect(report.isComplete && report.applied == 4)
    let left = try await container.allRecords(Query("Photo")).map(\.recordName).sorted()
    #expect(left == ["loose", "snow"])
  }

  @Test("the container would have deleted the same records by itself")
  func sameAsTheContainer() async throws {
    let container = try await container()
    let references = ReferenceFields([], in: try Schema(parsing: Self.text))
    let changes = try await deletion("summer", in: container).withCascades(references, in: container)
    _ = try await container.modify([RecordOperation(.forceDelete, recordName: "summer")])
    let outcomes = try await container.lookupAll(changes.map(\.recordName))
    #expect(outcomes.allSatisfy { $0.record == nil })
  }

  @Test("declared references know their targets; other REFERENCE fields may name any record")
  func table() throws {
    let schema = try Schema(parsing: Self.text)
    let table = ReferenceFields(
      [
        ReferenceField("Photo", "album", .reference, to: ["Album"]),
        ReferenceField("Gone", "x", .name, to: []),
      ],
      in: schema)
    #expect(
      table.all == [
        ReferenceField("Photo", "album", .reference, to: ["Album"]),
        ReferenceField("Album", "cover", .reference, to: []),
        ReferenceField("Photo", "tags", .list, to: []),
        ReferenceField("Comment", "photo", .reference, to: []),
      ])
    #expect(ReferenceFields([ReferenceField("Gone", "x", .name, to: [])], in: nil).all.count == 1)
  }
}
