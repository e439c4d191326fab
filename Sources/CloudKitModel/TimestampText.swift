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

  /// Reads ISO 8601 in UTC and whole seconds, `2026-11-21T05:04:03Z`, and no other form.
  package init?(wholeSeconds text: String) {
    guard let seconds = UTCTime.wholeSeconds(text) else { return nil }
    self.init(milliseconds: seconds * 1000)
  }

  package init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded(.down)))
  }

  package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
