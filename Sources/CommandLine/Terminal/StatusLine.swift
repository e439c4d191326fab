public import Diagnostics
internal import Synchronization

/// The last line of the terminal, which shows progress. Removed before anything else is written to the terminal.
///
/// Write errors are ignored: a closed terminal must not end the work.
public final class StatusLine: Sendable {
  /// What the line shows now.
  private struct State {
    var isShown = false
    var hasMainText = false
  }

  private let write: @Sendable (PrintableText) throws -> Void
  private let state = Mutex(State())

  private static let startOfLine: PrintableText = "\r"
  private static let eraseToEnd: PrintableText = "\u{1B}[K"

  init(write: @escaping @Sendable (PrintableText) throws -> Void) { self.write = write }

  /// Whether a command has shown progress of its own, to which general progress gives way.
  var hasMainText: Bool {
    get { state.withLock(\.hasMainText) }
    set { state.withLock { $0.hasMainText = newValue } }
  }

  public func show(_ text: PrintableText) {
    state.withLock { state in
      state.isShown = true
      try? write(StatusLine.startOfLine + text + StatusLine.eraseToEnd)
    }
  }

  public func wipe() {
    state.withLock { state in
      guard state.isShown else { return }
      state.isShown = false
      try? write(StatusLine.startOfLine + StatusLine.eraseToEnd)
    }
  }
}
