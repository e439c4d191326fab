import Foundation
import Platform
import RecordChanges
import Testing

@Suite("The lock of a state folder") struct RunLockTests {
  private func inFolder(_ body: (StateFolder, _ path: String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)").path()
    defer {
      do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }
    try body(try StateFolder.open(path, making: true), path)
  }

  @Test("a second run says who holds the lock; the next one, which run had it before")
  func handedOver() throws {
    try inFolder { folder, _ in
      do {
        let first = try RunLock(in: folder, command: "seed apply", run: "20260102T030405-9f3a1c")
        #expect(first.formerRun == nil)
        let taken = #expect(throws: RunLock.Taken.self) { _ = try RunLock(in: folder, command: "undo") }
        #expect(taken?.holder == "process \(currentProcessID), seed apply")
        _ = try RunLock(in: folder, name: "lock-health", command: "health check")
      }
      #expect(try RunLock(in: folder, command: "undo").formerRun == "20260102T030405-9f3a1c")
    }
  }

  @Test(
    "zeros, which a machine that stops can leave, are an empty lock; anything else is not overwritten",
    arguments: [([UInt8](repeating: 0, count: 60), true), (Array("my notes\n".utf8), false)])
  func contents(_ content: [UInt8], _ isLock: Bool) throws {
    try inFolder { folder, path in
      try Data(content).write(to: URL(filePath: path + "/lock"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + "/lock")
      if isLock {
        #expect(try RunLock(in: folder, command: "undo").formerRun == nil)
      } else {
        let failure = #expect(throws: FileFailure.self) { _ = try RunLock(in: folder, command: "undo") }
        #expect(
          failure?.message.hasSuffix("is not a lock of celestra-admin, and its content would be lost") == true
        )
        #expect(FileManager.default.contents(atPath: path + "/lock") == Data(content))
      }
    }
  }
}
