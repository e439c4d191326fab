package import FoundationEssentials
internal import Platform

extension Timestamp {
  /// ISO 8601 in UTC, with milliseconds only when there are any. Outside the years 1 to 9999 the number of
  /// milliseconds, which ``init(text:)`` reads back as well: any client may store such a value.
  package var iso8601: String {
    guard UTCTime.years.contains(milliseconds) else { return String(milliseconds) }
    return UTCTime.iso8601(millisecondsSince1970: milliseconds)
  }

  /// Reads ISO 8601, a date alone included, or whole milliseconds since 1970.
  package init?(text: String) {
    guard let milliseconds = UTCTime.milliseconds(text) else { return nil }
    self.init(milliseconds: milliseconds)
  }

  /// A time as ``init(text:)`` reads it; with `now` also that word, or a time from then: `-30d`, `+2h`, with the units s, m, h
  /// and d.
  package init?(text: String, now: Timestamp?) {
    if let time = Timestamp(text: text) ?? (text == "now" ? now : nil) {
      self = time
      return
    }
    let units: [Character: Double] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let now, let sign = text.first, "+-".contains(sign), let unit = text.last.flatMap({ units[$0] }),
      let number = Double(text.dropLast()), abs(number * unit) < 1e15
    else { return nil }
    self.init(milliseconds: now.milliseconds + Int64(number * unit))
  }

  /// The second that has begun, as the date of a signed request: `2026-11-21T05:04:03Z`.
  package var wholeSeconds: String {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return Timestamp(milliseconds: (rest < 0 ? seconds - 1 : seconds) * 1000).iso8601
  }

  /// Reads the form that ``wholeSeconds`` writes, and no other.
  package init?(wholeSeconds text: String) {
    guard let seconds = UTCTime.wholeSeconds(text) else { return nil }
    self.init(milliseconds: seconds * 1000)
  }

  package init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded(.down)))
  }

  package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
