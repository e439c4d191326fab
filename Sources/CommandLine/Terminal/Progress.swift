public import Diagnostics
internal import FoundationEssentials
internal import Synchronization

extension CommandContext {
  /// Progress on standard error: a bar on a terminal, elsewhere a line every few seconds; nothing with `-q`.
  public func progress(of command: String) -> @Sendable (_ done: Int, _ total: Int) -> Void {
    guard !common.quiet else { return { _, _ in } }
    let errors = process.console.errors
    let style = Style.resolve(common.color, isTerminal: errors.isTerminal, environment: process.environment)
    // The status line needs a terminal that can move the cursor to the start of the line.
    let width = process.environment["TERM"] == "dumb" ? nil : errors.width
    let turn = Turn(
      every: width == nil ? 5_000 : 100, now: process.now, isDueAtOnce: width != nil)
    let status = process.console.status
    return { done, total in
      guard turn.has() else { return }
      if let width {
        status.show(ProgressBar(title: command, done: done, total: total).text(width: width() ?? 80, style))
      } else {
        // Ignore errors: a closed standard error must not end the work.
        try? errors.write("\(command): \(done) of \(total)\n")
      }
    }
  }
}

/// Limits how often something happens.
private final class Turn: Sendable {
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

  private static let longest = 40
  private static let shortest = 10

  /// The line, shorter than `width` columns so that the terminal does not wrap. If the width is small, the bar is
  /// left out, then the end of the text.
  public func text(width: Int, _ style: Style) -> PrintableText {
    let room = max(0, width - 1)
    let words = "\(title) \(done) of \(total)"
    let length = min(ProgressBar.longest, room - words.count - " [] 100%".count)
    guard length >= ProgressBar.shortest else { return "\(String(words.prefix(room)))" }
    let filled = Int(Double(length) * share)
    let bar =
      style.green("\(String(repeating: "=", count: filled))")
      + "\(String(repeating: " ", count: length - filled))"
    return "\(title) [\(bar)] \(percent) \(done) of \(total)"
  }

  /// The completed part, from 0 to 1.
  private var share: Double { total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1 }

  private var percent: String {
    let digits = String(Int(share * 100))
    return String(repeating: " ", count: 3 - digits.count) + digits + "%"
  }
}
