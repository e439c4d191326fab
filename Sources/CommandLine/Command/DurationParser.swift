internal import ArgumentParser

/// Parses durations such as 30s, 5m, 2h, or a number of seconds.
public enum DurationParser {
  /// The maximum duration in seconds; sums of several still fit into a `Duration`.
  private static let longest = 36_525.0 * 86_400

  public static func parse(_ text: String) throws -> Duration {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text : String(text.dropLast())
    guard let number = Double(digits), number.isFinite, number > 0 else {
      throw ValidationError("'\(text)' is not a duration; write it as 30s, 5m or 2h")
    }
    let seconds = number * (unit ?? 1)
    guard seconds <= longest else {
      throw ValidationError("the duration '\(text)' is longer than a hundred years")
    }
    return .seconds(seconds)
  }
}
