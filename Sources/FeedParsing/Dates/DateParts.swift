/// Day, month and year of a date in free form, as far as they are known.
struct DateParts {
  /// 1 = Monday ... 7 = Sunday.
  var weekday: Int?
  /// Written in Thai, where years count from 543 BC.
  var isThai = false
  private var namedYear: Int?
  private var namedMonth: Int?
  private var namedDay: Int?
  /// The month came first, where it can also be a weekday with the same letters.
  private var isMonthUncertain = false
  /// The year before the first of the era in force.
  var era: Int?
  /// Numbers whose meaning their place decides.
  private var numbers: [(value: Int, digits: Int)] = []
  private var compact: CivilTime?

  /// The year before the first year of each era.
  static let eras = ["reiwa": 2018, "heisei": 1988, "showa": 1925, "minguo": 1911]

  var isEmpty: Bool {
    numbers.isEmpty && namedYear == nil && namedMonth == nil && namedDay == nil && compact == nil
  }
  /// True when a date may be complete, so that a time can follow.
  var isDateLike: Bool { compact != nil || numbers.count + (namedMonth == nil ? 0 : 1) >= 3 || isComplete }
  var isComplete: Bool {
    compact != nil || numbers.count + [namedYear, namedMonth, namedDay].count { $0 != nil } >= 3
  }

  private(set) var hasCompactTime = false

  enum Part { case year, month, day }

  /// Sets a part that has a sign of its own. Returns false when it is known already.
  mutating func set(_ part: Part, to value: Int) -> Bool {
    switch part {
    case .year where namedYear == nil: namedYear = value + (era ?? 0)
    case .month where namedMonth == nil: namedMonth = value
    case .day where namedDay == nil: namedDay = value
    default: return false
    }
    return true
  }

  /// Returns false when the month is known already.
  mutating func take(monthName: Int) -> Bool {
    guard namedMonth == nil || isMonthUncertain else { return false }
    isMonthUncertain = namedMonth == nil && isEmpty && weekday == nil
    namedMonth = monthName
    return true
  }

  mutating func add(_ value: Int, _ digits: Int) -> Bool {
    if digits > 4 { return isEmpty && addCompact(value, digits) }
    // `-0001` is what some programs make of a missing date.
    if digits == 4, value < 100 { return false }
    numbers.append((value, digits))
    return numbers.count <= 3 && compact == nil
  }

  /// `20261121`, the same with a time, and seconds or milliseconds since 1970.
  private mutating func addCompact(_ value: Int, _ digits: Int) -> Bool {
    var civil = CivilTime()
    switch digits {
    case 8: civil.setCompactDay(value)
    case 12:
      civil.setCompactDay(value / 10_000)
      (civil.hour, civil.minute) = (value / 100 % 100, value % 100)
    case 14:
      civil.setCompactDay(value / 1_000_000)
      (civil.hour, civil.minute, civil.second) = (value / 10_000 % 100, value / 100 % 100, value % 100)
    case 10: civil.setEpoch(seconds: value)
    case 13:
      civil.setEpoch(seconds: value / 1000)
      civil.millisecond = value % 1000
    default: return false
    }
    compact = civil
    hasCompactTime = digits > 8
    return true
  }

  /// The date; `nil` when parts are missing or can be read in two ways.
  var resolved: CivilTime? {
    if let compact { return numbers.isEmpty && namedMonth == nil ? compact : nil }
    guard var civil = namedMonth == nil && namedDay == nil ? numeric : named else { return nil }
    if isThai, civil.year > 2400 { civil.year -= 543 }
    return civil.date == nil ? nil : civil
  }

  /// With the month's name, or with characters that name the parts.
  private var named: CivilTime? {
    var rest = numbers
    var year = namedYear
    if year == nil, let position = rest.firstIndex(where: { $0.digits >= 3 || $0.value > 31 }) {
      year = fullYear(rest.remove(at: position))
    }
    var month = namedMonth
    var day = namedDay
    if month == nil, !rest.isEmpty { month = rest.removeFirst().value }
    if day == nil, !rest.isEmpty { day = rest.removeFirst().value }
    if year == nil, !rest.isEmpty { year = fullYear(rest.removeFirst()) }
    guard rest.isEmpty, let year, let month, day != nil || numbers.count == 1 && namedDay == nil else {
      return nil
    }
    return CivilTime(year: year, month: month, day: day ?? 1)
  }

  private func fullYear(_ number: (value: Int, digits: Int)) -> Int {
    if let era { return number.value + era }
    return CivilTime.fullYear(number.value, digits: number.digits)
  }

  /// Three numbers, the year first or last.
  private var numeric: CivilTime? {
    var rest = numbers
    if let namedYear {
      guard rest.count == 2 else { return nil }
      return ordered(year: namedYear, rest[0].value, rest[1].value)
    }
    if rest.count == 2, let year = rest.firstIndex(where: { $0.digits == 4 }) {
      return CivilTime(year: rest[year].value, month: rest[1 - year].value)
    }
    guard rest.count == 3 else { return nil }
    if rest[0].digits >= 3 || rest[0].value > 31 || era != nil {
      return CivilTime(year: fullYear(rest.removeFirst()), month: rest[0].value, day: rest[1].value)
    }
    guard rest[2].digits >= 2 else { return nil }
    return ordered(year: fullYear(rest[2]), rest[0].value, rest[1].value)
  }

  /// Dots separate the numbers. Wherever dates are written so, the day comes first.
  var isDotted = false

  /// Day and month in the order that the numbers, the dots or the weekday leave open; `nil` when both remain.
  private func ordered(year: Int, _ first: Int, _ second: Int) -> CivilTime? {
    let dayFirst = CivilTime(year: year, month: second, day: first)
    let monthFirst = CivilTime(year: year, month: first, day: second)
    switch (dayFirst.date != nil, monthFirst.date != nil) {
    case (true, false): return dayFirst
    case (false, true): return monthFirst
    case (false, false): return nil
    case (true, true): break
    }
    if first == second || isDotted { return dayFirst }
    guard let weekday, dayFirst.weekday != monthFirst.weekday else { return nil }
    return dayFirst.weekday == weekday ? dayFirst : monthFirst.weekday == weekday ? monthFirst : nil
  }
}

extension CivilTime {
  /// - Parameter value: year, month and day, as in 20261121.
  fileprivate mutating func setCompactDay(_ value: Int) {
    (year, month, day) = (value / 10_000, value / 100 % 100, value % 100)
  }

  fileprivate mutating func setEpoch(seconds: Int) {
    setDay(seconds / 86_400)
    (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
  }
}
