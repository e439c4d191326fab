internal import FoundationEssentials

extension Timestamp {
  /// ISO 8601 in UTC; with milliseconds only when there are any.
  public var iso8601: String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: milliseconds % 1000 != 0))
  }

  /// Reads ISO 8601, a date alone included, or whole milliseconds since 1970.
  public init?(text: String) {
    if let milliseconds = Int64(text) {
      self.init(milliseconds: milliseconds)
    } else if let date = Timestamp.date(text) ?? Timestamp.date(text + "T00:00:00Z") {
      self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    } else {
      return nil
    }
  }

  private static func date(_ text: String) -> Date? { try? Date(text, strategy: .iso8601) }
}
