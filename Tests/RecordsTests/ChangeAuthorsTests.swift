import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import RecordChanges
import Testing

@testable import Records

/// When a record was changed and whether this key did it, without saying who.
@Suite struct ChangeAuthorsTests {
  private static let schema = """
    DEFINE SCHEMA
      CREATE ROLE CatalogAdmin;
      RECORD TYPE AdminLease ( "___recordID" REFERENCE QUERYABLE, holder STRING,
        GRANT READ, CREATE, WRITE TO CatalogAdmin );
      RECORD TYPE Note ( "___recordID" REFERENCE QUERYABLE, text STRING,
        GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator",
        GRANT READ, CREATE, WRITE TO CatalogAdmin );
    """

  private static let person = "_00000000000000000000000000000001"

  private func containers() async throws -> (key: LocalContainer, person: LocalContainer) {
    let key = try LocalContainer.open(.memory)
    try await key.importSchema(Self.schema)
    return (key, LocalContainer(store: key.store, identity: CallerIdentity(userRecordName: Self.person)))
  }

  private func write(_ name: String, as container: LocalContainer, type: String = "Note") async throws {
    let outcome = try await container.modify([
      RecordOperation(.create, recordType: type, recordName: name, fields: [:])
    ])
    #expect(outcome.allSatisfy { $0.error == nil })
  }

  @Test("records get says when and whether this key did it, and never who")
  func get() async throws {
    let (key, person) = try await containers()
    try await write("mine", as: key)
    try await write("theirs", as: person)
    let names = ["mine", "theirs"]
    let report = FoundRecords(
      of: names, try await key.lookupAll(names), authors: await ChangeAuthors(of: ReadOnlyContainer(key)))
    let text = report.text(.plain).description
    #expect(text.contains(/Note mine\n  created 20\S+Z by this key\n  changed 20\S+Z by this key\n/))
    #expect(text.contains(/Note theirs\n  created 20\S+Z by another user\n/))
    let records = report.json["records"]?.array ?? []
    #expect(records.compactMap { $0["modified"]?["by"]?.string } == ["this-key", "another-user"])
    #expect(records.allSatisfy { $0["created"]?["at"]?.string?.hasSuffix("Z") == true })
    #expect(!(text + report.json.text()).contains("_0000"))
    #expect(!(text + report.json.text()).contains(try #require(key.callerRecordName)))
  }

  @Test("a container that does not say who asks is judged by its lease records, or not at all")
  func service() async throws {
    let (key, person) = try await containers()
    let service = FaultyContainer(key) { _ in nil }
    try await write("mine", as: key)
    try await write("theirs", as: person)
    let stamps = try await key.lookupAll(["mine", "theirs"]).compactMap { $0.record?.modified }
    let before = await ChangeAuthors(of: service)
    #expect(stamps.map(before.author) == [.unknown, .unknown])
    #expect(before.text(stamps[0]).hasSuffix("Z by this key or another user (not known)"))
    try await write("lease-sessions-close", as: key, type: "AdminLease")
    let after = await ChangeAuthors(of: service)
    #expect(stamps.map(after.author) == [.toolKey, .anotherUser])
    #expect(after.json(stamps[0])["by"] == "tool-key" && before.json(stamps[0])["by"] == nil)
  }
}
