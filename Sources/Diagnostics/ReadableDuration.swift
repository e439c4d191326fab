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
    largest(duration, hoursUpToDays: days).map { counted($0.count, $0.unit.word) }
  }

  /// The same in short form, for tables: `7 d`, `3 h`, `5 min`.
  package static func short(_ duration: Duration) -> String? {
    largest(duration).map { "\($0.count) \($0.unit.short)" }
  }

  private typealias Unit = (word: String, short: String, seconds: Int64)
  private static let units: [Unit] = [("day", "d", 86_400), ("hour", "h", 3600), ("minute", "min", 60)]

  private static func largest(
    _ duration: Duration, hoursUpToDays days: Int64 = 0
  ) -> (count: Int64, unit: Unit)? {
    let seconds = duration.components.seconds
    let units = seconds > days * Self.units[0].seconds ? Self.units[...] : Self.units.dropFirst()
    return units.first { seconds >= $0.seconds }.map { (seconds / $0.seconds, $0) }
  }
}
