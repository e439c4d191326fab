import CloudKitModel
import Foundation
import Platform
import RecordChanges
import Testing

@Suite struct JournalFileTests {
  private let target = ContainerIdentity(name: "local:x", environment: .development)
  private let directory = FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString)"

  private func folder() throws -> StateFolder { try StateFolder.open(directory, making: true) }

  private func journal() throws -> JournalFile {
    try JournalFile(
      in: folder(), command: "seed", target: target, changes: 1, now: Timestamp(milliseconds: 1))
  }

  @Test("a run that was cut off is found again, for its own container and command only")
  func unfinished() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let journal = try journal()
    try journal.willSend([RecordChange(.create, recordType: "Feed", recordName: "a")])
    #expect(try JournalFile.unfinished(of: "seed", in: folder(), target: target) == [journal.name])
    let other = ContainerIdentity(name: "local:x", environment: .production)
    #expect(try JournalFile.unfinished(of: "seed", in: folder(), target: other).isEmpty)
    #expect(try JournalFile.unfinished(of: "records create", in: folder(), target: target).isEmpty)
  }

  @Test("a run that ended is not unfinished")
  func ended() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let journal = try journal()
    try journal.end(ChangeReport())
    #expect(try JournalFile.unfinished(of: "seed", in: folder(), target: target).isEmpty)
  }

  @Test("entries are on the disk, and only the owner can read them")
  func entries() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let journal = try journal()
    try journal.willSend([RecordChange(.create, recordType: "Feed", recordName: "a")])
    try journal.didSettle([("a", .applied)])
    let lines = try String(contentsOfFile: "\(directory)/\(journal.name)", encoding: .utf8).split(
      separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.last == #"{"settled":[["a","applied"]]}"#)
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(journal.name)")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test(
    "a second run is told who holds the lock, and gets it when the first is done", .timeLimit(.minutes(5)))
  func lock() async throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let folder = try folder()
    do {
      let first = try RunLock(in: folder, command: "seed apply")
      let error = #expect(throws: RunLock.Taken.self) { _ = try RunLock(in: folder, command: "seed apply") }
      #expect(error?.holder.contains("seed apply") == true)
      extendLifetime(first)
    }
    // A process that another test starts at this moment holds the file, too, until it becomes its own program.
    while !isFree(folder) { await Task.yield() }
  }

  @Test("a lock never replaces what is not a lock")
  func foreignLock() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let folder = try folder()
    try folder.file("lock", .readAndAppend).append(Array("ssh-ed25519 AAAA".utf8))
    #expect(throws: FileFailure.self) { _ = try RunLock(in: folder, command: "seed apply") }
    #expect(try folder.file("lock", .read).content(upTo: 100) == Array("ssh-ed25519 AAAA".utf8))
  }

  @Test("of ended journals twenty are kept, and other files are left alone")
  func pruning() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try folder().file("notes.txt", .readAndAppend).append([1])
    for _ in 1...22 { try journal().end(ChangeReport()) }
    let names = try folder().names()
    #expect(names.count { $0.hasSuffix(".ended.jsonl") } == 20)
    #expect(names.contains("notes.txt"))
  }

  @Test("a journal's head is read up to a limit, and only from a file", .timeLimit(.minutes(1)))
  func hostileJournals() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let folder = try folder()
    let head = #"{"command":"seed","container":"local:x","environment":"development"}"#
    let blanks = String(repeating: " ", count: 1 << 16)
    for (name, text) in [("1-large", blanks + head), ("2-head", head)] {
      try folder.file("\(name).open.jsonl", .readAndAppend).append(Array(text.utf8))
    }
    #expect(
      try JournalFile.unfinished(of: "seed", in: folder, target: target) == ["2-head.open.jsonl"])
    #expect(mkfifo("\(directory)/3-pipe.open.jsonl", 0o600) == 0)
    #expect(throws: FileFailure.self) {
      try JournalFile.unfinished(of: "seed", in: folder, target: target)
    }
  }

  private func isFree(_ folder: StateFolder) -> Bool {
    do {
      _ = try RunLock(in: folder, command: "seed apply")
      return true
    } catch {
      return false
    }
  }
}
