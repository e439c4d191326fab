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
    return Console(
      output: .descriptor(STDOUT_FILENO), errors: .descriptor(STDERR_FILENO),
      readLine: isatty(STDIN_FILENO) == 1 ? { Swift.readLine() } : nil)
  }
}

extension Console.Stream {
  fileprivate static func descriptor(_ descriptor: Int32) -> Console.Stream {
    Console.Stream(write: { try writeAll($0, to: descriptor) }, isTerminal: isatty(descriptor) == 1)
  }

  private static func writeAll(_ text: String, to descriptor: Int32) throws {
    var text = text
    try text.withUTF8 { buffer in
      var rest = UnsafeRawBufferPointer(buffer)[...]
      while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EPIPE { throw Console.ClosedPipe() }
        if count < 0 {
          throw CommandFailure("cannot write the output: \(String(cString: strerror(errno)))")
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}
