import CloudKitModel
import Foundation
import RecordChanges
import Testing

@Suite struct JournalFileTests {
  private let target = ContainerIdentity(name: "local:x", environment: .development)
  private let directory = FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString)"

  private func journal() throws -> JournalFile {
    try JournalFile(
      directory: directory, command: "seed", target: target, changes: 1, now: Timestamp(milliseconds: 1))
  }

  @Test("a run that was cut off is found again, for its own container and command only")
  func unfinished() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let journal = try journal()
    try journal.willSend([RecordChange(.create, recordType: "Feed", recordName: "a")])
    #expect(try JournalFile.unfinished(of: "seed", in: directory, target: target) == [journal.path])
    let other = ContainerIdentity(name: "local:x", environment: .production)
    #expect(try JournalFile.unfinished(of: "seed", in: directory, target: other).isEmpty)
    #expect(try JournalFile.unfinished(of: "records create", in: directory, target: target).isEmpty)
  }

  @Test("a run that ended is not unfinished")
  func ended() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let journal = try journal()
    try journal.end(ChangeReport())
    #expect(try JournalFile.unfinished(of: "seed", in: directory, target: target).isEmpty)
  }

  @Test("entries are on the disk, and only the owner can read them")
  func entries() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let journal = try journal()
    try journal.willSend([RecordChange(.create, recordType: "Feed", recordName: "a")])
    try journal.didSettle([("a", .applied)])
    let lines = try String(contentsOfFile: journal.path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.last == #"{"settled":[["a","applied"]]}"#)
    let attributes = try FileManager.default.attributesOfItem(atPath: journal.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test(
    "a second run is told who holds the lock, and gets it when the first is done", .timeLimit(.minutes(5)))
  func lock() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/lock-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let first = try RunLock(path: path, command: "seed apply")
      let error = #expect(throws: RunLock.Taken.self) { _ = try RunLock(path: path, command: "seed apply") }
      #expect(error?.holder.contains("seed apply") == true)
      extendLifetime(first)
    }
    // A process that another test starts at this moment holds the file, too, until it becomes its own program.
    while !isFree(path) { await Task.yield() }
  }

  private func isFree(_ path: String) -> Bool {
    do {
      _ = try RunLock(path: path, command: "seed apply")
      return true
    } catch {
      return false
    }
  }
}
