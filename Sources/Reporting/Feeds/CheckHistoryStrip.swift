internal import Catalog
internal import HTMLWriting

/// The results of the checks of the last 30 UTC days, oldest first, drawn as a strip.
struct CheckHistoryStrip: Sendable, Hashable {
  /// The result of the checks of one day.
  enum Day: Int, Sendable, Hashable, CaseIterable {
    case unchecked, failed, mixed, good
  }

  private(set) var days: [Day]

  /// - Parameter today: days since 1970. Days after it are left out: a clock was wrong.
  init(_ history: DailyCheckHistory, today: Int64) {
    days = Array(repeating: .unchecked, count: Int(DailyCheckHistory.window))
    for day in history.days where day.day <= today && day.day > today - DailyCheckHistory.window {
      days[days.count - 1 - Int(today - day.day)] = Day(successes: day.successes, failures: day.failures)
    }
  }

  func count(_ day: Day) -> Int { days.count { $0 == day } }

  /// `25 good, 2 mixed, 3 failed`
  var words: String {
    guard count(.unchecked) < days.count else { return "no checks" }
    return [Day.good, .mixed, .failed].compactMap { day in
      count(day) > 0 ? "\(count(day)) \(day)" : nil
    }.joined(separator: ", ")
  }

  /// For a terminal and for Markdown.
  var blocks: String { String(days.map(\.look.block)) }
}

extension CheckHistoryStrip.Day {
  fileprivate init(successes: Int64, failures: Int64) {
    switch (successes > 0, failures > 0) {
    case (true, true): self = .mixed
    case (true, false): self = .good
    case (false, true): self = .failed
    case (false, false): self = .unchecked
    }
  }

  /// How the day is drawn: in text, and in pictures.
  ///
  /// The height is of 12 units, so that the strip can be read without its colors. The color is one of the light palette in
  /// an attribute, which is shown where styles are forbidden. The style replaces it in the dark.
  fileprivate var look: (block: Character, height: Int, fill: HTML) {
    switch self {
    case .unchecked: ("·", 1, "#8A8F98")
    case .failed: ("▂", 4, "#A4161A")
    case .mixed: ("▅", 8, "#B26A00")
    case .good: ("█", 12, "#0B6E99")
    }
  }
}

extension CheckHistoryStrip {
  private static let dayWidth = 4

  /// A picture of the days, one path for each state; neighbors of the same state are one bar. The words beside it say
  /// the same, so that it is hidden from screen readers.
  var picture: HTML {
    var paths: HTML = ""
    for state in Day.allCases where count(state) > 0 {
      let look = state.look
      paths += "<path fill=\"\(look.fill)\" d=\""
      for run in runs(of: state) {
        let width = run.count * Self.dayWidth
        paths += "M\(run.lowerBound * Self.dayWidth) \(12 - look.height)h\(width)v\(look.height)h-\(width)z"
      }
      paths += "\"/>"
    }
    return "<svg width=\"120\" height=\"12\" aria-hidden=\"true\">\(paths)</svg>"
  }

  private func runs(of state: Day) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in days.indices where days[index] == state {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<(index + 1)
      } else {
        runs.append(index..<(index + 1))
      }
    }
    return runs
  }
}
