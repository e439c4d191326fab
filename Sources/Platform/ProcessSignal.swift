internal import Dispatch
internal import Synchronization

package struct ProcessSignal: Sendable, Hashable {
  package let number: Int32

  package static let interrupt = ProcessSignal(number: SIGINT)
  package static let terminate = ProcessSignal(number: SIGTERM)
  /// The terminal has closed.
  package static let hangUp = ProcessSignal(number: SIGHUP)
  static let quit = ProcessSignal(number: SIGQUIT)

  /// Whether this process was started to ignore the signal, as `nohup` does.
  package var isIgnored: Bool {
    let handler = signal(number, SIG_IGN)
    signal(number, handler)
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends the process immediately, with the exit status of a process that this signal ended.
  package func endProcess() -> Never { _exit(128 + number) }

  /// From now on a write to a closed pipe fails instead of ending the process.
  package static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }
}

/// Handles a signal instead of the system. At any time a signal has one watch.
package struct SignalWatch {
  private let signal: ProcessSignal

  /// Returns when the signal is handled. Before the first watch of a signal it does what it does by default.
  ///
  /// - Parameter action: runs on a queue each time the signal arrives.
  package init(_ signal: ProcessSignal, _ action: @escaping @Sendable () -> Void) {
    self.signal = signal
    HandledSignal.of(signal).handle(with: action)
  }

  /// From now on the signal is ignored.
  package func end() { HandledSignal.of(signal).handle(with: {}) }

  /// From now on the signal ends the process, as it does by default.
  func endAndRestoreDefault() { HandledSignal.of(signal).handle(with: { [signal] in signal.endProcess() }) }
}

/// The handling of one signal from its first watch to the end of the process. Dispatch would not handle a signal a second
/// time after its source was cancelled and the signal was ignored.
private final class HandledSignal: Sendable {
  // Safe: only kept, because a source without an owner ends. Nothing uses it after the initializer.
  nonisolated(unsafe) private let source: any DispatchSourceSignal
  private let action = Mutex<@Sendable () -> Void>({})

  private init(_ signal: ProcessSignal) {
    source = DispatchSource.makeSignalSource(signal: signal.number)
    source.setEventHandler { [self] in action.withLock(\.self)() }
    // Dispatch registers on a thread of its own, so a signal would be lost before.
    let isRegistered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isRegistered.signal() }
    source.activate()
    isRegistered.wait()
    #if canImport(Darwin)
      // Dispatch sees ignored signals there, and leaves others to their default action as well.
      Darwin.signal(signal.number, SIG_IGN)
    #endif
  }

  private static let all = Mutex<[ProcessSignal: HandledSignal]>([:])

  static func of(_ signal: ProcessSignal) -> HandledSignal {
    all.withLock { all in
      if let known = all[signal] { return known }
      let new = HandledSignal(signal)
      all[signal] = new
      return new
    }
  }

  func handle(with action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }
}
