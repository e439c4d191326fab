/// A moment in whole seconds since 1970, in the date formats of feeds.
package struct DemoDate {
  package let seconds: Int64

  package init(seconds: Int64) { self.seconds = seconds }

  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// RFC 822 as RSS and HTTP use it.
  package var rfc822: String {
    let (year, month, day) = date
    let weekday = Self.days[Int((dayNumber % 7 + 7) % 7)]
    return "\(weekday), \(two(day)) \(Self.months[month - 1]) \(year) \(time) GMT"
  }

  /// RFC 3339 in UTC.
  package var rfc3339: String {
    let (year, month, day) = date
    return "\(year)-\(two(month))-\(two(day))T\(time)Z"
  }

  /// Rounds days down, so that moments before 1970 work as well.
  private var secondOfDay: Int { Int((seconds % 86_400 + 86_400) % 86_400) }

  private var dayNumber: Int64 { (seconds - Int64(secondOfDay)) / 86_400 }

  private var time: String {
    "\(two(secondOfDay / 3600)):\(two(secondOfDay / 60 % 60)):\(two(secondOfDay % 60))"
  }

  /// The Gregorian date, counting years from March so that the leap day comes last.
  private var date: (year: Int64, month: Int, day: Int) {
    let shifted = dayNumber + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
