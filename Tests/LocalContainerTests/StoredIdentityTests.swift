import CloudKitModel
import Foundation
import GRDB
import Testing

@testable import LocalContainer

@Suite("Who a container is")
struct StoredIdentityTests {
  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "identity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "sub"), withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    try await body(folder.path + "/")
  }

  private func open(_ path: String, _ access: LocalStore.Access = .readWrite) throws -> LocalContainer {
    try LocalContainer.open(.file(path), access: access)
  }

  private func make(_ path: String) async throws -> LocalContainer {
    let container = try open(path, .readWriteOrNew)
    try await container.importSchema(librarySchema)
    try await container.create("b", ["title": .string("Emma")])
    return container
  }

  /// Creates a container, and closes it before returning.
  private func identity(ofNew path: String) async throws -> (id: String, incarnation: String) {
    let store = try await make(path).store
    return (store.id, store.incarnation)
  }

  private func tag(_ container: LocalContainer, _ name: String = "b") async throws -> String {
    try #require(try await container.lookup(LookupRequest([name])).first?.record?.changeTag)
  }

  private func edit(_ container: LocalContainer, _ title: String) async throws -> String {
    let outcome = try await container.one(
      RecordOperation(.forceUpdate, recordType: "Book", recordName: "b", fields: ["title": .string(title)]))
    return try #require(outcome.record?.changeTag)
  }

  /// Copies a container's file with what its log holds.
  private func copy(_ path: String, to other: String) async throws {
    try await DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try? FileManager.default.removeItem(atPath: other)  // It may be the first copy.
    try FileManager.default.copyItem(atPath: path, toPath: other)
  }

  @Test("any spelling of a path, a link and another folder lead to the same id")
  func spellings() async throws {
    try await inFolder { folder in
      let (id, incarnation) = try await identity(ofNew: folder + "c")
      try FileManager.default.createSymbolicLink(atPath: folder + "link", withDestinationPath: "c")
      try FileManager.default.createSymbolicLink(atPath: folder + "sub/up", withDestinationPath: folder)
      let spellings = ["c", "./c", "sub/../c", "/c", "link", "sub/up/c"]
      for spelling in spellings {
        for access in [LocalStore.Access.readOnly, .readWrite] {
          #expect(try open(folder + spelling, access).identity.id == id, "\(spelling)")
        }
      }
      try FileManager.default.moveItem(atPath: folder + "c", toPath: folder + "sub/moved")
      let moved = try open(folder + "sub/moved")
      _ = try await edit(moved, "Persuasion")
      #expect(moved.id == id && moved.store.incarnation == incarnation)
    }
  }

  @Test("two containers never share an id, in files or in memory, and a handle for reading has it too")
  func distinct() async throws {
    try await inFolder { folder in
      let names = ["a", "b"]
      let files = try names.map { try open(folder + $0, .readWriteOrNew) }
      let memory = try names.map { _ in try LocalContainer.open(.memory) }
      let ids = (files + memory).map(\.id)
      #expect(Set(ids).count == 4)
      #expect(try open(folder + "a", .readOnly).id == ids[0])
    }
  }

  @Test("a copied file has a new incarnation from its first write on, and never an earlier tag")
  func copies() async throws {
    try await inFolder { folder in
      let original = try await make(folder + "c")
      let (id, incarnation) = (original.id, original.store.incarnation)
      try await copy(folder + "c", to: folder + "copy")
      let copied = try open(folder + "copy")
      #expect(copied.id == id && copied.store.incarnation == incarnation)
      #expect(try await tag(copied) == tag(original), "the same content has the same tag")
      let tags = [try await edit(original, "Persuasion"), try await edit(copied, "Sanditon")]
      #expect(Set(tags).count == 2)
      #expect(copied.id == id && copied.store.incarnation != incarnation)
      #expect(original.store.incarnation == incarnation)
      #expect(try open(folder + "copy", .readOnly).store.incarnation == copied.store.incarnation)
    }
  }

  @Test("a file that an older copy has replaced in place, so that its inode is the same, repeats no tag")
  func replacedInPlace() async throws {
    try await inFolder { folder in
      _ = try await make(folder + "c")
      try await copy(folder + "c", to: folder + "older")
      let first = try await edit(open(folder + "c"), "Persuasion")
      let older = try Data(contentsOf: URL(filePath: folder + "older"))
      try await copy(folder + "c", to: folder + "newer")
      let file = try FileHandle(forWritingTo: URL(filePath: folder + "c"))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: older)
      try file.close()
      #expect(try await edit(open(folder + "c"), "Sanditon") != first)
    }
  }

  @Test("a backup has an id of its own, and a restored container keeps its id with a new incarnation")
  func backupAndRestore() async throws {
    try await inFolder { folder in
      let container = try await make(folder + "c")
      let (id, incarnation, original) = (container.id, container.store.incarnation, try await tag(container))
      try await container.store.backup(to: folder + "backup")
      let backup = try open(folder + "backup", .readOnly)
      #expect(backup.id != id && backup.store.incarnation != incarnation)
      let ours = try await edit(container, "Persuasion")
      try await container.store.restore(from: folder + "backup")
      #expect(container.id == id && container.store.incarnation != incarnation)
      #expect(try await tag(container) == original, "the same content has the same tag")
      #expect(try await edit(open(folder + "c"), "Sanditon") != ours)
      let restored = container.store.incarnation
      #expect(try open(folder + "c", .readOnly).store.incarnation == restored)
      #expect(try open(folder + "backup", .readOnly).id == backup.id)
    }
  }

  @Test("a restore sets fields of every record of a type, without a grant, and leaves the backup alone")
  func restoreSetting() async throws {
    try await inFolder { folder in
      let backup = try await make(folder + "backup")
      try await backup.one(
        RecordOperation(
          .create, recordType: "Person", recordName: "p", fields: ["name": .string("Jane")]))
      let before = try await tag(backup, "p")
      let container = try LocalContainer.open(.file(folder + "c"), settings: fixedSettings())
      try await container.store.restore(
        from: folder + "backup",
        setting: [
          "Person": ["name": .string("")], "Book": ["pages": .string("wrong type"), "none": .int64(1)],
          "Missing": ["name": .string("")],
        ])
      let restored = try await container.lookup(LookupRequest(["p", "b"])).map { try #require($0.record) }
      #expect(restored[0]["name"] == .string("") && restored[0].changeTag != before)
      #expect(restored[1]["title"] == .string("Emma"))
      #expect(try await backup.lookup(LookupRequest(["p"])).first?.record?["name"] == .string("Jane"))
    }
  }

  @Test(
    "an id that no container can have is damage, and is not printed",
    arguments: ["../../x", "\u{1B}[2J", "", "00000000-0000-0000-0000-00000000000G"])
  func hostileID(_ id: String) async throws {
    try await inFolder { folder in
      _ = try await make(folder + "c")
      try await DatabaseQueue(path: folder + "c").write { db in
        try db.execute(sql: "UPDATE _identity SET id = ?", arguments: [id])
      }
      #expect {
        _ = try open(folder + "c", .readOnly)
      } throws: { error in
        let message = (error as? ContainerFailure)?.message ?? ""
        return message.hasSuffix("is damaged: its id is invalid")
      }
    }
  }

  @Test("a counter at its limit is damage instead of an overflow", arguments: [Int64.max, -1, Int64.max - 1])
  func counterLimit(_ number: Int64) async throws {
    let container = try await container()
    try await container.create("b")
    try await container.store.database.write { try ChangeTag.setLast(number, $0) }
    await #expect(throws: ContainerFailure.self) { _ = try await edit(container, "Persuasion") }
    await #expect(throws: ContainerFailure.self) { try await container.loadNew("Book", [book("n")]) }
  }

  @Test("the numbers at which tags start have 62 bits and do not repeat")
  func starts() {
    let starts = (0..<1000).map { _ in LocalContainerSettings().makeTagStart() }
    #expect(Set(starts).count == 1000)
    #expect(starts.allSatisfy { (0..<ChangeTag.startLimit).contains($0) })
    #expect(starts.contains { $0 > ChangeTag.startLimit / 2 })
  }
}
