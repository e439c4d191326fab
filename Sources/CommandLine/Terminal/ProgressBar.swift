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

struct ProgressBar {
  let work: WorkProgress
  let remaining: Duration?

  private static let maxLength = 40
  private static let minLength = 10

  init(_ work: WorkProgress, at now: Duration) {
    self.work = work
    remaining = work.remaining(at: now)
  }

  /// For a log: `seed apply 3 of 10, about 12s left`.
  var line: PrintableText { "\(work.words)\(rest)" }

  /// The line, shorter than `width` columns so that the terminal does not wrap. If the width is small, the bar is
  /// left out, then the remaining time, then the end of the text.
  func text(width: Int, _ style: TerminalStyle) -> PrintableText {
    let room = max(0, width - 1)
    let words = "\(work.words)\(rest)"
    let length = min(Self.maxLength, room - words.count - " [] 100%".count)
    guard let share, length >= Self.minLength else {
      return words.count <= room ? "\(words)" : "\(String(work.words.prefix(room)))"
    }
    let filled = Int(Double(length) * share)
    let bar =
      style.text(StyledText(String(repeating: "=", count: filled), .good))
      + "\(String(repeating: " ", count: length - filled))"
    return "\(work.title) [\(bar)] \(percent(share)) \(work.done) of \(work.total ?? work.done)\(rest)"
  }

  private var rest: String {
    remaining.map { ", about \(ShortDuration.text($0, rounding: .up)) left" } ?? ""
  }

  /// The completed part, from 0 up to and without 1; `nil` when it is not known, and at the end.
  private var share: Double? {
    guard let total = work.total, total > 0, !work.isAtEnd else { return nil }
    return max(0, Double(work.done) / Double(total))
  }

  private func percent(_ share: Double) -> String {
    let digits = String(Int(share * 100))
    return String(repeating: " ", count: 3 - digits.count) + digits + "%"
  }
}
