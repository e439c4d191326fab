public import Diagnostics
public import FoundationEssentials
internal import Platform

/// Wrappers of system calls whose names would collide with methods.
enum PosixFunctions {
  /// Writes all bytes; on an error, throws the result of `failure` for the system's error number.
  static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, failure: (Int32) -> any Error
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads available bytes, at most the chunk's length. Returns 0 at the end, -1 with `errno` set on failure.
  static func readSome(_ descriptor: Int32, into chunk: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = read(descriptor, chunk.baseAddress, chunk.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Runs `body`, which starts a child process, with all signals unblocked and SIGPIPE not ignored. A child
  /// inherits blocked signals, and the threads of Swift tasks block nearly all of them, so SIGTERM could not end
  /// it. A child also inherits ignored signals, but not handlers: from here on SIGPIPE has an empty handler instead
  /// of being ignored.
  static func withSignalsUnblocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    signal(SIGPIPE) { _ in }
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  /// The terminal's width in columns; `nil` if unknown.
  static func terminalWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func message(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}

extension CocoaError: CommandFailureConvertible {
  /// The system's own error message, without Foundation's description around it.
  public var failure: CommandFailure {
    guard let underlying = underlying as? POSIXError else { return CommandFailure(String(describing: self)) }
    return CommandFailure(PosixFunctions.message(underlying.code.rawValue))
  }
}
