import CloudKitModel
import Cryptography
import Foundation
import LocalContainer
import Platform
import SchemaLanguage
import Testing

/// What a mirror's file holds, and what it keeps when the service changes.
@Suite struct MirrorFileTests {
  private static let schema = """
    DEFINE SCHEMA
      CREATE ROLE Admin;
      RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE,
        title STRING QUERYABLE, at TIMESTAMP, ownerId STRING,
        GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO Admin );
      RECORD TYPE Follow (
        "___recordID" REFERENCE QUERYABLE, feed STRING QUERYABLE, GRANT READ TO Admin, GRANT CREATE TO "_icloud" );
    """
  private static let person = "_aaaaaaaabbbbbbbbccccccccdddddddd"
  private static let other = "_0123456789abcdef0123456789abcdef"

  private let store: LocalStore
  private let folder: URL
  private var path: String { folder.appending(path: "mirror.sqlite").path }
  private var service: LocalContainer { LocalContainer(store: store) }

  init() async throws {
    store = try LocalStore(.memory)
    try await store.importSchema(Schema(parsing: Self.schema), into: .development)
    folder = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
  }

  @Test(
    "no file of a mirror names a person, only its owner can read them, and recounts know each name's class")
  func persons() async throws {
    try await inFolder {
      _ = try await service.modify([
        create("Note", "n", ["ownerId": .string(Self.person), "title": .string("t")])
      ])
      let verified = SHA256.hex("feed-\(Self.person)")
      _ = try await service.create(
        [
          create("Follow", verified, ["feed": .string("feed")]),
          create("Follow", "made", ["feed": .string("feed")]),
        ],
        as: [Self.person, Self.other])
      try await mirror(groups: ["Follow": "feed"])
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let file = folder.appending(path: name)
        let bytes = try Data(contentsOf: file)
        for secret in [Self.person, Self.other] {
          #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
        #expect(
          try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
      }
      let copy = try opened()
      let notes = try await copy.allRecords(Query("Note"))
      #expect(notes[0]["ownerId"]?.string?.count == 64 && notes[0]["title"] == .string("t"))
      var tally = NameTally()
      for record in try await copy.allRecords(Query("Follow")) {
        #expect(record.modified?.userRecordName == record.created?.userRecordName)
        tally.add(
          CreatorNames.Checker(CreatorNames(ownKeys: [])).check(
            record.recordName, group: "feed", creator: record.created?.userRecordName ?? ""))
      }
      #expect(tally == NameTally(verified: 1, madeUp: 1))
    }
  }

  @Test("the file follows the schema, and values that no longer fit are kept aside and counted")
  func schemaChange() async throws {
    try await inFolder {
      _ = try await service.modify([create("Note", "n", ["title": .string("t"), "ownerId": .string("o")])])
      try await mirror()
      let changed = Self.schema.replacing("title STRING QUERYABLE", with: "title INT64, words LIST<STRING>")
      try await store.importSchema(Schema(parsing: changed), into: .development)
      _ = try await service.modify([create("Note", "m", ["title": .int64(1), "words": .strings(["a"])])])
      let result = try await mirror(schema: changed)
      #expect(result.aside.map(\.field) == ["title"] && result.aside.map(\.values) == [1])
      let notes = try await opened().allRecords(Query("Note")).sorted { $0.recordName < $1.recordName }
      #expect(
        notes.map { $0["title"] } == [.int64(1), nil] && notes.map { $0["words"] } == [.strings(["a"]), nil])
      // A schema that lacks a field, and then has it.
      let narrow = changed.replacing(", words LIST<STRING>", with: "")
      #expect(try await mirror(schema: narrow).aside.map(\.field) == ["title", "words"])
      #expect(try await mirror(schema: changed).aside.map(\.field) == ["title"])
      #expect(try await opened().allRecords(Query("Note")).contains { $0["words"] == .strings(["a"]) })
    }
  }

  @Test("nothing goes if more than half of a type would, or if the service does not show the type any more")
  func guarded() async throws {
    try await inFolder {
      let names = (0..<60).map { "n\($0)" }
      _ = try await service.modify(names.map { create("Note", $0) })
      try await mirror()
      _ = try await service.modify(
        names.prefix(31).map { RecordOperation(.forceDelete, recordType: "Note", recordName: $0) })
      let emptied = try await mirror(readsNames: true)
      #expect(
        emptied.deleted == 0
          && emptied.mark?.types.contains { $0.behind?.contains("more than half") == true } == true)
      let later = try await mirror()
      #expect(later.mark?.types.contains { $0.behind?.contains("mass-deletion") == true } == true)
      let closed = Self.schema.replacing("GRANT READ TO \"_world\", GRANT READ, CREATE", with: "GRANT CREATE")
      try await store.importSchema(Schema(parsing: closed), into: .development)
      let refused = try await mirror(readsNames: true)
      #expect(refused.mark?.types.first { $0.name == "Note" }?.behind != nil)
      let gone = try await mirror(
        schema: "DEFINE SCHEMA RECORD TYPE Other ( \"___recordID\" REFERENCE QUERYABLE );")
      #expect(gone.mark?.types.first { $0.name == "Note" }?.behind != nil)
      #expect(try await opened().allRecords(Query("Note")).count == 60)
    }
  }

  @Test("while one run writes to a mirror, another one is refused")
  func locked() async throws {
    try await inFolder {
      let first = try await file()
      await #expect {
        _ = try await file()
      } throws: {
        ($0 as? ContainerFailure)?.kind == .busy
      }
      withExtendedLifetime(first) {}
    }
  }

  @Test("a mirror refuses every write, and restored it is an ordinary container")
  func restored() async throws {
    try await inFolder {
      _ = try await service.modify([create("Note", "n", ["title": .string("t")])])
      try await mirror()
      let copy = LocalContainer(store: try LocalStore(.file(path), access: .readWrite))
      await #expect(throws: ContainerFailure.self) { try await copy.modify([create("Note", "m")]) }
      await #expect(throws: ContainerFailure.self) { try await copy.importSchema(Self.schema) }
      let trial = try LocalStore(.file(folder.appending(path: "trial.sqlite").path))
      try await trial.restore(from: path)
      let reopened = LocalContainer(store: try LocalStore(.file(folder.appending(path: "trial.sqlite").path)))
      #expect(try await reopened.modify([create("Note", "m")])[0].record != nil)
      #expect(try await reopened.allRecords(Query("Note")).map(\.recordName) == ["n", "m"])
    }
  }

  // MARK: - Support

  private func create(_ type: String, _ name: String, _ fields: [String: FieldValue] = [:]) -> RecordOperation
  {
    RecordOperation(.create, recordType: type, recordName: name, fields: fields)
  }

  @discardableResult
  private func mirror(
    schema: String = MirrorFileTests.schema, readsNames: Bool = false, groups: [String: String] = [:]
  ) async throws -> MirrorResult {
    let file = try await file()
    let persons = PersonDigests(file.key, fields: ["Note": ["ownerId"]], groups: groups)
    let options = MirrorRun.Options(settle: .zero, readsNames: readsNames, persons: persons)
    var run = MirrorRun(of: service, in: file, try Schema(parsing: schema), options)
    return try await run.run()
  }

  private func file() async throws -> MirrorFile {
    try await MirrorFile(
      path, of: service.identity, hasChosenTypes: false, settings: LocalContainerSettings())
  }

  private func opened() throws -> LocalContainer {
    LocalContainer(store: try LocalStore(.file(path), access: .readOnly))
  }

  private func inFolder(_ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try await body()
  }
}
