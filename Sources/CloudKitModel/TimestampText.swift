public import FoundationEssentials
internal import Platform

extension Timestamp {
  /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z: the years ISO 8601 writes with four digits.
  private static let datable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// ISO 8601 in UTC, with milliseconds only when there are any. Outside the years 1 to 9999 the number of
  /// milliseconds, which ``init(text:)`` reads back as well: any client may store such a value.
  public var iso8601: String {
    guard Timestamp.datable.contains(milliseconds) else { return String(milliseconds) }
    return UTCTime.iso8601(millisecondsSince1970: milliseconds)
  }

  /// Reads ISO 8601, a date alone included, or whole milliseconds since 1970.
  public init?(text: String) {
    guard let milliseconds = UTCTime.milliseconds(text) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension Timestamp {
  /// The millisecond that the date falls into.
  public init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded(.down)))
  }

  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
