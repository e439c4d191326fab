internal import CloudKitModel
package import Diagnostics
package import Platform

/// Prevents two runs that share a state folder from doing the same job at the same time, and returns the runs that had
/// the lock before.
///
/// A lease in the container works across machines, this file within one machine. The system releases the file's lock
/// when its holder ends for any reason, so the next run knows that the former holders are dead and need not wait for
/// their lease to expire. A run that ends before it has the lease leaves it with one of them, so the file keeps all
/// until a run has taken it.
package final class RunLock: Sendable {
  /// Another run holds the lock.
  package struct Taken: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
    /// The holder's process id and command, as it wrote them.
    package let holder: String
    package var description: String { "another run is already writing, or asks before it does (\(holder))" }

    package var failure: CommandFailure {
      CommandFailure(
        description, code: "locked", hint: "Wait until it ends, then run this again, or give --wait 10m.",
        status: .locked)
    }
  }

  private static let mark = "process "
  /// Bytes of a lock file that are read: more than ``maxFormerRuns`` take.
  private static let limit = 1 << 16
  private static let maxFormerRuns = 500
  /// The runs that had the lock since one last took the lease, oldest first; all have ended.
  package let formerRuns: [String]
  private let file: StateFile
  private let head: String
  private let run: String

  /// Throws ``Taken``, or `FileFailure` when the file cannot be made or holds something else.
  package init(in folder: StateFolder, name: String = "lock", command: String, run: String = "") throws {
    let file = try folder.file(name, .rewrite)
    let isFree = try file.tryLock()
    // A machine that stops while a file is written can leave zeros in it.
    let content = try file.content(upTo: Self.limit).filter { $0 != 0 }
    let lines = String(decoding: content, as: UTF8.self)
      .split(separator: "\n").map(String.init)
    guard isFree else { throw Taken(holder: lines.first ?? "it just started") }
    guard lines.first?.hasPrefix(Self.mark) ?? true else {
      throw FileFailure(
        "\(file.path) is not a lock of celestra-admin, and its content would be lost",
        hint: "Move it, or set CELESTRA_ADMIN_STATE_DIRECTORY to another folder.")
    }
    head = "\(Self.mark)\(currentProcessID), \(command)\n"
    formerRuns = lines.dropFirst().suffix(Self.maxFormerRuns).filter { !$0.isEmpty }
    try file.rewrite(Array((head + (formerRuns + [run]).map { "\($0)\n" }.joined()).utf8))
    self.file = file
    self.run = run
  }

  static func isHeld(by run: String, in folder: StateFolder) -> Bool {
    let names = (try? folder.names()) ?? []
    return names.contains {
      $0.hasPrefix(LeaseName.lockPrefix) && (try? isHeld($0, by: run, in: folder)) == true
    }
  }

  private static func isHeld(_ name: String, by run: String, in folder: StateFolder) throws -> Bool {
    let file = try folder.file(name, .read)
    guard try runs(in: file).last == run[...] else { return false }
    return try !file.tryLock()
  }

  /// Whether a run had this lock of a state folder and has ended. False while any run holds the lock.
  static func hasEnded(_ run: String, lock name: String, in folder: StateFolder) throws -> Bool {
    let file = try folder.file(name, .read)
    // A run that writes its id here holds the lock until it ends: each that was read has ended if the lock is free now.
    guard try runs(in: file).contains(run[...]) else { return false }
    return try file.tryLock()
  }

  /// The head of a lock file, and the runs behind it.
  private static func runs(in file: borrowing StateFile) throws -> [Substring] {
    String(decoding: try file.content(upTo: limit), as: UTF8.self).split(separator: "\n")
  }

  /// Forgets the former runs: none of them has the lease any more.
  func leaseTaken() throws(FileFailure) { try file.rewrite(Array("\(head)\(run)\n".utf8)) }

  /// Locks a file of the state folder. Waits for another run as long as the terms allow. Throws as
  /// ``init(in:name:command:run:)`` does.
  static func take(
    _ name: String, in folder: StateFolder, command: String, _ dependencies: WriteSessionDependencies
  ) async throws -> RunLock {
    let start = dependencies.clock.uptime
    var waitEnded: (@Sendable () -> Void)?
    defer { waitEnded?() }
    while true {
      do {
        return try RunLock(in: folder, name: name, command: command, run: dependencies.runID)
      } catch let taken as Taken {
        guard let wait = dependencies.lease.wait, dependencies.clock.uptime - start < wait else {
          throw taken
        }
        waitEnded =
          waitEnded
          ?? dependencies.waits.begin(
            Wait("another run is writing", detail: "another run is writing (\(taken.holder))", limit: wait))
        try await dependencies.clock.sleep(for: dependencies.lease.interval)
      }
    }
  }
}
