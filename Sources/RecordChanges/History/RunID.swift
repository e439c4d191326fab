public import CloudKitModel

/// Generates ids of runs from the time and a random number.
public enum RunID {
  /// `20260102T030405-9f3a1c`: sorted by time, and easy to select in a terminal.
  ///
  /// - Parameter random: drawn evenly.
  public static func make(at moment: Timestamp, random: UInt32) -> String {
    let digits = moment.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" }
    let suffix = String(random & 0xFF_FFFF, radix: 16)
    return "\(digits)-\(String(repeating: "0", count: 6 - suffix.count))\(suffix)"
  }
}
