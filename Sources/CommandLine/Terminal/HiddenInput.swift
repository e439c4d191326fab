internal import Diagnostics
internal import Dispatch
internal import Platform
internal import Synchronization

/// A terminal that does not show what is typed, for as long as a secret is asked for.
enum HiddenInput {
  private static let shown = Mutex<termios?>(nil)

  /// Turns the echo of standard input off before `body` asks and on after it. What was typed before is dropped: the
  /// terminal has shown it.
  static func read<Answer>(_ body: () throws -> Answer) throws -> Answer {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw failure() }
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // The new line that ends the answer is shown.
    hidden.c_lflag |= tcflag_t(ECHONL)
    shown.withLock { [settings] in $0 = settings }
    let signals = [SIGHUP, SIGQUIT].map(endingAfterRestoring)
    defer {
      restore()
      for source in signals { source.end() }
    }
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw failure() }
    return try body()
  }

  /// Shows again what is typed. For whatever ends the process while a secret is asked for.
  static func restore() {
    shown.withLock { shown in
      if var settings = shown { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
      shown = nil
    }
  }

  /// A signal that would end the process does so after the terminal has been restored.
  private static func endingAfterRestoring(_ number: Int32) -> WatchedSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler {
      restore()
      _exit(128 + number)
    }
    source.activate()
    return WatchedSignal(number: number, source: source)
  }

  private struct WatchedSignal {
    let number: Int32
    let source: any DispatchSourceSignal

    func end() {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }

  private static func failure() -> CommandFailure {
    CommandFailure(
      "cannot stop the terminal from showing the token: \(Posix.message())", code: "no-hidden-input",
      hint: "Give the token on standard input.")
  }
}
