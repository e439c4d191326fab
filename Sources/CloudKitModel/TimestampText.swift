internal import FoundationEssentials

extension Timestamp {
  /// ISO 8601 in UTC; with milliseconds only when there are any.
  public var iso8601: String {
    // In whole numbers: as a fraction of a second, a millisecond may come out as the one before.
    let fraction = (milliseconds % 1000 + 1000) % 1000
    let date = Date(timeIntervalSince1970: Double((milliseconds - fraction) / 1000))
    let text = date.formatted(.iso8601)
    return fraction == 0 ? text : text.dropLast() + ".\(String(1000 + fraction).dropFirst())Z"
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
