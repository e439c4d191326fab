public import Diagnostics
public import FoundationEssentials
internal import Platform

/// The few system calls the command layer makes, under names that no method hides.
enum Posix {
  /// Writes all of the bytes; throws what `failure` makes of the system's error number.
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

  /// Reads what is there, up to the chunk's length; 0 at the end, -1 with `errno` set on failure.
  static func readSome(_ descriptor: Int32, into chunk: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = read(descriptor, chunk.baseAddress, chunk.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Starts a child process with no signal blocked, and with SIGPIPE as usual. A child inherits the blocked signals of
  /// the thread that starts it, and the threads that tasks run on block nearly all: such a child could not be asked to
  /// end. What is ignored stays ignored in it, what has a handler does not: from here on SIGPIPE has one, which does
  /// nothing.
  static func withSignalsUnblocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    signal(SIGPIPE) { _ in }
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  /// Columns; `nil` when the terminal does not tell.
  static func terminalWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func message(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}

extension CocoaError: ExplainedError {
  /// A system error in its own words, without Foundation's description around it.
  public var failure: CommandFailure {
    guard let underlying = underlying as? POSIXError else { return CommandFailure(String(describing: self)) }
    return CommandFailure(Posix.message(underlying.code.rawValue))
  }
}
