package import CloudKitModel
internal import LocalContainer
internal import Synchronization

/// What a running emulator shows of itself: its last requests and its faults.
package final class EmulatorActivity: Sendable {
  /// One request and its answer: no query, no header and no body, which may hold tokens.
  package struct Entry: Sendable, Hashable {
    package var time: Timestamp
    package var method: String
    package var path: String
    package var status: Int
    /// Why it was refused or disturbed, in more words than the service has.
    package var explanation: String?
    package var milliseconds: Int64
  }

  package struct ActiveFault: Sendable {
    package let rule: FaultRule
    package internal(set) var seen = 0
    package internal(set) var done = 0
  }

  package static let maxRequests = 500
  /// Of a path, in bytes.
  private static let maxPath = 1000

  private let entries = Mutex<[Entry]>([])
  let plan: FaultPlan

  init(faults: [FaultRule]) { plan = FaultPlan(faults) }

  /// The newest first.
  package var requests: [Entry] { entries.withLock { $0.reversed() } }

  package var faults: [ActiveFault] { plan.faults }

  /// Replaces all rules; their counts begin at 0.
  package func replaceFaults(_ rules: [FaultRule]) { plan.replace(rules) }

  func record(_ request: EmulatorRequest, _ reply: EmulatorReply, took duration: Duration) {
    let (seconds, fraction) = duration.components
    let entry = Entry(
      time: LocalContainerSettings.systemClock(), method: request.method,
      path: String(decoding: request.path.utf8.prefix(Self.maxPath), as: UTF8.self), status: reply.status,
      explanation: reply.explanation, milliseconds: seconds * 1000 + fraction / 1_000_000_000_000_000)
    entries.withLock { entries in
      if entries.count >= Self.maxRequests { entries.removeFirst(entries.count - Self.maxRequests + 1) }
      entries.append(entry)
    }
  }
}
