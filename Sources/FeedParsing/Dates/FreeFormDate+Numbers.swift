/// The numbers of a date in free form: parts of the date, and the time in its many spellings.
extension FreeFormDate {
  mutating func takeNumber(_ value: Int, _ digits: Int) -> Bool {
    if digits <= 2, isMark(":", 1), number(2) != nil { return takeClock() }
    if digits == 4, parts.isEmpty, isColonDate { return takeColonDate() }
    if digits <= 2, parts.isDateLike, takeDottedClock() { return true }
    let unit = isApart(1) && !Self.apartUnits.contains(word(1) ?? "") ? nil : word(1)
    index += 1
    guard let unit else { return parts.add(value, digits) }
    if let part = Self.partsByUnit[unit] {
      index += 1
      return parts.set(part, to: value)
    }
    switch unit {
    case "am", "pm", "a", "p":
      guard !hasTime, digits <= 2, number(1) == nil else { return parts.add(value, digits) }
      clock.hour = value
      hasTime = true
      return true
    case "h", "u", "uhr", "시", "時", "时", "点", "點":
      guard !hasTime, digits <= 2 else { return false }
      index += 1
      return takeMinutes(after: value)
    case "st", "nd", "rd", "th", "er", "º", "ª", "ο", "η", "го":
      index += 1
      return parts.add(value, digits)
    default: return parts.add(value, digits)
    }
  }

  /// Units that may stand apart from their number: `17 Uhr`.
  private static let apartUnits: Set<String> = ["am", "pm", "h", "uhr", "年", "月", "日", "년", "월", "일"]

  private static let partsByUnit: [String: DateParts.Part] = [
    "年": .year, "년": .year, "ปี": .year, "月": .month, "월": .month, "日": .day, "일": .day, "號": .day, "号": .day,
  ]

  /// `5:04`, `5:04:03`, `5:04:03.25` and `5:04:03:250`.
  private mutating func takeClock() -> Bool {
    guard !hasTime, let hour = number(), let minute = number(2), minute.digits <= 2 else { return false }
    (clock.hour, clock.minute) = (hour.value, minute.value)
    hasTime = true
    index += 3
    guard isMark(":"), !isApart(), let second = number(1) else { return true }
    guard second.digits <= 2 else { return false }
    clock.second = second.value
    index += 2
    if isMark(".") || isMark(",") || isMark(":"), !isApart(), !isApart(1), let fraction = number(1) {
      let isFrames = isMark(":") && fraction.digits != 3
      guard !isFrames || fraction.digits == 2 && fraction.value == 0 else { return false }
      clock.setFraction(fraction)
      index += 2
    }
    // `15:04:05:-0700`
    if isMark(":"), isMark("-", 1) || isMark("+", 1) { index += 1 }
    return !isMark(":")
  }

  /// `17.04`, `17.04.03` and `17-04-03` after a date.
  private mutating func takeDottedClock() -> Bool {
    let hasSeconds = (3...4).allSatisfy { !isApart($0) } && token(3) == token(1) && number(4)?.digits == 2
    guard !hasTime, let hour = number(), isMark(".", 1) || isMark("-", 1) && hasSeconds, !isApart(1),
      let minute = number(2), !isApart(2), hour.digits == 2, minute.digits == 2, hour.value < 24,
      minute.value < 60
    else { return false }
    (clock.hour, clock.minute) = (hour.value, minute.value)
    hasTime = true
    if hasSeconds, let second = number(4) { clock.second = second.value }
    index += hasSeconds ? 5 : 3
    return true
  }

  /// `2026:11:21`, as cameras write it.
  private var isColonDate: Bool {
    isMark(":", 1) && number(2)?.digits == 2 && isMark(":", 3) && number(4)?.digits == 2 && !isMark(":", 5)
  }

  private mutating func takeColonDate() -> Bool {
    for ahead in [0, 2, 4] {
      guard let part = number(ahead), parts.add(part.value, part.digits) else { return false }
    }
    index += 5
    return true
  }

  /// `17h04`, `17時04分03秒`: what follows the hour.
  private mutating func takeMinutes(after hour: Int) -> Bool {
    clock.hour = hour
    hasTime = true
    guard let minute = number(), minute.digits <= 2 else { return true }
    clock.minute = minute.value
    index += 1
    guard let unit = word(), ["m", "min", "mn", "分", "분", "'"].contains(unit) else { return true }
    index += 1
    guard let second = number(), second.digits <= 2 else { return true }
    clock.second = second.value
    index += 1
    if let unit = word(), ["s", "秒", "초"].contains(unit) { index += 1 }
    return true
  }
}
