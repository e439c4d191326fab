internal import XMLReading

/// Dates in any other order, language and punctuation, read by what their parts can mean. Nothing is guessed: text with
/// ambiguous day and month, or with unknown words, is not read as a date.
struct FreeFormDate {
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    let tokens = DateTokens(bytes)
    var date = FreeFormDate(elements: tokens.elements)
    // Korea has one time zone without daylight saving time.
    date.usualOffset = tokens.isKorean ? 9 * 60 : 0
    while !date.isAtEnd {
      guard date.step(), !date.isBroken else { return nil }
    }
    return date.civil
  }

  let elements: [DateTokens.Element]
  var index = 0
  var parts = DateParts()
  var clock = CivilTime()
  var hasTime = false
  var hasMeridian = false
  var offset: Int?
  var zoneName: String?
  var usualOffset = 0
  var unknownWords = 0
  /// A part was begun that cannot be ended.
  var isBroken = false

  var isAtEnd: Bool { index >= elements.count }

  func token(_ ahead: Int = 0) -> DateTokens.Token? {
    elements.indices.contains(index + ahead) ? elements[index + ahead].token : nil
  }

  func isApart(_ ahead: Int = 0) -> Bool {
    elements.indices.contains(index + ahead) && elements[index + ahead].isApart
  }

  func isMark(_ mark: Unicode.Scalar, _ ahead: Int = 0) -> Bool { token(ahead) == .mark(mark) }

  func number(_ ahead: Int = 0) -> (value: Int, digits: Int)? {
    if case .number(let value, let digits)? = token(ahead) { (value, digits) } else { nil }
  }

  func word(_ ahead: Int = 0) -> String? {
    if case .word(let word)? = token(ahead) { word } else { nil }
  }

  var civil: CivilTime? {
    guard var civil = parts.resolved else { return nil }
    if hasTime {
      (civil.hour, civil.minute) = (clock.hour, clock.minute)
      (civil.second, civil.millisecond) = (clock.second, clock.millisecond)
    }
    let named = zoneName.flatMap { ZoneNames.offset(of: $0, at: civil) }
    guard let minutes = offset ?? (zoneName == nil ? usualOffset : named) else { return nil }
    civil.offset = minutes
    return civil
  }

  /// Reads one part. Returns false if the text is not a date.
  private mutating func step() -> Bool {
    switch token() {
    case .number(let value, let digits): takeNumber(value, digits)
    case .word(let word): takeWord(word)
    case .mark(let mark): takeMark(mark)
    case nil: true
    }
  }

  // MARK: Words

  private mutating func takeWord(_ word: String) -> Bool {
    if isMark("/", 1), !isApart(1), self.word(2) != nil {
      takeZonePath()
      return true
    }
    index += 1
    if word == "t", !hasTime { return true }
    if ["am", "pm", "a", "p"].contains(word), takeMeridian(isAfternoon: word.hasPrefix("p")) { return true }
    if let hour = ["noon": 12, "midnight": 0, "midi": 12, "minuit": 0][word], !hasTime {
      clock.hour = hour
      hasTime = true
      return true
    }
    if Self.monthWords.contains(word), let month = number(), month.digits <= 2 {
      index += 1
      return parts.set(.month, to: month.value)
    }
    if let era = DateParts.eras[word] {
      parts.era = era
      return true
    }
    let month = CalendarNames.month(word.utf8) ?? CalendarNames.foreignMonths[word]
    if let month, parts.take(monthName: month) {
      parts.isThai = parts.isThai || word.unicodeScalars.contains { (0x0E00...0x0E7F).contains($0.value) }
      return true
    }
    if let weekday = CalendarNames.weekday(word.utf8) {
      parts.weekday = weekday
      return true
    }
    // After the whole date and its time, `AT` is Atlantic Time.
    if Self.fillers.contains(word), !(word == "at" && hasTime && parts.isComplete) { return true }
    return takeZoneName(word) || takeUnknown(word)
  }

  /// One unknown word may come before the date: a weekday in another language.
  private mutating func takeUnknown(_ word: String) -> Bool {
    unknownWords += 1
    return unknownWords == 1 && parts.isEmpty && !hasTime && word.count >= 2
  }

  private mutating func takeMeridian(isAfternoon: Bool) -> Bool {
    // In East Asia, it comes before the time.
    guard !hasMeridian else { return false }
    guard hasTime else {
      guard let next = number(), next.digits <= 2,
        isMark(":", 1) || Self.hourWords.contains(self.word(1) ?? ""), takeNumber(next.value, next.digits),
        hasTime
      else { return false }
      return takeMeridian(isAfternoon: isAfternoon)
    }
    hasMeridian = true
    guard clock.hour <= 12 else { return true }
    if clock.hour > 0 { clock.hour = clock.hour % 12 + (isAfternoon ? 12 : 0) }
    return true
  }

  /// Vietnamese counts its months.
  private static let monthWords: Set<String> = ["tháng", "thg"]
  private static let hourWords: Set<String> = ["시", "時", "时", "点", "點", "h"]

  private mutating func takeZoneName(_ word: String) -> Bool {
    guard hasTime || !parts.isEmpty && word.count > 2 || parts.isComplete && word == "z",
      word.utf8.allSatisfy({ $0 < 0x80 })
    else { return false }
    if let minutes = ZoneNames.offset(of: word) {
      // In `GMT+0100` and `+0100 CET` the number counts.
      if offset == nil { offset = minutes }
      return true
    }
    guard offset == nil, zoneName == nil, hasTime else { return false }
    zoneName = word
    return true
  }

  /// `Europe/Berlin`, `America/Argentina/Buenos_Aires`.
  private mutating func takeZonePath() {
    var name = ""
    reading: while let token = token(), name.isEmpty || !isApart() {
      switch token {
      case .word(let word): name += word
      case .number(let value, _): name += String(value)
      case .mark(let mark) where ["/", "-", "+"].contains(mark): name.unicodeScalars.append(mark)
      default: break reading
      }
      index += 1
    }
    if offset == nil { zoneName = name }
  }

  /// Words without a meaning of their own between the parts of a date.
  private static let fillers: Set<String> = [
    "at", "of", "on", "the", "de", "del", "den", "der", "um", "uhr", "à", "a", "le", "el", "la", "les", "il",
    "alle", "ore", "às", "as", "kl", "klo", "h", "г", "года", "год", "в", "г.", "р", "року", "m", "d", "gada",
    "gads", "dia", "tháng", "ngày", "năm", "e", "och", "ve", "saat", "week", "weekday", "och", "dne", "v",
    "o", "godz", "r", "ob", "u", "στις", "ساعة", "الساعة", "בשעה", "ב", "เวลา", "น.", "น", "ที่", "พ.ศ.",
    "วันที่", "日", "一", "二", "三", "四", "五", "六", "土", "月", "火", "水", "木", "金", "월", "화", "수", "목", "금", "토",
    "일", "date", "feira", "thứ",
  ]

  // MARK: Marks

  private mutating func takeMark(_ mark: Unicode.Scalar) -> Bool {
    if mark == "+" || mark == "-", takeOffset(isNegative: mark == "-") { return true }
    if mark == ".", index > 0, elements[index - 1].isNumber, number(1) != nil { parts.isDotted = true }
    index += 1
    switch mark {
    case "(", "[": return takeComment(until: mark == "(" ? ")" : "]")
    case "'": return takeApostrophe()
    case ",", ".", "-", "/", "|", "·", "•", ";", "@", ":", "\"", "_", ")", "]", "、", "~", "º", "ª", "°":
      return true
    default: return false
    }
  }

  /// `'26`
  private mutating func takeApostrophe() -> Bool {
    guard let year = number(), year.digits == 2, !isApart() else { return true }
    index += 1
    return parts.set(.year, to: CivilTime.fullYear(year.value, digits: 2))
  }

  private mutating func takeOffset(isNegative: Bool) -> Bool {
    guard let hours = number(1), !isApart(1), hours.digits <= 4 || hours.digits == 6,
      mayHaveOffset(hours.digits)
    else { return false }
    index += 2
    var minutes = hours.value
    switch hours.digits {
    case 1, 2:
      minutes *= 60
      if isMark(":") || isMark("."), !isApart() {
        guard let part = number(1), part.digits == 2 else {
          isBroken = true
          return true
        }
        minutes += part.value
        index += 2
        if isMark(":"), number(1)?.digits == 2 { index += 2 }
      }
    case 6: minutes = hours.value / 10_000 * 60 + hours.value / 100 % 100
    default: minutes = hours.value / 100 * 60 + hours.value % 100
    }
    isBroken = minutes > Self.maxOffset
    offset = isNegative ? -minutes : minutes
    return true
  }

  private static let maxOffset = 18 * 60

  /// `+01:00`, and not the time `-05:04` or `-05:04:03` that a dash joins to its date.
  private var isQuarterHour: Bool {
    guard isMark(":", 2), !isApart(2), let minutes = number(3), minutes.digits == 2, minutes.value % 15 == 0
    else { return false }
    return !isMark(":", 4)
  }

  /// A sign begins an offset after a time, and after a whole date when it cannot join two numbers.
  private func mayHaveOffset(_ digits: Int) -> Bool {
    let isAfterNumber = index > 0 && elements[index - 1].isNumber && !isApart()
    guard hasTime || parts.hasCompactTime else {
      return parts.isComplete && (!isAfterNumber && digits == 4 || isQuarterHour)
    }
    return !isAfterNumber || parts.isComplete
  }

  /// `(CET)`, `[Europe/Berlin]`, `(Central European Time)`, `(土)`.
  private mutating func takeComment(until end: Unicode.Scalar) -> Bool {
    if isMark("/", 1), word() != nil, offset == nil { takeZonePath() }
    if offset == nil, zoneName == nil, isMark(end, 1), let word = word() {
      offset = ZoneNames.offset(of: word)
    }
    while !isAtEnd {
      index += 1
      if elements[index - 1].token == .mark(end) { return true }
    }
    return false
  }
}

extension DateTokens.Element {
  fileprivate var isNumber: Bool { if case .number = token { true } else { false } }
}

/// The numbers of a date in free form: parts of the date, and the time in its many spellings.
extension FreeFormDate {
  mutating func takeNumber(_ value: Int, _ digits: Int) -> Bool {
    if digits <= 2, isMark(":", 1), number(2) != nil { return takeClock() }
    if digits == 4, parts.isEmpty, isColonDate { return takeColonDate() }
    if digits <= 2, parts.isDateLike, takeDottedClock() { return true }
    let unit = isApart(1) && !Self.apartUnits.contains(word(1) ?? "") ? nil : word(1)
    index += 1
    guard let unit else { return parts.add(value, digits) }
    switch unit {
    case "年", "년", "ปี": return takeUnit(.year, value)
    case "月", "월": return takeUnit(.month, value)
    case "日", "일", "號", "号": return takeUnit(.day, value)
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

  private mutating func takeUnit(_ part: DateParts.Part, _ value: Int) -> Bool {
    index += 1
    return parts.set(part, to: value)
  }

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
