public import Diagnostics
internal import Platform

/// The terminal or whatever stands in its place: data goes to `output`, everything else to `errors`.
public struct Console: Sendable {
  public struct Stream: Sendable {
    private let raw: @Sendable (String) throws -> Void
    /// Columns of the terminal this is, or `nil` from a terminal that does not say; absent for anything else.
    public let width: (@Sendable () -> Int?)?
    public var isTerminal: Bool { width != nil }

    /// - Parameter write: takes what is printed, character by character as it is.
    public init(write: @escaping @Sendable (String) throws -> Void, width: (@Sendable () -> Int?)? = nil) {
      raw = write
      self.width = width
    }

    public func write(_ text: PrintableText) throws { try raw(text.description) }
  }

  /// Nobody reads any more, as with `| head`: not a failure.
  public struct ClosedPipe: Error {}

  public let output: Stream
  public let errors: Stream
  /// Where a command shows how far it is; whatever is written to a terminal takes its place.
  public let status: StatusLine
  /// A line typed by a person, or `nil` when there is none to ask.
  public let readLine: (@Sendable () -> String?)?
  /// Runs its argument while the terminal does not show what is typed.
  private let withoutEcho: @Sendable (() throws -> String?) throws -> String?

  /// Says something to a person. When nobody is left to listen, the work goes on.
  /// An empty text is not written: as a line of a JSON log it would be an entry that says nothing.
  public func writeError(_ text: PrintableText) {
    if !text.isEmpty { try? errors.write(text) }
  }

  /// Asks for a line that the terminal does not show.
  public func askSecret(_ prompt: PrintableText) throws -> String? {
    guard let readLine else { return nil }
    return try withoutEcho {
      try errors.write(prompt)
      return readLine()
    }
  }

  public init(
    output: Stream, errors: Stream, readLine: (@Sendable () -> String?)? = nil,
    withoutEcho: @escaping @Sendable (() throws -> String?) throws -> String? = { try $0() }
  ) {
    self.withoutEcho = withoutEcho
    let status = StatusLine(write: errors.write)
    self.status = status
    self.output = output.wiping(status)
    self.errors = errors.wiping(status)
    self.readLine = readLine
  }

  public static func system(_ environment: [String: String]) -> Console {
    signal(SIGPIPE, SIG_IGN)
    let isTerminal = isatty(STDIN_FILENO) == 1
    let askPerson: (@Sendable () -> String?)? =
      isTerminal ? { @Sendable in Interruption.atPrompt { Swift.readLine() } } : nil
    return Console(
      output: .descriptor(STDOUT_FILENO), errors: .descriptor(STDERR_FILENO), readLine: askPerson,
      withoutEcho: { try HiddenInput.read($0) })
  }
}

extension Console.Stream {
  fileprivate func wiping(_ status: StatusLine) -> Console.Stream {
    guard isTerminal else { return self }
    return Console.Stream(
      write: { text in
        status.wipe()
        try raw(text)
      }, width: width)
  }

  fileprivate static func descriptor(_ descriptor: Int32) -> Console.Stream {
    let width: (@Sendable () -> Int?)? =
      isatty(descriptor) == 1 ? { @Sendable in Posix.terminalWidth(descriptor) } : nil
    return Console.Stream(
      write: { text in
        var text = text
        try text.withUTF8 { bytes in
          try Posix.writeAll(UnsafeRawBufferPointer(bytes), to: descriptor) { failure($0, descriptor) }
        }
      }, width: width)
  }

  /// Whoever stops reading the output has had enough of it; a question that cannot be asked is a failure.
  private static func failure(_ code: Int32, _ descriptor: Int32) -> any Error {
    code == EPIPE && descriptor == STDOUT_FILENO
      ? Console.ClosedPipe() : CommandFailure("cannot write the output: \(Posix.message(code))")
  }
}
