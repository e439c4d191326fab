import CloudKitModel
import Diagnostics
import Foundation
import GRDB
import LocalContainer
import Synchronization
import Testing

@Suite("The container file")
struct StorageTests {
  /// A folder that is gone again after the test.
  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "container-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try await body(folder.path + "/")
  }

  private func failure(_ body: () async throws -> some Sendable) async throws -> ContainerFailure? {
    do {
      _ = try await body()
      return nil
    } catch let failure as ContainerFailure {
      return failure
    }
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// A file with the library's schema and one book, closed again.
  private func makeFile(_ path: String) async throws {
    let container = try LocalContainer.open(.file(path), settings: fixedSettings())
    try await container.importSchema(librarySchema)
    try await container.create("b", ["title": .string("Emma")])
  }

  @Test("what was written is there after opening again, in both environments")
  func reopen() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      let again = try LocalContainer.open(.file(folder + "c"))
      #expect(try await again.names(Query("Book")) == ["b"])
      #expect(try await again.exportSchema().contains("CREATE ROLE Librarian"))
    }
  }

  @Test("change tags go on within a handle and start at another number in the next one")
  func tagsContinue() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      var settings = fixedSettings()
      settings.makeTagStart = { 35 * 36 }
      let again = try LocalContainer.open(.file(folder + "c"), settings: settings)
      #expect(try await again.create("n").record?.changeTag == "z1")
      #expect(try await again.create("o").record?.changeTag == "z2")
    }
  }

  /// How the last record with a user's name in a stamp goes.
  enum LastRecord: CaseIterable, Sendable {
    case deleted, cascaded, changedByAnother, typeDropped, schemaReplaced

    func go(_ container: LocalContainer) async throws {
      switch self {
      case .deleted:
        try await container.one(RecordOperation(.forceDelete, recordType: "Book", recordName: "b"))
      case .cascaded:
        try await container.one(RecordOperation(.forceDelete, recordType: "Book", recordName: "a"))
      case .changedByAnother:
        let change = RecordOperation(
          .forceUpdate, recordType: "Book", recordName: "a", fields: ["title": .string("Persuasion")])
        try await container.one(change)
        try await container.one(RecordOperation(.forceDelete, recordType: "Book", recordName: "b"))
      case .typeDropped, .schemaReplaced:
        let kept = self == .typeDropped ? "RECORD TYPE Other (\"___recordID\" REFERENCE QUERYABLE);" : ""
        try await container.importSchema("DEFINE SCHEMA \(kept)")
      }
    }
  }

  @Test("a user's name leaves the file with the last record that has it", arguments: LastRecord.allCases)
  func namesOfUsers(last: LastRecord) async throws {
    let schema = """
      DEFINE SCHEMA RECORD TYPE Book (
        "___recordID" REFERENCE QUERYABLE, title STRING, part REFERENCE,
        GRANT READ, CREATE, WRITE TO "_icloud", GRANT READ, CREATE, WRITE TO "_world");
      """
    try await inFolder { folder in
      do {
        let container = try LocalContainer.open(.file(folder + "c"), settings: fixedSettings())
        try await container.importSchema(schema)
        let person = container.seen(by: CallerIdentity(userRecordName: "_jane-doe"))
        try await container.create("a", ["title": .string("Emma")])
        if last == .changedByAnother {
          let change = RecordOperation(
            .forceUpdate, recordType: "Book", recordName: "a", fields: ["title": .string("Lady Susan")])
          #expect(try await person.one(change).error == nil)
        }
        let part = FieldValue.reference(Reference("a", action: .deleteSelf))
        #expect(try await person.create("b", ["part": part]).error == nil)
        try await container.store.backup(to: folder + "before")
        try await last.go(container)
        try await container.store.backup(to: folder + "after")
      }
      // The last handle that closes a container empties the log beside it.
      let name = Data("_jane-doe".utf8)
      #expect(try bytes(folder + "before").range(of: name) != nil)
      #expect(try bytes(folder + "after").range(of: name) == nil)
      #expect(try bytes(folder + "c").range(of: name) == nil)
    }
  }

  @Test("after any changes the file has the names of the users in its records, each as often as they have it")
  func usesOfNames() async throws {
    let schema = """
      DEFINE SCHEMA RECORD TYPE Book (
        "___recordID" REFERENCE QUERYABLE, title STRING, part REFERENCE,
        GRANT READ, CREATE, WRITE TO "_icloud", GRANT READ, CREATE, WRITE TO "_world");
      """
    try await inFolder { folder in
      let path = folder + "c"
      let container = try LocalContainer.open(.file(path), settings: fixedSettings())
      try await container.importSchema(schema)
      var random = UInt64(48)
      func draw(_ count: UInt64) -> UInt64 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (random >> 33) % count
      }
      var most = 0
      for round in 0..<150 {
        let user = container.seen(by: CallerIdentity(userRecordName: "_user\(draw(12))"))
        let operations = (0..<draw(5) + 1).map { _ in
          let kinds: [RecordOperation.Kind] = [.create, .forceUpdate, .forceReplace, .forceDelete, .update]
          let fields: [String: FieldValue?] = [
            "title": .string("\(draw(3))"),
            "part": .reference(Reference("b\(draw(30))", action: draw(2) == 0 ? .deleteSelf : .none)),
          ]
          return RecordOperation(
            kinds[Int(draw(5))], recordType: "Book", recordName: "b\(draw(30))", fields: fields)
        }
        _ = try await (draw(4) == 0 ? container : user).modify(operations)
        if round % 50 == 49 {
          let loaded = Record(recordType: "Book", recordName: "loaded\(round)")
          _ = try await user.loadNew("Book", [loaded])
        }
        let found = try await DatabaseQueue(path: path).read { db in
          try Row.fetchAll(db, sql: "SELECT name, uses FROM _user ORDER BY name").map { "\($0)" }
        }
        let counted = try await DatabaseQueue(path: path).read { db in
          try Row.fetchAll(
            db,
            sql: """
              SELECT name, count(*) AS uses FROM _user JOIN
                (SELECT createdBy AS id FROM _record UNION ALL SELECT modifiedBy FROM _record) USING (id)
              GROUP BY name ORDER BY name
              """
          ).map { "\($0)" }
        }
        #expect(found == counted)
        most = max(most, counted.count)
      }
      #expect(most > 5)
    }
  }

  @Test("plain SQL reads a type as a table of its own")
  func plainSQL() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      let title = try await DatabaseQueue(path: folder + "c").read {
        try String.fetchOne($0, sql: "SELECT title FROM Book")
      }
      #expect(title == "Emma")
    }
  }

  @Test("a schema that another handle imports is seen by the next request")
  func schemaOfAnotherHandle() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      let one = try LocalContainer.open(.file(folder + "c"))
      let two = try LocalContainer.open(.file(folder + "c"))
      #expect(try await one.names(Query("Book")) == ["b"])
      try await two.importSchema("DEFINE SCHEMA RECORD TYPE Other (\"___recordID\" REFERENCE QUERYABLE);")
      #expect(try await one.names(Query("Other")) == [])
      #expect(try await refusal { try await one.names(Query("Book")) } != nil)
    }
  }

  @Test("a container whose first handle has all of it in its log still is opened by a second one")
  func newInLog() async throws {
    try await inFolder { folder in
      // An empty file becomes a container.
      try Data().write(to: URL(filePath: folder + "c"))
      let one = try LocalContainer.open(.file(folder + "c"), settings: fixedSettings())
      let applicationID = try bytes(folder + "c")[68..<72]
      #expect(Array(applicationID) == [0, 0, 0, 0])
      let two = try LocalContainer.open(.file(folder + "c"))
      try await one.importSchema(librarySchema)
      #expect(try await two.names(Query("Book")) == [])
    }
  }

  @Test("a file that another process writes is busy, and can be read meanwhile")
  func busy() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      var settings = LocalContainerSettings()
      settings.busyTimeout = .milliseconds(20)
      let events = Mutex<[Wait?]>([])
      settings.waits = WaitReporter { wait in
        events.withLock { $0.append(wait) }
        return { events.withLock { $0.append(nil) } }
      }
      let container = try LocalContainer.open(.file(folder + "c"), settings: settings)
      var unsafe = Configuration()
      unsafe.allowsUnsafeTransactions = true
      let writer = try DatabaseQueue(path: folder + "c", configuration: unsafe)
      try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      let refused = try await failure { try await container.create("n") }
      #expect(refused?.kind == .busy)
      #expect(
        events.withLock(\.self) == [
          Wait("another process is writing to the container", limit: .milliseconds(20)), nil,
        ])
      #expect(try await container.names(Query("Book")) == ["b"])
      try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      #expect(try await container.create("n").error == nil)
    }
  }

  @Test("a file that is something else is refused and left as it was")
  func foreignFiles() async throws {
    try await inFolder { folder in
      try Data(
        "not a database, but long enough to be one if one only looked at its size, or so one might think it is"
          .utf8
      )
      .write(to: URL(filePath: folder + "text"))
      try Data("short".utf8).write(to: URL(filePath: folder + "short"))
      try await DatabaseQueue(path: folder + "sqlite").write { try $0.execute(sql: "CREATE TABLE t (a)") }
      for file in ["text", "short", "sqlite"] {
        let before = try bytes(folder + file)
        for access in [LocalStore.Access.readWriteOrNew, .readWrite, .readOnly, .readOnlyOrEmpty] {
          let refused = try await failure { try LocalContainer.open(.file(folder + file), access: access) }
          #expect(refused?.kind == .notContainer, "\(file)")
          #expect(
            refused?.message.contains("not a container") == true, "\(file): \(refused?.message ?? "opened")")
        }
        #expect(try bytes(folder + file) == before)
      }
    }
  }

  @Test("a file of a newer version is refused and left as it was")
  func newerVersion() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      let queue = try DatabaseQueue(path: folder + "c")
      try await queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try queue.close()
      let before = try bytes(folder + "c")
      let refused = try await failure { try LocalContainer.open(.file(folder + "c")) }
      #expect(refused?.message.contains("newer celestra-admin") == true)
      #expect(refused?.hint?.contains("Update") == true)
      #expect(try bytes(folder + "c") == before)
    }
  }

  @Test("a damaged file is reported as such")
  func damaged() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      var data = try bytes(folder + "c")
      for index in stride(from: 4096, to: data.count, by: 7) { data[index] = 0xAA }
      try data.write(to: URL(filePath: folder + "c"))
      let refused = try await failure {
        try await LocalContainer.open(.file(folder + "c")).names(Query("Book"))
      }
      #expect(refused?.kind == .storage)
      #expect(refused?.message.contains("damaged") == true)
      #expect(try bytes(folder + "c") == data)
    }
  }

  @Test("a missing folder, a folder in the file's place and a missing file to read are named")
  func places() async throws {
    try await inFolder { folder in
      let missing = try await failure { try LocalContainer.open(.file(folder + "no/c")) }
      #expect(missing?.message.contains("folder of") == true)
      let directory = try await failure { try LocalContainer.open(.file(folder)) }
      #expect(directory?.message.hasSuffix("is a folder") == true)
      for access in [LocalStore.Access.readOnly, .readWrite] {
        let absent = try await failure { try LocalContainer.open(.file(folder + "c"), access: access) }
        #expect(absent?.message.hasPrefix("there is no container at") == true)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }

  @Test("a dry run on a missing file sees an empty container and makes no file")
  func asIfEmpty() async throws {
    try await inFolder { folder in
      let container = try LocalContainer.open(.file(folder + "c"), access: .readOnlyOrEmpty)
      #expect(container.identity.name == "local:\(folder)c")
      #expect(try await container.exportSchema().contains("Users"))
      #expect(try await failure { try await container.importSchema(librarySchema) }?.kind == .readOnly)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }

  @Test("a read-only handle cannot write, and reading leaves the file as it was")
  func readOnly() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      let before = try bytes(folder + "c")
      let container = try LocalContainer.open(.file(folder + "c"), access: .readOnly)
      #expect(try await container.names(Query("Book")) == ["b"])
      #expect(try await failure { try await container.create("n") }?.kind == .readOnly)
      #expect(try await failure { try await container.resetSchema() }?.kind == .readOnly)
      #expect(try await failure { try await container.loadNew("Book", [book("n")]) }?.kind == .readOnly)
      #expect(try bytes(folder + "c") == before)
    }
  }

  @Test("a backup is a whole container, taken while the first is in use; an existing file is kept")
  func backup() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      let container = try LocalContainer.open(.file(folder + "c"))
      try await container.store.backup(to: folder + "copy")
      try await container.create("later")
      let copy = try LocalContainer.open(.file(folder + "copy"), access: .readOnly)
      #expect(try await copy.names(Query("Book")) == ["b"])
      let refused = try await failure { try await container.store.backup(to: folder + "copy") }
      #expect(refused?.message.contains("already exists") == true)
    }
  }

  @Test(
    "with the last record of a user the name leaves the file and its backups, and so does what was deleted")
  func namesOfUsers() async throws {
    try await inFolder { folder in
      let reader = CallerIdentity(userRecordName: "_leaving-reader", customRoles: .named(["Librarian"]))
      do {
        let container = try LocalContainer.open(.file(folder + "c"), settings: fixedSettings())
        try await container.importSchema(librarySchema)
        let theirs = container.seen(by: reader)
        for name in ["own", "taken", "kept"] {
          try await theirs.create(name, ["note": .string("what-they-read")])
        }
        try await container.create("shared")
        try await theirs.one(
          RecordOperation(.forceUpdate, recordName: "shared", fields: ["note": .string("x")]))
        try await theirs.one(RecordOperation(.forceDelete, recordName: "own"))
        try await container.one(RecordOperation(.forceDelete, recordName: "taken"))
        try await container.store.backup(to: folder + "before")
        try await container.one(RecordOperation(.forceDelete, recordName: "kept"))
        try await container.one(
          RecordOperation(.forceUpdate, recordName: "shared", fields: ["note": .string("y")]))
        // A request that is refused writes no name.
        try await theirs.one(RecordOperation(.update, recordName: "gone", changeTag: "1"))
        try await container.store.backup(to: folder + "after")
      }
      let name = Data("_leaving-reader".utf8)
      #expect(try bytes(folder + "before").range(of: name) != nil)
      for file in ["c", "after"] {
        for text in [name, Data("what-they-read".utf8)] {
          #expect(try bytes(folder + file).range(of: text) == nil, "\(file)")
        }
      }
    }
  }

  @Test("of a damaged file no copy is made that would look whole")
  func backupOfDamaged() async throws {
    try await inFolder { folder in
      try await makeFile(folder + "c")
      try await DatabaseQueue(path: folder + "c").write { try $0.execute(sql: "DELETE FROM _record") }
      let container = try LocalContainer.open(.file(folder + "c"), access: .readOnly)
      let refused = try await failure { try await container.store.backup(to: folder + "copy") }
      #expect(refused?.message.contains("c is damaged: 1 record of Book") == true)
      let missing = try await failure { try await container.store.backup(to: folder + "no/copy") }
      #expect(missing?.message == "the folder of \(folder)no/copy does not exist")
      #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasPrefix("copy") })
    }
  }

  @Test("info counts what is there, and a whole file has no problems")
  func info() async throws {
    let library = try await container()
    try await library.create("a")
    try await library.create("b")
    let info = try await library.store.info()
    #expect(info.counts.first { $0.recordType == "Book" }?.records == 2)
    #expect(info.size > 0)
    #expect(try await library.store.integrityProblems() == [])
  }
}
