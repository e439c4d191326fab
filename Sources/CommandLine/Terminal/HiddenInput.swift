internal import Diagnostics
internal import Dispatch
internal import Platform
internal import Synchronization

/// Turns the terminal's echo off while the user types a secret.
enum HiddenInput {
  private static let shown = Mutex<termios?>(nil)

  /// Runs `body` with the echo of standard input turned off. Input typed before is dropped, because the terminal
  /// has shown it.
  static func read<Answer>(_ body: () throws -> Answer) throws -> Answer {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw failure() }
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // Echo only the line end.
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

  /// Turns the echo on again. For code that ends the process during a prompt.
  static func restore() {
    shown.withLock { shown in
      if var settings = shown { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
      shown = nil
    }
  }

  /// Restores the terminal before a signal ends the process.
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

  /// A signal that is handled while the terminal's echo is off.
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
      "cannot stop the terminal from showing the token: \(PosixFunctions.message())", code: "no-hidden-input",
      hint: "Give the token on standard input.")
  }
}
