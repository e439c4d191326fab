public import CloudKitModel
internal import FoundationEssentials

/// The date of a signed request: UTC in whole seconds, `2016-01-25T22:15:43Z`.
public enum WireDate {
  public static func text(_ time: Timestamp) -> String {
    Date(timeIntervalSince1970: Double(time.milliseconds.flooredToSeconds)).formatted(.iso8601)
  }

  /// Reads exactly the form that ``text(_:)`` writes, and no other.
  public static func parse(_ text: String) -> Timestamp? {
    guard text.utf8.count == 20, let date = try? Date(text, strategy: .iso8601) else { return nil }
    let time = Timestamp(milliseconds: Int64(date.timeIntervalSince1970) * 1000)
    return Self.text(time) == text ? time : nil
  }
}

extension Int64 {
  fileprivate var flooredToSeconds: Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
