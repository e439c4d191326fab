package import CloudKitModel
internal import LocalContainer
internal import Logging
internal import Platform
internal import Synchronization
internal import WebServicesWire

struct EmulatorResponder: Sendable {
  let emulator: Emulator
  let logger: Logger

  func reply(to request: IncomingRequest) async -> EmulatorReply {
    let start = ContinuousClock.now
    let incoming = await read(request)
    let reply = await emulator.reply(to: incoming)
    log(incoming, reply, ContinuousClock.now - start)
    return reply
  }

  /// The reply on a connection that is refused because all others are busy.
  func refusal() -> EmulatorReply {
    let reply = emulator.overloaded()
    logger.info("a connection was closed", metadata: ["explanation": "\(reply.explanation ?? "-")"])
    return reply
  }

  private func read(_ request: IncomingRequest) async -> EmulatorRequest {
    var incoming = EmulatorRequest(
      request.method, request.target, headers: Dictionary(request.headers) { $1 },
      origin: "http://\(request.host ?? "127.0.0.1")")
    let configuration = emulator.configuration
    let limit =
      incoming.path.hasPrefix(AssetStore.root)
      ? max(configuration.bodyLimit, configuration.assetLimit) : configuration.bodyLimit
    do {
      incoming.body = try await request.body(upTo: limit)
    } catch {
      incoming.bodyProblem = error
    }
    return incoming
  }

  /// Logs method, path, status and duration; never a body, a query or a header.
  private func log(_ request: EmulatorRequest, _ reply: EmulatorReply, _ duration: Duration) {
    let level: Logger.Level = reply.explanation == nil ? .debug : .info
    logger.log(
      level: level, "\(request.method) \(request.path)",
      metadata: [
        "status": "\(reply.status)", "explanation": "\(reply.explanation ?? "-")", "duration": "\(duration)",
        "uuid": "\(reply.headers.first { $0.name == Emulator.requestHeader }?.value ?? "-")",
      ])
  }
}

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

    fileprivate func matches(_ path: String) -> Bool {
      [rule.endpoint, rule.effect.endpoint?.rawValue].allSatisfy { $0.map(path.hasSuffix) ?? true }
    }

    fileprivate var isDue: Bool {
      guard done < rule.count ?? .max, seen >= rule.after else { return false }
      return (seen - rule.after) % rule.every == rule.every - 1
    }
  }

  package static let maxRequests = 500
  /// Of a path, in bytes.
  private static let maxPath = 1000

  private let entries = Mutex<[Entry]>([])
  private let active: Mutex<[ActiveFault]>

  init(faults: [FaultRule]) { active = Mutex(faults.map { ActiveFault(rule: $0) }) }

  /// The newest first.
  package var requests: [Entry] { entries.withLock { $0.reversed() } }

  package var faults: [ActiveFault] { active.withLock(\.self) }

  /// Replaces all rules; their counts begin at 0.
  package func replaceFaults(_ rules: [FaultRule]) {
    active.withLock { $0 = rules.map { ActiveFault(rule: $0) } }
  }

  /// What the first rule that applies does to this request; `nil` if no rule applies. Each rule counts the requests
  /// that it matches.
  func fault(on path: String) -> Fault.Effect? {
    active.withLock { active in
      var chosen: Fault.Effect?
      for index in active.indices where active[index].matches(path) {
        let isDue = active[index].isDue
        active[index].seen += 1
        if chosen == nil, isDue {
          active[index].done += 1
          chosen = active[index].rule.effect
        }
      }
      return chosen
    }
  }

  func record(_ request: EmulatorRequest, _ reply: EmulatorReply, took duration: Duration) {
    let entry = Entry(
      time: LocalContainerSettings.systemClock(), method: request.method,
      path: String(decoding: request.path.utf8.prefix(Self.maxPath), as: UTF8.self), status: reply.status,
      explanation: reply.explanation, milliseconds: duration.milliseconds)
    entries.withLock { entries in
      if entries.count >= Self.maxRequests { entries.removeFirst(entries.count - Self.maxRequests + 1) }
      entries.append(entry)
    }
  }
}

/// Runs the emulator's deliberate delays. Stopping the emulator ends all running delays and prevents new ones.
final class DelayController: Sendable {
  private let isOver = AwaitableValue(false)

  /// Waits for the duration, or until the emulator stops. Throws `CancellationError` if the caller's task is
  /// cancelled.
  func wait(for duration: Duration) async throws {
    guard duration > .zero else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await Task.sleep(for: duration) }
      group.addTask { [isOver] in try await isOver.wait { isOver -> Void? in isOver ? () : nil } }
      _ = try await group.next()
      group.cancelAll()
    }
  }

  func end() { isOver.update { $0 = true } }
}
