import Foundation
import Platform
import Testing

@testable import RecordChanges

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
        #expect(first.formerRuns == [])
        let taken = #expect(throws: RunLock.Taken.self) { _ = try RunLock(in: folder, command: "undo") }
        #expect(taken?.holder == "process \(currentProcessID), seed apply")
        _ = try RunLock(in: folder, name: "lock-health", command: "health check")
      }
      // Runs that end before they have the lease leave it with one of those before them.
      for run in ["second", "third"] { _ = try RunLock(in: folder, command: "undo", run: run) }
      let fourth = try RunLock(in: folder, command: "undo", run: "fourth")
      #expect(fourth.formerRuns == ["20260102T030405-9f3a1c", "second", "third"])
      try fourth.leaseTaken()
      withExtendedLifetime(fourth) {}
    }
    try inFolder { folder, _ in
      for run in (0..<600).map({ "run-\($0)" }) { _ = try RunLock(in: folder, command: "undo", run: run) }
      let former = try RunLock(in: folder, command: "undo").formerRuns
      #expect(former.count == 500 && former.last == "run-599")
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
        #expect(try RunLock(in: folder, command: "undo").formerRuns == [])
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
