internal import Diagnostics

/// A wait as one line of text: what it is for, for how long, and until when.
struct WaitText {
  let wait: Wait
  /// How long it lasts by now, without ``Wait/elapsed``.
  let age: Duration
  /// What the command has done so far, such as `seed apply 20 of 170`.
  var progress: String?

  /// For a log.
  var line: PrintableText { "\(sentence(wait.detail, progress))" }

  /// The longest form that takes less than `width` columns, so that the terminal neither cuts nor wraps it.
  func text(width: Int) -> PrintableText {
    let forms = [
      sentence(wait.detail, progress), sentence(wait.detail), sentence(wait.reason, progress),
      sentence(wait.reason), short(wait.reason), tight(wait.reason), "\(elapsedText)\(rest)", elapsedText,
    ]
    return "\(forms.first { $0.terminalColumns < width } ?? "")"
  }

  /// `service unavailable for 20s, trying again in 4s, giving up in 1m`
  private func sentence(_ reason: String, _ progress: String? = nil) -> String {
    (progress.map { "\($0): " } ?? "") + reason + lasted + nextAttempt + giveUp
  }

  /// `service unavailable for 20s, giving up in 1m`
  private func short(_ reason: String) -> String {
    reason + lasted + (wait.limit == nil || isLast ? nextAttempt : giveUp)
  }

  /// `service unavailable 20s, 1m left`
  private func tight(_ reason: String) -> String { "\(reason) \(elapsedText)\(rest)" }

  private var elapsed: Duration { wait.elapsed + age }
  private var elapsedText: String { ShortDuration.text(elapsed) }
  private var lasted: String { elapsed < .seconds(1) ? "" : " for \(elapsedText)" }

  private var nextAttempt: String {
    guard let left = left(of: wait.pause) else { return "" }
    guard isLast else { return ", \(wait.next) in \(left)" }
    let attempt = wait.attempt.map { ", which may take \(ShortDuration.text($0, rounding: .up))" } ?? ""
    return ", \(wait.next) for the last time in \(left)\(attempt)"
  }

  private var giveUp: String {
    guard !isLast, let left = left(of: wait.limit) else { return "" }
    return ", \(wait.end) in \(left)" + (wait.condition.map { " \($0)" } ?? "")
  }

  private var rest: String { left(of: wait.limit ?? wait.pause).map { ", \($0) left" } ?? "" }

  /// Whether nothing follows the next attempt.
  private var isLast: Bool {
    guard let pause = wait.pause, let limit = wait.limit else { return false }
    return limit - pause < .seconds(1)
  }

  /// Rounded up, so that it reaches 1 and not 0 before the end; `nil` when it is over.
  private func left(of duration: Duration?) -> String? {
    guard let duration, duration > age else { return nil }
    return ShortDuration.text(duration - age, rounding: .up)
  }
}

/// Durations as `DurationParser` reads them: `45s`, `1m20s`, `2h5m`, `3d4h`.
enum ShortDuration {
  static func text(_ duration: Duration, rounding rule: FloatingPointRoundingRule = .down) -> String {
    let whole = duration.components.seconds
    let seconds = max(0, rule == .up && duration > .seconds(whole) ? whole + 1 : whole)
    let units = [("d", Int64(86_400)), ("h", 3600), ("m", 60), ("s", 1)]
    guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0s" }
    let parts = units[first...].prefix(2).reduce(into: (text: "", left: seconds)) { parts, unit in
      let count = parts.left / unit.1
      parts.left %= unit.1
      if count > 0 { parts.text += "\(count)\(unit.0)" }
    }
    return parts.text
  }
}
