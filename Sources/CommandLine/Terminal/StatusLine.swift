package import Diagnostics
internal import Synchronization

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
