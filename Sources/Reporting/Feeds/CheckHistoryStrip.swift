internal import Catalog
internal import Diagnostics
internal import Platform

/// The results of the checks of the last 30 UTC days, oldest first, drawn as a strip.
struct CheckHistoryStrip: Sendable, Hashable {
  enum Day: Int, Sendable, Hashable, CaseIterable {
    case unchecked, failed, mixed, good
  }

  let days: [Day]
  private let counts: [DailyCheckCounts]

  /// - Parameter today: days since 1970. Days after it are left out: a clock was wrong.
  init(_ history: DailyCheckHistory, today: Int64) {
    let first = today - DailyCheckHistory.window + 1
    var counts = (first...today).map { DailyCheckCounts(day: $0) }
    for day in history.days where day.day <= today && day.day >= first { counts[Int(day.day - first)] = day }
    self.counts = counts
    days = counts.map { Day($0) }
  }

  func count(_ day: Day) -> Int { days.count { $0 == day } }

  /// `25 good, 2 mixed, 3 failed`
  var words: String {
    guard count(.unchecked) < days.count else { return "no checks" }
    return [Day.good, .mixed, .failed].compactMap { day in
      count(day) > 0 ? "\(count(day)) \(day)" : nil
    }.joined(separator: ", ")
  }

  var blocks: String { String(days.map(\.look.block)) }
}

extension CheckHistoryStrip.Day {
  fileprivate init(_ counts: DailyCheckCounts) {
    switch (counts.successes > 0, counts.failures > 0) {
    case (true, true): self = .mixed
    case (true, false): self = .good
    case (false, true): self = .failed
    case (false, false): self = .unchecked
    }
  }

  /// How the day is drawn: in text, and in pictures.
  ///
  /// The height is of 14 units, so that the strip can be read without its colors. The color is one of the light palette in
  /// an attribute, which is shown where styles are forbidden. The style replaces it in the dark.
  fileprivate var look: (block: Character, height: Int, color: HTML) {
    switch self {
    case .unchecked: ("·", 2, "#8A8F98")
    case .failed: ("▂", 6, "#A4161A")
    case .mixed: ("▅", 10, "#B26A00")
    case .good: ("█", 14, "#0B6E99")
    }
  }
}

extension CheckHistoryStrip {
  /// What a page calls the first and the last day, with the picture of 30 good days, which most feeds have: it is in the
  /// page once.
  static func scale(until today: Int64) -> HTML {
    let first = today - DailyCheckHistory.window + 1
    let good = CheckHistoryStrip(
      DailyCheckHistory((first...today).map { DailyCheckCounts(day: $0, successes: 1) }), today: today)
    return """
      <span class="scale"><span>\(Self.name(of: first))</span><span>\(Self.name(of: today))</span></span>\
      <svg width="0" height="0" aria-hidden="true"><defs><g id="good">\(good.paths(hasTitles: true))</g></defs></svg>
      """
  }

  /// A picture of the days. Each has a title with its date and what its checks found; neighbors without a failure share one.
  ///
  /// - Parameters:
  ///   - isAlone: whether the page has no ``scale(until:)``.
  ///   - hasTitles: false for a page that has no room for them.
  func picture(isAlone: Bool, hasTitles: Bool = true) -> HTML {
    let isShared = count(.good) == days.count && !isAlone
    let content: HTML = isShared ? "<use href=\"#good\"/>" : paths(hasTitles: hasTitles)
    return "<svg width=\"149\" height=\"14\" role=\"img\"\(attribute: "aria-label", words)>\(content)</svg>"
  }

  private func paths(hasTitles: Bool) -> HTML {
    var paths: [Day: HTML] = [:]
    var start = 0
    while start < days.count {
      let day = days[start]
      let joins = day == .good || day == .unchecked || !hasTitles
      let end = joins ? days[start...].firstIndex { $0 != day } ?? days.count : start + 1
      let line: HTML = "M\(start * 5) \(14 - day.look.height / 2)h\((end - start) * 5 - 1)"
      let titled: HTML = "<path d=\"\(line)\"><title>\(title(of: start..<end))</title></path>"
      paths[day, default: ""] += hasTitles ? titled : line
      start = end
    }
    return Day.allCases.compactMap { day -> HTML? in
      guard let lines = paths[day] else { return nil }
      let content: HTML = hasTitles ? lines : "<path d=\"\(lines)\"/>"
      return
        "<g stroke=\"\(day.look.color)\" stroke-width=\"\(day.look.height)\" stroke-dasharray=\"4 1\">\(content)</g>"
    }.joined()
  }

  /// `2 Mar`, for a number of days since 1970.
  private static func name(of day: Int64) -> String { UTCTime.dayAndMonth(secondsSince1970: day * 86_400) }

  /// `1 Feb to 20 Feb: good`, `21 Feb: 1 of 4 good`
  private func title(of run: Range<Int>) -> String {
    let (first, last) = (counts[run.lowerBound], counts[run.upperBound - 1])
    let name =
      first.day == last.day
      ? Self.name(of: first.day) : "\(Self.name(of: first.day)) to \(Self.name(of: last.day))"
    return switch days[run.lowerBound] {
    case .good: "\(name): good"
    case .unchecked: "\(name): no check"
    case .mixed, .failed: "\(name): \(first.successes) of \(first.successes + first.failures) good"
    }
  }
}
