internal import Diagnostics
internal import Platform
internal import Synchronization

struct InterruptedError: CommandFailureConvertible {
  let signal: ProcessSignal
  /// At a question: nothing was sent yet.
  var isAnswer = false
  var status: ExitStatus { signal == .interrupt ? .interrupted : .terminated }
  var failure: CommandFailure {
    let hint = "Run the command again: nothing is written twice."
    return copy(
      of: isAnswer ? CommandFailure.cancelled : CommandFailure("stopped before the end", hint: hint)
    ) {
      ($0.code, $0.status) = ("interrupted", status)
    }
  }
}

/// Handles SIGINT, SIGTERM and, unless the process was started to ignore it, SIGHUP.
enum InterruptSignals {
  /// Runs `body`. The first of these signals cancels it and lets it finish. One that comes more than a second later ends the
  /// process immediately, which is safe because the history is on the disk before changes are sent. One that comes sooner is
  /// the same stop: a signal to a group of processes arrives twice, also from the script that passes it on.
  ///
  /// - Parameter stopIsSuccess: whether a run that returns after the first signal has its own status, and not that of
  ///   the signal.
  static func watching(
    stopIsSuccess: Bool = false, _ body: @escaping @Sendable () async throws -> ExitStatus
  ) async throws -> ExitStatus {
    let received = Received()
    // Before the body begins: a prompt that is open must not meet the signal's default action.
    let signals = [ProcessSignal.interrupt, .terminate] + (ProcessSignal.hangUp.isIgnored ? [] : [.hangUp])
    let watches = signals.map { signal in
      SignalWatch(signal) {
        let isHandled = isReading.withLock { isReading in
          let age = received.note(signal)
          guard !isReading else { return false }
          received.cancel()
          return age < .seconds(1)
        }
        guard !isHandled else { return }
        HiddenInput.restore()
        signal.endProcess()
      }
    }
    defer { for watch in watches { watch.end() } }
    let task = Task { try await body() }
    received.begin(task)
    do {
      let status = try await task.value
      if stopIsSuccess { return status }
      return received.signal.map { InterruptedError(signal: $0).status } ?? status
    } catch {
      let isAnswer = (error as? CommandFailure)?.isUserDecision ?? false
      throw received.signal.map { InterruptedError(signal: $0, isAnswer: isAnswer) } ?? error
    }
  }

  /// Reads an answer, or standard input. Meanwhile the first signal ends the process: nothing has been changed, and reading
  /// cannot be cancelled. Throws `CancellationError` if a signal came before.
  static func whileReading<Input>(_ read: () throws -> Input) throws -> Input {
    isReading.withLock { $0 = true }
    defer { isReading.withLock { $0 = false } }
    try Task.checkCancellation()
    return try read()
  }

  private static let isReading = Mutex(false)

  /// The first signal that arrived, if any, and the task that it cancels.
  private final class Received: Sendable {
    private let state = Mutex<
      (first: (ProcessSignal, ContinuousClock.Instant)?, task: Task<ExitStatus, any Error>?)
    >((nil, nil))
    var signal: ProcessSignal? { state.withLock(\.first?.0) }

    /// - Returns: the time since the first signal.
    func note(_ signal: ProcessSignal) -> Duration {
      state.withLock { state in
        let first = state.first ?? (signal, .now)
        state.first = first
        return first.1.duration(to: .now)
      }
    }

    /// Cancels the task at once when a signal came before it began.
    func begin(_ task: Task<ExitStatus, any Error>) {
      state.withLock { $0.task = task }
      if signal != nil { cancel() }
    }

    func cancel() { state.withLock(\.task)?.cancel() }
  }
}
