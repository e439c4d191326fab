internal import Diagnostics

/// How far the work of a command is, and how fast it goes.
struct WorkProgress {
  let title: String
  private(set) var done: Int
  private(set) var total: Int?
  /// When ``done`` last changed, on the clock of ``LiveStatus``.
  private(set) var changed: Duration
  /// The first count of this total, from which the speed is measured.
  private var first: (done: Int, at: Duration)
  private var steps = 0

  private static let minSteps = 3
  private static let minTime = Duration.seconds(2)
  /// A shorter rest is over before it is read, and its last steps are often the slow ones.
  private static let minEstimate = Duration.seconds(5)
  /// In seconds: 100 days.
  private static let maxEstimate = 8_640_000.0

  init(_ title: String, done: Int, total: Int?, at now: Duration) {
    self.title = title
    self.done = done
    self.total = total
    changed = now
    first = (done, now)
  }

  mutating func update(done: Int, total: Int?, at now: Duration) {
    // Another total is another kind of work.
    guard total == self.total, done >= self.done else {
      self = WorkProgress(title, done: done, total: total, at: now)
      return
    }
    guard done > self.done else { return }
    self.done = done
    changed = now
    steps += 1
  }

  var isAtEnd: Bool { total.map { done >= $0 } ?? false }

  /// `seed apply 20 of 170`. What is counted may be complete while the command still works.
  var words: String {
    guard let total, !isAtEnd else {
      return isAtEnd ? "\(title) \(done) done, finishing" : "\(title) \(done) done"
    }
    return "\(title) \(done) of \(total)"
  }

  /// The time that the rest takes at the speed so far. `nil` without a basis: after too few steps, and when the next one
  /// takes longer than those before.
  func remaining(at now: Duration) -> Duration? {
    guard let total, !isAtEnd, steps >= Self.minSteps, changed - first.at >= Self.minTime else { return nil }
    let step = (changed - first.at) / steps
    guard now - changed <= max(step * 2, .seconds(1)) else { return nil }
    let left = (changed - first.at) / .seconds(1) * Double(total - done) / Double(done - first.done)
    guard left <= Self.maxEstimate else { return nil }
    let rest = Duration.seconds(left) - (now - changed)
    return rest >= Self.minEstimate ? rest : nil
  }
}

extension WorkProgress {
  private static let maxLength = 40
  private static let minLength = 10

  /// For a log: `seed apply 3 of 10, about 12s left`.
  func line(at now: Duration) -> PrintableText { "\(words)\(rest(at: now))" }

  /// The line, shorter than `width` columns so that the terminal does not wrap. If the width is small, the bar is
  /// left out, then the remaining time, then the end of the text.
  func text(at now: Duration, width: Int, _ style: TerminalStyle) -> PrintableText {
    let room = max(0, width - 1)
    let rest = rest(at: now)
    let columns = words.count + rest.count
    let length = min(Self.maxLength, room - columns - " [] 100%".count)
    guard let share, length >= Self.minLength else {
      return columns <= room ? "\(words)\(rest)" : "\(String(words.prefix(room)))"
    }
    let filled = Int(Double(length) * share)
    let bar =
      style.text(StyledText(String(repeating: "=", count: filled), .good))
      + "\(String(repeating: " ", count: length - filled))"
    return "\(title) [\(bar)] \(percent(share)) \(done) of \(total ?? done)\(rest)"
  }

  private func rest(at now: Duration) -> String {
    remaining(at: now).map { ", about \(ShortDuration.text($0, rounding: .up)) left" } ?? ""
  }

  /// The completed part, from 0 up to and without 1; `nil` when it is not known, and at the end.
  private var share: Double? {
    guard let total, total > 0, !isAtEnd else { return nil }
    return max(0, Double(done) / Double(total))
  }

  private func percent(_ share: Double) -> String {
    let digits = String(Int(share * 100))
    return String(repeating: " ", count: 3 - digits.count) + digits + "%"
  }
}

/// A wait as one line of text: what it is for, for how long, and until when.
struct WaitText {
  let wait: Wait
  /// How long it lasts by now, without ``Wait/elapsed``.
  let age: Duration
  /// What the command has done so far, such as `seed apply 20 of 170`.
  var progress: String?

  /// For a log.
  var line: PrintableText { "\(sentence(wait.detail, progress))" }

  /// The longest form that takes less than `width` columns, so that the terminal does not wrap it.
  func text(width: Int) -> PrintableText {
    let forms = [
      sentence(wait.detail, progress), sentence(wait.detail), sentence(wait.reason, progress),
      sentence(wait.reason),
    ]
    let shortest = "\(wait.reason) \(elapsedText)\(rest)"
    return "\(forms.first { $0.terminalColumns < width } ?? String(shortest.prefix(max(0, width - 1))))"
  }

  /// `service unavailable for 20s, trying again in 4s, giving up in 1m`
  private func sentence(_ reason: String, _ progress: String? = nil) -> String {
    (progress.map { "\($0): " } ?? "") + reason + lasted + nextAttempt + giveUp
  }

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
package enum ShortDuration {
  package static func text(
    _ duration: Duration, rounding rule: FloatingPointRoundingRule = .down
  ) -> String {
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
