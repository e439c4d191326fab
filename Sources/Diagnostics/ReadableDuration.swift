/// Formats a duration in words.
package enum ReadableDuration {
  /// `30 seconds`; below 10 seconds with a tenth, unless that is 0.
  package static func seconds(_ duration: Duration) -> String {
    let tenths = Int64(
      ((Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18) * 10).rounded())
    return tenths >= 100 || tenths % 10 == 0
      ? counted((tenths + 5) / 10, "second") : "\(tenths / 10).\(tenths % 10) seconds"
  }

  /// The largest unit alone: `3 days`. `nil` for less than a minute.
  ///
  /// - Parameter days: the largest number of days that is still written in hours.
  package static func text(_ duration: Duration, hoursUpToDays days: Int64 = 0) -> String? {
    let seconds = duration.components.seconds
    for (unit, length) in [("day", Int64(86_400)), ("hour", 3600), ("minute", 60)] where seconds >= length {
      if unit == "day", seconds <= days * length { continue }
      return counted(seconds / length, unit)
    }
    return nil
  }

  /// The same in short form, for tables: `7 d`, `3 h`, `5 min`.
  package static func short(_ duration: Duration) -> String? {
    text(duration).map { text in
      let parts = text.split(separator: " ")
      return "\(parts[0]) \(parts[1].prefix(parts[1].hasPrefix("m") ? 3 : 1))"
    }
  }
}
