internal import Diagnostics
internal import Dispatch
internal import Platform
internal import Synchronization

/// The error of a run that stopped because of SIGINT or SIGTERM.
struct InterruptedError: Error {
  let signal: Int32
  var status: ExitStatus { signal == SIGTERM ? .terminated : .interrupted }
}

/// Handles SIGINT and SIGTERM.
enum InterruptSignals {
  /// Runs `body`. The first SIGINT or SIGTERM cancels it and lets it finish; a second one ends the process
  /// immediately, which is safe because the history is on the disk before changes are sent.
  ///
  /// - Parameter stopIsSuccess: whether a run that returns after the first signal has its own status, and not that of
  ///   the signal.
  static func watching(
    stopIsSuccess: Bool = false, _ body: @escaping @Sendable () async throws -> ExitStatus
  ) async throws -> ExitStatus {
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
      if stopIsSuccess { return status }
      return received.signal.map { InterruptedError(signal: $0).status } ?? status
    } catch {
      throw received.signal.map { InterruptedError(signal: $0) } ?? error
    }
  }

  /// During a prompt, the first signal ends the process: nothing has been changed, and reading a line cannot be
  /// cancelled.
  static func atPrompt<Answer>(_ read: () -> Answer) -> Answer {
    isAtPrompt.withLock { $0 = true }
    defer { isAtPrompt.withLock { $0 = false } }
    return read()
  }

  private static let isAtPrompt = Mutex(false)

  /// The first signal that arrived, if any.
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
