internal import Platform

/// A date and time as written, with its offset not applied yet.
struct CivilTime {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0
  /// Minutes east of UTC.
  var offset = 0

  /// The moment; `nil` when a part is out of range. A leap second counts as the second before it.
  var date: FeedDate? {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      day <= 28 || monthHasDay,
      (0...23).contains(hour) || hour == 24 && minute == 0 && second == 0,
      (0...59).contains(minute), (0...60).contains(second), abs(offset) < 24 * 60
    else { return nil }
    let seconds = (daysSince1970 * 24 + hour) * 3600 + (minute - offset) * 60 + min(second, 59)
    return FeedDate(milliseconds: Int64(seconds) * 1000 + Int64(millisecond))
  }

  private var monthHasDay: Bool {
    var same = self
    same.setDay(daysSince1970)
    return same.day == day
  }

  /// Days in the proleptic Gregorian calendar, computed with years that begin in March.
  private var daysSince1970: Int {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  /// 1 = Monday ... 7 = Sunday. 1970 began on a Thursday.
  var weekday: Int { (daysSince1970 + 3).floorDivided(by: 7).remainder + 1 }

  /// Sets month and day from the day of the year. Returns false when the year has no such day.
  mutating func setOrdinalDay(_ ordinal: Int) -> Bool {
    let year = year
    (month, day) = (1, 1)
    setDay(daysSince1970 + ordinal - 1)
    return self.year == year
  }

  /// Sets the date from a week and a day of the week (1 = Monday ... 7). The first week contains January 4 (ISO 8601,
  /// section 3.2.2). Returns false when the year has no such week.
  mutating func setWeek(_ week: Int, day: Int) -> Bool {
    guard (1...53).contains(week), (1...7).contains(day) else { return false }
    (month, self.day) = (1, 4)
    let fourth = daysSince1970
    // 1970 began on a Thursday.
    let firstMonday = fourth - (fourth + 3).floorDivided(by: 7).remainder
    let wanted = firstMonday + (week - 1) * 7 + day - 1
    let year = year
    setDay(wanted)
    var thursday = CivilTime()
    thursday.setDay(wanted - day + 4)
    return thursday.year == year
  }

  /// - Parameter days: since 1970-01-01.
  mutating func setDay(_ days: Int) {
    let (era, dayOfEra) = (days + 719_468).floorDivided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// - Parameter fraction: the digits after the point of the seconds.
  mutating func setFraction(_ fraction: (value: Int, digits: Int)) {
    millisecond = fraction.value
    for _ in stride(from: fraction.digits, to: 3, by: 1) { millisecond *= 10 }
    for _ in stride(from: 3, to: fraction.digits, by: 1) { millisecond /= 10 }
  }

  /// Two digits mean the years 1970 to 2069. RFC 2822, section 4.3, starts at 1950, but no feed is that old.
  static func fullYear(_ value: Int, digits: Int) -> Int {
    guard digits <= 2 else { return value }
    return value + (value < 70 ? 2000 : 1900)
  }
}
