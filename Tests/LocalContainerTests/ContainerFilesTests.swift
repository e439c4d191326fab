import CloudKitModel
import ContainerFaults
import Foundation
import GRDB
import Testing

@testable import LocalContainer

@Suite("The files beside a container")
struct ContainerFilesTests {
  private let files = FileManager.default

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = files.temporaryDirectory.appending(path: "beside-\(UUID().uuidString)").path
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      do { try files.removeItem(atPath: folder) } catch { Issue.record(error) }
    }
    try await body(folder + "/")
  }

  private func make(_ path: String) async throws {
    let container = try LocalContainer.open(.file(path), settings: fixedSettings())
    try await container.importSchema(librarySchema)
    try await container.create("b", ["title": .string("Emma")])
    try await container.store.database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  private func message(_ body: () async throws -> some Sendable) async throws -> String? {
    do {
      _ = try await body()
      return nil
    } catch let failure as ContainerFailure {
      #expect(failure.kind == .storage && failure.hint != nil)
      return failure.message
    }
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private static let accesses = [LocalStore.Access.readWriteOrNew, .readWrite, .readOnly, .readOnlyOrEmpty]

  @Test(
    "a journal that names a file deletes it in SQLite, and is refused here", arguments: [1024, 4096, 65_536])
  func hotJournal(pageSize: Int) async throws {
    try await inFolder { folder in
      try await make(folder + "c")
      try await DatabaseQueue(path: folder + "c").writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageSize); VACUUM")
      }
      let target = folder + "precious"
      try write("kept", to: target)
      try HotJournal.write(beside: folder + "c", naming: target)
      for access in Self.accesses {
        let refused = try await message { try LocalContainer.open(.file(folder + "c"), access: access) }
        #expect(refused?.hasPrefix("\(folder)c-journal is not empty") == true, "\(refused ?? "opened")")
      }
      // A journal that appears after the check: SQLite rolls it back and may not delete what it names.
      #expect(throws: DatabaseError.self) { try DatabaseQueue(path: folder + "c") }
      #expect(files.fileExists(atPath: target))
      // What SQLite does with its own file system: the journal is a real one.
      try HotJournal.write(beside: folder + "c", naming: target)
      _ = try DatabaseQueue(path: "file:\(folder)c?vfs=unix")
      #expect(!files.fileExists(atPath: target))
    }
  }

  @Test("nor is it followed beside a backup that is restored, beside the target, or beside what is created")
  func hotJournalElsewhere() async throws {
    try await inFolder { folder in
      let target = folder + "precious"
      try write("kept", to: target)
      for name in ["c", "backup", "gone"] { try await make(folder + name) }
      try HotJournal.write(beside: folder + "backup", naming: target)
      let container = try LocalContainer.open(.file(folder + "c"))
      let restored = try await message { try await container.store.restore(from: folder + "backup") }
      #expect(restored?.contains("backup-journal is not empty") == true)
      #expect(try await container.names(Query("Book")) == ["b"])
      try HotJournal.write(beside: folder + "gone", naming: target)
      try files.removeItem(atPath: folder + "gone")
      let made = try await message { try LocalContainer.open(.file(folder + "gone")) }
      #expect(made?.contains("\(folder)gone-journal belongs to another one") == true)
      let copied = try await message { try await container.store.backup(to: folder + "gone") }
      #expect(copied == made)
      #expect(!files.fileExists(atPath: folder + "gone"))
      #expect(files.fileExists(atPath: target))
    }
  }

  @Test("a log that an earlier container left is not taken for that of a new one")
  func leftLog() async throws {
    try await inFolder { folder in
      try write("frames", to: folder + "c-wal")
      let refused = try await message { try LocalContainer.open(.file(folder + "c")) }
      #expect(refused?.contains("c-wal belongs to another one") == true)
      #expect(try files.contentsOfDirectory(atPath: folder) == ["c-wal"])
      try files.removeItem(atPath: folder + "c-wal")
      try files.createSymbolicLink(atPath: folder + "c-shm", withDestinationPath: "elsewhere")
      #expect(try await message { try LocalContainer.open(.file(folder + "c")) } != nil)
      try files.removeItem(atPath: folder + "c-shm")
      // SQLite's own remains after a crash before the first write are empty.
      for suffix in ["-wal", "-shm", "-journal"] { try write("", to: folder + "c" + suffix) }
      #expect(try await message { try LocalContainer.open(.file(folder + "c")) } == nil)
    }
  }

  @Test(
    "a link, a folder or a pipe beside the container is refused, whatever it leads to",
    arguments: ["-wal", "-shm", "-journal"])
  func kinds(suffix: String) async throws {
    try await inFolder { folder in
      try await make(folder + "c")
      let beside = folder + "c" + suffix
      try write("kept", to: folder + "other")
      let makers: [(String, () throws -> Void)] = [
        ("a link", { try files.createSymbolicLink(atPath: beside, withDestinationPath: "other") }),
        ("a link", { try files.createSymbolicLink(atPath: beside, withDestinationPath: "missing") }),
        (
          "not a regular file",
          { try files.createDirectory(atPath: beside, withIntermediateDirectories: false) }
        ),
        ("not a regular file", { #expect(mkfifo(beside, 0o600) == 0) }),
      ]
      for (what, make) in makers {
        try make()
        for access in Self.accesses {
          let refused = try await message { try LocalContainer.open(.file(folder + "c"), access: access) }
          #expect(refused?.hasPrefix("\(beside) is \(what)") == true, "\(refused ?? "opened")")
        }
        try files.removeItem(atPath: beside)
      }
      #expect(try String(contentsOfFile: folder + "other", encoding: .utf8) == "kept")
      #expect(!files.fileExists(atPath: folder + "missing"))
    }
  }

  @Test("a container that is a link is opened with the files beside what it names, and those are checked")
  func linkedContainer() async throws {
    try await inFolder { folder in
      try files.createDirectory(atPath: folder + "real", withIntermediateDirectories: true)
      try await make(folder + "real/c")
      try files.createSymbolicLink(atPath: folder + "link", withDestinationPath: "real/c")
      let container = try LocalContainer.open(.file(folder + "link"))
      try await container.create("n")
      #expect(
        !files.fileExists(atPath: folder + "link-wal") && files.fileExists(atPath: folder + "real/c-wal"))
      try write("x", to: folder + "real/c-journal")
      let refused = try await message { try LocalContainer.open(.file(folder + "link")) }
      #expect(refused?.contains("real/c-journal is not empty") == true)
      try files.createSymbolicLink(atPath: folder + "nowhere", withDestinationPath: "missing")
      for access in Self.accesses.dropLast() {
        let dangling = try await message {
          try LocalContainer.open(.file(folder + "nowhere"), access: access)
        }
        #expect(dangling == "\(folder)nowhere is a link to a file that does not exist")
      }
      #expect(!files.fileExists(atPath: folder + "missing"))
    }
  }

  @Test(
    "what everybody may write is refused, and what the group may write is noted",
    arguments: ["", "-wal", "-shm"])
  func modes(suffix: String) async throws {
    try await inFolder { folder in
      try await make(folder + "c")
      let changed = folder + "c" + suffix
      if !suffix.isEmpty { try write("", to: changed) }
      #expect(try LocalContainer.open(.file(folder + "c"), access: .readOnly).store.warning == nil)
      try files.setAttributes([.posixPermissions: 0o602], ofItemAtPath: changed)
      for access in Self.accesses {
        let refused = try await message { try LocalContainer.open(.file(folder + "c"), access: access) }
        #expect(refused == "\(changed) is not safe: every user may write to it")
      }
      try files.setAttributes([.posixPermissions: 0o660], ofItemAtPath: changed)
      let noted = try LocalContainer.open(.file(folder + "c"), access: .readOnly).store.warning
      #expect(noted?.hasPrefix("the group of \(changed) may write to it") == true)
    }
  }

  @Test("files of another user are refused; root also works for the owner of the folder")
  func owners() async throws {
    try await inFolder { folder in
      try await make(folder + "c")
      let owner = try #require(try files.attributesOfItem(atPath: folder + "c")[.ownerAccountID] as? Int)
      _ = try ContainerFiles(folder + "c", user: UInt32(owner))
      // The folder belongs to the owner of the file.
      _ = try ContainerFiles(folder + "c", user: 0)
      guard owner == 0 else {
        #expect(throws: ContainerFailure.self) { try ContainerFiles(folder + "c", user: UInt32(owner) + 1) }
        return
      }
      // Only root can give files away.
      _ = try ContainerFiles(folder + "c", user: 1)
      for given in ["c", "c-wal"] {
        if given == "c-wal" { try write("", to: folder + given) }
        try files.setAttributes([.ownerAccountID: 1234], ofItemAtPath: folder + given)
        for (user, folderOwner, isAllowed) in [
          (1234, 0, true), (0, 0, false), (0, 1234, true), (77, 77, false),
        ] {
          try files.setAttributes([.ownerAccountID: folderOwner], ofItemAtPath: folder)
          let refused = try await message { try ContainerFiles(folder + "c", user: UInt32(user)) }
          #expect((refused == nil) == isAllowed, "\(given) \(user) \(folderOwner): \(refused ?? "opened")")
          #expect(isAllowed || refused == "\(folder)\(given) belongs to another user (1234)")
        }
        try files.setAttributes([.ownerAccountID: 0], ofItemAtPath: folder + given)
      }
      try files.createSymbolicLink(atPath: folder + "link", withDestinationPath: "c")
      #expect(lchown(folder + "link", 1234, 1234) == 0)
      #expect(
        try await message { try ContainerFiles(folder + "link", user: 77) }
          == "\(folder)link belongs to another user (1234)")
    }
  }

  @Test("a new container and a backup have a log and no journal, and leave nothing else behind")
  func created() async throws {
    try await inFolder { folder in
      let container = try LocalContainer.open(.file(folder + "c"), settings: fixedSettings())
      try await container.importSchema(librarySchema)
      try await container.store.backup(to: folder + "copy")
      #expect(
        try files.contentsOfDirectory(atPath: folder).sorted() == ["c", "c-shm", "c-wal", "copy"])
      // The versions for writing and reading: 2 is a database with a log. A backup is one file, also while it is read.
      for (name, version) in [("c", UInt8(2)), ("copy", 1)] {
        let header = try Data(contentsOf: URL(filePath: folder + name)).prefix(100)
        #expect(Array(header[18..<20]) == [version, version] && Array(header[68..<72]) == Array("CKLC".utf8))
        #expect(try files.attributesOfItem(atPath: folder + name)[.posixPermissions] as? Int == 0o600)
      }
    }
  }

  @Test("several handles that create one container at once share it")
  func createdAtOnce() async throws {
    try await inFolder { folder in
      let ids = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<8 { group.addTask { try LocalContainer.open(.file(folder + "c")).id } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(ids.count == 1 && ids.first != .some(nil))
      #expect(
        try files.contentsOfDirectory(atPath: folder).allSatisfy {
          $0.hasPrefix("c") && !$0.contains("partial")
        })
    }
  }
}
