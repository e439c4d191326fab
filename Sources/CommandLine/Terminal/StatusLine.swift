public import Diagnostics
internal import Synchronization

/// The last line of the terminal, which shows progress. Removed before anything else is written to the terminal.
///
/// Write errors are ignored: a closed terminal must not end the work.
public final class StatusLine: Sendable {
  private let write: @Sendable (PrintableText) throws -> Void
  private let isShown = Mutex(false)

  private static let startOfLine: PrintableText = "\r"
  private static let eraseToEnd: PrintableText = "\u{1B}[K"

  init(write: @escaping @Sendable (PrintableText) throws -> Void) { self.write = write }

  public func show(_ text: PrintableText) {
    isShown.withLock { isShown in
      isShown = true
      try? write(StatusLine.startOfLine + text + StatusLine.eraseToEnd)
    }
  }

  public func wipe() {
    isShown.withLock { isShown in
      guard isShown else { return }
      isShown = false
      try? write(StatusLine.startOfLine + StatusLine.eraseToEnd)
    }
  }
}
