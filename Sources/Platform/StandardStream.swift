internal import Synchronization
internal import SystemPackage

package enum StandardStream: Sendable {
  case input, output, errors

  private var descriptor: FileDescriptor {
    switch self {
    case .input: .standardInput
    case .output: .standardOutput
    case .errors: .standardError
    }
  }

  package var isTerminal: Bool { isatty(descriptor.rawValue) == 1 }
  /// Whether it is redirected to or from a file.
  package var isFile: Bool { (try? Stat(descriptor))?.type == .regular }

  /// Whether reading would return at once: with a line, at the end of the input, or with an error.
  package var isReady: Bool {
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) != 0
  }

  package var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  package func write(_ text: String) throws(SystemError) {
    do {
      _ = try descriptor.writeAll(text.utf8)
    } catch let error as Errno {
      throw SystemError(code: error.rawValue)
    } catch {
      throw SystemError.latest
    }
  }
}

/// Turns the terminal's echo off while the user types a secret.
package enum HiddenInput {
  private static let shown = Mutex<termios?>(nil)

  /// Runs `body` with the echo of standard input turned off. Input typed before is dropped, because the terminal
  /// has shown it. Throws ``SystemError`` if the echo cannot be turned off.
  package static func read<Answer>(_ body: () throws -> Answer) throws -> Answer {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw SystemError.latest }
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // Echo only the line end.
    hidden.c_lflag |= tcflag_t(ECHONL)
    shown.withLock { [settings] in $0 = settings }
    // Restore the terminal before the signal ends the process. The other signals have a watch already.
    let watch = SignalWatch(.quit) {
      restore()
      ProcessSignal.quit.endProcess()
    }
    defer {
      restore()
      watch.endAndRestoreDefault()
    }
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw SystemError.latest }
    return try body()
  }

  /// Turns the echo on again. For code that ends the process during a prompt.
  package static func restore() {
    shown.withLock { shown in
      if var settings = shown { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
      shown = nil
    }
  }
}
