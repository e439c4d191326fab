internal import Diagnostics
internal import Dispatch
internal import Platform
internal import Synchronization

/// The run was asked to stop, and stopped in good order.
struct Interrupted: Error {
  let signal: Int32
  var status: ExitStatus { signal == SIGTERM ? .terminated : .interrupted }
}

enum Interruption {
  /// Runs `body`; SIGINT and SIGTERM cancel it and let it come to an end. A second signal ends the process at
  /// once: the journal is on the disk before anything is sent.
  static func watching(_ body: @escaping @Sendable () async throws -> ExitStatus) async throws -> ExitStatus {
    let received = Received()
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        if received.note(number), !isAtPrompt.withLock(\.self) { return task.cancel() }
        HiddenInput.restore()
        _exit(128 + number)
      }
      source.activate()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    do {
      let status = try await task.value
      return received.signal.map { Interrupted(signal: $0).status } ?? status
    } catch {
      throw received.signal.map { Interrupted(signal: $0) } ?? error
    }
  }

  /// Whoever is asked whether to begin ends the process with the first signal: nothing has been changed, and reading
  /// a line cannot be cancelled.
  static func atPrompt<Answer>(_ read: () -> Answer) -> Answer {
    isAtPrompt.withLock { $0 = true }
    defer { isAtPrompt.withLock { $0 = false } }
    return read()
  }

  private static let isAtPrompt = Mutex(false)

  private final class Received: Sendable {
    private let first = Mutex<Int32?>(nil)
    var signal: Int32? { first.withLock(\.self) }

    /// True for the first signal.
    func note(_ number: Int32) -> Bool {
      first.withLock { first in
        defer { first = first ?? number }
        return first == nil
      }
    }
  }
}
