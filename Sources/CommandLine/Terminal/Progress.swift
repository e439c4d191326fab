public import Diagnostics
internal import FoundationEssentials
internal import Synchronization

extension CommandContext {
  /// Progress of work whose size is known, on standard error: a bar on a terminal, elsewhere a line every five seconds.
  ///
  /// Nothing is shown with `-q`, or while results are written to the same terminal.
  public func progress(of command: String) -> @Sendable (_ done: Int, _ total: Int) -> Void {
    let start = process.now()
    let now = process.now
    let show = statusWriter(.main)
    return { done, total in
      let bar = ProgressBar(title: command, done: done, total: total, elapsed: now().timeIntervalSince(start))
      show({ bar.text(width: $0, $1) }, { bar.line })
    }
  }

  /// The number of records read so far, for commands that are still reading after a second. It gives way to
  /// ``progress(of:)``.
  public func readingProgress() -> @Sendable (_ records: Int) -> Void {
    let start = process.now()
    let now = process.now
    let show = statusWriter(.background)
    return { records in
      guard now().timeIntervalSince(start) >= 1 else { return }
      let text: PrintableText = "reading: \(counted(records, "record"))"
      show({ width, _ in "\(String(text.description.prefix(max(0, width - 1))))" }, { text })
    }
  }

  /// Says that a request is waiting to be sent again, so that a pause does not look like a hang.
  public func waitingNotice() -> @Sendable (_ notice: PrintableText) -> Void {
    let show = statusWriter(.notice)
    return { notice in
      show({ width, _ in "\(String(notice.description.prefix(max(0, width - 1))))" }, { notice })
    }
  }

  /// The importance of a progress text: which one replaces another.
  private enum Rank {
    /// The progress of the command itself; background progress stops once it has been shown.
    case main
    case background
    /// A sentence on its own, which replaces no progress.
    case notice
  }

  private func statusWriter(
    _ rank: Rank
  ) -> @Sendable (_ bar: (_ width: Int, TerminalStyle) -> PrintableText, _ line: () -> PrintableText) -> Void
  {
    guard !common.quiet else { return { _, _ in } }
    let errors = process.console.errors
    let style = TerminalStyle.resolve(
      common.color, isTerminal: errors.isTerminal, environment: process.environment)
    // The status line needs a terminal that can move the cursor to the start of the line.
    let width = process.environment["TERM"] == "dumb" ? nil : errors.width
    let turn = UpdateLimiter(
      every: width == nil ? 5_000 : 100, now: process.now, isDueAtOnce: width != nil)
    let status = process.console.status
    let results = results
    let sharesTerminal = common.outputFile == nil && process.console.output.isTerminal
    return { bar, line in
      switch rank {
      case .main: status.hasMainText = true
      case .background: if status.hasMainText { return }
      case .notice: break
      }
      guard !(sharesTerminal && results.hasBegun), turn.has() else { return }
      if let width {
        status.show(bar(width() ?? 80, style))
      } else {
        // Ignore errors: a closed standard error must not end the work.
        try? errors.write(line() + "\n")
      }
    }
  }
}

/// Limits how often something happens.
private final class UpdateLimiter: Sendable {
  /// The minimum interval in milliseconds.
  private let interval: Double
  private let now: @Sendable () -> Date
  private let last: Mutex<Date?>

  init(every interval: Double, now: @escaping @Sendable () -> Date, isDueAtOnce: Bool) {
    self.interval = interval
    self.now = now
    last = Mutex(isDueAtOnce ? nil : now())
  }

  func has() -> Bool {
    last.withLock { last in
      let now = now()
      if let last, (now.timeIntervalSince(last) * 1000).rounded() < interval { return false }
      last = now
      return true
    }
  }
}

/// A progress bar as one line of text.
public struct ProgressBar {
  public let title: String
  public let done: Int
  public let total: Int
  /// Seconds since the work began.
  public let elapsed: Double

  private static let maxLength = 40
  private static let minLength = 10
  /// Seconds before which an estimate of the remaining time is a guess.
  private static let firstEstimate = 2.0
  /// In seconds: 100 days.
  private static let longestEstimate = 8_640_000.0

  /// For a log: `seed apply: 3 of 10, about 12 s left`.
  var line: PrintableText { "\(title): \(done) of \(total)\(remaining)" }

  /// The line, shorter than `width` columns so that the terminal does not wrap. If the width is small, the bar is
  /// left out, then the end of the text.
  public func text(width: Int, _ style: TerminalStyle) -> PrintableText {
    let room = max(0, width - 1)
    let words = "\(title) \(done) of \(total)\(remaining)"
    let length = min(ProgressBar.maxLength, room - words.count - " [] 100%".count)
    guard length >= ProgressBar.minLength else { return "\(String(words.prefix(room)))" }
    let filled = Int(Double(length) * share)
    let bar =
      style.green("\(String(repeating: "=", count: filled))")
      + "\(String(repeating: " ", count: length - filled))"
    return "\(title) [\(bar)] \(percent) \(done) of \(total)\(remaining)"
  }

  /// `, about 3 min left`; empty while it cannot be known.
  private var remaining: String {
    guard elapsed >= ProgressBar.firstEstimate, done > 0, done < total else { return "" }
    let left = (elapsed * Double(total - done) / Double(done)).rounded(.up)
    // Of a number that somebody made up, the time is no estimate.
    guard let seconds = Int(exactly: left), left <= Self.longestEstimate else { return "" }
    return seconds < 100 ? ", about \(seconds) s left" : ", about \((seconds + 59) / 60) min left"
  }

  /// The completed part, from 0 to 1.
  private var share: Double { total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1 }

  private var percent: String {
    let digits = String(Int(share * 100))
    return String(repeating: " ", count: 3 - digits.count) + digits + "%"
  }
}

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
