internal import Dispatch

/// A signal that this process can receive.
public struct ProcessSignal: Sendable, Hashable {
  public let number: Int32

  public static let interrupt = ProcessSignal(number: SIGINT)
  public static let terminate = ProcessSignal(number: SIGTERM)
  static let hangUp = ProcessSignal(number: SIGHUP)
  static let quit = ProcessSignal(number: SIGQUIT)

  /// Ends the process immediately, with the exit status of a process that this signal ended.
  public func endProcess() -> Never { _exit(128 + number) }

  /// From now on a write to a closed pipe fails instead of ending the process.
  public static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Runs `body`, which starts a child process, with all signals unblocked and SIGPIPE not ignored. A child
  /// inherits blocked signals, and the threads of Swift tasks block nearly all of them, so SIGTERM could not end
  /// it. A child also inherits ignored signals, but not handlers: from here on SIGPIPE has an empty handler instead
  /// of being ignored.
  public static func withAllUnblocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    signal(SIGPIPE) { _ in }
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}

/// Handles a signal instead of the system.
public struct SignalWatch {
  private let signal: ProcessSignal
  private let source: any DispatchSourceSignal

  /// - Parameter action: runs on a queue each time the signal arrives.
  public init(_ signal: ProcessSignal, _ action: @escaping @Sendable () -> Void) {
    self.signal = signal
    set(signal, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: signal.number)
    source.setEventHandler(handler: action)
    source.activate()
  }

  /// From now on the signal is ignored.
  public func end() { source.cancel() }

  /// From now on the signal does what it does by default.
  func endAndRestoreDefault() {
    end()
    set(signal, SIG_DFL)
  }
}

/// Calls the system's `signal`. Inside ``ProcessSignal`` that name would mean a member of the type.
private func set(_ watched: ProcessSignal, _ handler: (@convention(c) (Int32) -> Void)?) {
  signal(watched.number, handler)
}
