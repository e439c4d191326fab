public import Diagnostics
internal import Synchronization

/// The last line of a terminal, drawn again and again, and wiped before anything else is written there.
///
/// Writing it is a courtesy: a terminal that has gone away must not end the work.
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
