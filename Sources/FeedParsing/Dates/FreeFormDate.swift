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

  private func element(_ ahead: Int) -> DateTokens.Element? {
    elements.indices.contains(index + ahead) ? elements[index + ahead] : nil
  }

  func token(_ ahead: Int = 0) -> DateTokens.Token? { element(ahead)?.token }

  func isApart(_ ahead: Int = 0) -> Bool { element(ahead)?.isApart == true }

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
    if takeZoneName(word) { return true }
    // One unknown word may come before the date: a weekday in another language.
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
