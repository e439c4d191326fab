package import Diagnostics
internal import Platform
internal import Synchronization

/// The standard streams of the process: results go to `output`, everything else to `errors`.
package struct Console: Sendable {
  package struct Stream: Sendable {
    private let raw: @Sendable (String) throws -> Void
    /// Returns the terminal's width in columns, or `nil` if unknown; absent if the stream is not a terminal.
    package let width: (@Sendable () -> Int?)?
    package var isTerminal: Bool { width != nil }
    let isFile: Bool
    /// The terminal's width now; `nil` for a file, and where it is not known.
    var columns: Int? { (width?()).flatMap(\.self) }

    package init(
      write: @escaping @Sendable (String) throws -> Void, width: (@Sendable () -> Int?)? = nil,
      isFile: Bool = false
    ) {
      raw = write
      self.width = width
      self.isFile = isFile
    }

    package func write(_ text: PrintableText) throws { try raw(text.description) }
  }

  /// The reader closed the pipe, as `| head` does. This is not an error.
  package struct ClosedPipe: Error {}

  package let output: Stream
  package let errors: Stream
  /// The status line for progress; removed before other output is written to the terminal.
  package let status: StatusLine
  /// Reads a line that the user types; `nil` if no user can be asked.
  package let readLine: (@Sendable () -> String?)?
  /// Whether ``readLine`` would return at once.
  private let inputIsReady: @Sendable () -> Bool
  /// Runs its argument with the terminal's echo turned off.
  private let withoutEcho: @Sendable (() throws -> String?) throws -> String?

  /// Writes to standard error, in lines of the terminal's width. Write errors are ignored, so that the work goes on. An empty text is not written,
  /// because it would be an empty entry in a JSON log.
  package func writeError(_ text: PrintableText) {
    if !text.isEmpty { try? errors.write(text.wrapped(to: errors.columns)) }
  }

  /// Waits for a line that the user types, and returns `nil` at the end of the input. Blocks no thread, so that a lease
  /// can be renewed meanwhile, and can be canceled.
  ///
  /// Throws ``CommandFailure`` at a signal, and when nothing was typed within `limit`: the run may hold a lease.
  package func answer(within limit: Duration = .seconds(600)) async throws -> String? {
    do {
      return try await status.hidden(awaiting: { try await typed(within: limit) })
    } catch is CancellationError {
      throw CommandFailure.cancelled
    }
  }

  private func typed(within limit: Duration) async throws -> String? {
    let deadline = ContinuousClock.now + limit
    while !inputIsReady() {
      guard ContinuousClock.now < deadline else {
        throw CommandFailure(
          "the prompt was not answered within \(counted(limit.components.seconds / 60, "minute"))",
          code: "not-confirmed", hint: "Nothing was written. Run the command again.")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    return try InterruptSignals.whileReading { readLine?() }
  }

  package func askSecret(_ prompt: PrintableText) throws -> String? {
    guard let readLine else { return nil }
    return try InterruptSignals.whileReading {
      try status.hidden {
        try withoutEcho {
          try errors.write(prompt)
          return readLine()
        }
      }
    }
  }

  package init(
    output: Stream, errors: Stream, readLine: (@Sendable () -> String?)? = nil,
    inputIsReady: @escaping @Sendable () -> Bool = { true },
    withoutEcho: @escaping @Sendable (() throws -> String?) throws -> String? = { try $0() }
  ) {
    self.inputIsReady = inputIsReady
    self.withoutEcho = withoutEcho
    let status = StatusLine(write: errors.write, width: { errors.columns })
    self.status = status
    self.output = output.wiping(status)
    self.errors = errors.wiping(status).withoutUserRecordNames
    self.readLine = readLine
  }

  package static func system(_ environment: [String: String]) -> Console {
    ProcessSignal.ignoreClosedPipes()
    let askPerson: (@Sendable () -> String?)? =
      StandardStream.input.isTerminal ? { @Sendable in Swift.readLine() } : nil
    return Console(
      output: Stream(.output), errors: Stream(.errors), readLine: askPerson,
      inputIsReady: { StandardStream.input.isReady }, withoutEcho: readHidden)
  }

  private static func readHidden(_ body: () throws -> String?) throws -> String? {
    do { return try HiddenInput.read(body) } catch let error as SystemError {
      throw CommandFailure(
        "cannot stop the terminal from showing the token: \(error)", code: "no-hidden-input",
        hint: "Give the token on standard input.")
    }
  }
}

extension Console.Stream {
  fileprivate var withoutUserRecordNames: Console.Stream {
    Console.Stream(write: { [raw] in try raw($0.withoutUserRecordNames) }, width: width)
  }

  fileprivate func wiping(_ status: StatusLine) -> Console.Stream {
    guard isTerminal else { return self }
    return Console.Stream(
      write: { text in
        status.wipe()
        try raw(text)
      }, width: width)
  }

  fileprivate init(_ stream: StandardStream) {
    self.init(
      write: { text in
        do throws(SystemError) { try stream.write(text) } catch { throw Self.failure(error, stream) }
      }, width: stream.isTerminal ? { @Sendable in stream.terminalWidth } : nil, isFile: stream.isFile)
  }

  /// A closed pipe on standard output ends the command quietly; on standard error, a prompt cannot be shown, which
  /// is an error.
  private static func failure(_ error: SystemError, _ stream: StandardStream) -> any Error {
    error == .brokenPipe && stream == .output
      ? Console.ClosedPipe() : CommandFailure("cannot write the output: \(error)")
  }
}

extension TerminalStyle {
  /// Decides whether output is colored, and whether documents stay as they are. For `auto`, respects NO_COLOR,
  /// CLICOLOR_FORCE and TERM=dumb.
  ///
  /// - Parameters:
  ///   - stream: `nil` for a file.
  ///   - isDevice: the file is a device or a pipe, such as /dev/stdout, behind which may be a terminal or the runner's log.
  package static func resolve(
    _ choice: ColorChoice, on stream: Console.Stream?, environment: [String: String], isDevice: Bool = false
  ) -> TerminalStyle {
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty && $0 != "0" } ?? false }
    let isColored =
      switch choice {
      case .always: true
      case .never: false
      case .auto:
        environment["NO_COLOR"].map(\.isEmpty) ?? true
          && (isSet("CLICOLOR_FORCE") || stream?.isTerminal == true && environment["TERM"] != "dumb")
      }
    // The runner obeys what it finds in its log, which it reads from a pipe.
    let isObeyed = stream.map { $0.isTerminal || !$0.isFile && environment["GITHUB_ACTIONS"] == "true" }
    return TerminalStyle(
      isColored: isColored, width: stream?.columns, keepsDocuments: !(isObeyed ?? isDevice))
  }
}

/// The last line of the terminal, which shows progress. Removed before anything else is written to the terminal. Write
/// errors are ignored: a closed terminal must not end the work.
package final class StatusLine: Sendable {
  private struct State {
    /// The columns that the line takes; 0 when nothing is shown.
    var columns = 0
    /// The prompts that wait for an answer: the line would cover them.
    var prompts = 0
  }

  private let write: @Sendable (PrintableText) throws -> Void
  /// The terminal's width now; `nil` where it is not known.
  private let width: @Sendable () -> Int?
  private let state = Mutex(State())

  private static let startOfLine: PrintableText = "\r"
  private static let eraseToEnd: PrintableText = "\u{1B}[K"

  init(
    write: @escaping @Sendable (PrintableText) throws -> Void, width: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.write = write
    self.width = width
  }

  /// Shows a text that is shorter than a line, in place of the one before.
  package func show(_ text: PrintableText) {
    state.withLock { state in
      guard state.prompts == 0 else { return }
      try? write(beginning(of: state.columns) + text + Self.eraseToEnd)
      state.columns = text.description.terminalColumns
    }
  }

  package func wipe() {
    state.withLock { state in
      guard state.columns > 0 else { return }
      try? write(beginning(of: state.columns) + Self.eraseToEnd)
      state.columns = 0
    }
  }

  /// Shows nothing while `body` waits for what the user types.
  func hidden<Result>(awaiting body: () async throws -> Result) async rethrows -> Result {
    beginPrompt()
    defer { endPrompt() }
    return try await body()
  }

  func hidden<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginPrompt()
    defer { endPrompt() }
    return try body()
  }

  private func beginPrompt() { state.withLock { $0.prompts += 1 } }
  private func endPrompt() { state.withLock { $0.prompts -= 1 } }

  /// Moves to the start of the line. A terminal that became narrower has wrapped it, so that it begins some rows above.
  private func beginning(of columns: Int) -> PrintableText {
    let width = width() ?? .max
    let rows = width > 0 ? max(0, columns - 1) / width : 0
    guard rows > 0 else { return Self.startOfLine }
    return "\r\u{1B}[\(rows)A\u{1B}[J"
  }
}
