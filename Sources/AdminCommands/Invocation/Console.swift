#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The terminal or whatever stands in its place: data goes to `output`, everything else to `errors`.
struct Console: Sendable {
  struct Stream: Sendable {
    var write: @Sendable (String) throws -> Void
    var isTerminal: Bool
  }

  /// Nobody reads any more, as with `| head`: not a failure.
  struct ClosedPipe: Error {}

  var output: Stream
  var errors: Stream
  /// A line typed by a person, or `nil` when there is none to ask.
  var readLine: (@Sendable () -> String?)?

  static func system(_ environment: [String: String]) -> Console {
    signal(SIGPIPE, SIG_IGN)
    let isTerminal = isatty(STDIN_FILENO) == 1
    let askPerson: (@Sendable () -> String?)? = isTerminal ? { @Sendable in Swift.readLine() } : nil
    return Console(
      output: .descriptor(STDOUT_FILENO), errors: .descriptor(STDERR_FILENO), readLine: askPerson)
  }
}

extension Console.Stream {
  fileprivate static func descriptor(_ descriptor: Int32) -> Console.Stream {
    Console.Stream(
      write: { text in
        var text = text
        try text.withUTF8 { bytes in
          try Posix.writeAll(UnsafeRawBufferPointer(bytes), to: descriptor, failure: failure)
        }
      }, isTerminal: isatty(descriptor) == 1)
  }

  private static func failure(_ code: Int32) -> any Error {
    code == EPIPE ? Console.ClosedPipe() : CommandFailure("cannot write the output: \(Posix.message(code))")
  }
}
