internal import XMLReading

/// Names of months, weekdays and time zones in feeds.
enum CalendarNames {
  /// 1...12 for an English name or an abbreviation of at least three letters, or for a name in another language that
  /// occurs in feeds.
  static func month(_ word: some Collection<UInt8>) -> Int? {
    number(of: word, in: months, initials: monthInitials)
      ?? foreignMonths[String(decoding: word, as: UTF8.self).lowercased()]
  }

  /// 1 = Monday ... 7 = Sunday, for an English name or an abbreviation of at least three letters.
  static func weekday(_ word: some Collection<UInt8>) -> Int? {
    number(of: word, in: weekdays, initials: weekdayInitials)
  }

  /// The same for the first three letters; ignores what follows.
  @inline(__always) static func shortMonth(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    number(of: initials(bytes), in: monthInitials)
  }

  @inline(__always) static func shortWeekday(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    number(of: initials(bytes), in: weekdayInitials)
  }

  private static func number(
    of word: some Collection<UInt8>, in names: [StaticString], initials: StaticString
  ) -> Int? {
    guard word.count >= 3, let number = number(of: Self.initials(word), in: initials),
      matches(word, names[number - 1])
    else { return nil }
    return number
  }

  /// The position, from 1, of three letters in `names`.
  @inline(__always) private static func number(of initials: UInt32, in names: StaticString) -> Int? {
    let bytes = UnsafeBufferPointer(start: names.utf8Start, count: names.utf8CodeUnitCount)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let name = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
      if name == initials { return start / 3 + 1 }
    }
    return nil
  }

  /// The first three letters in lower case, as a number.
  @inline(__always) static func initials(_ bytes: some Collection<UInt8>) -> UInt32 {
    var code: UInt32 = 0
    for byte in bytes.prefix(3) { code = code << 8 | UInt32(byte | 0x20) }
    return code
  }

  // StaticString avoids the lazy-initialization check of a static array on this hot path.
  private static let monthInitials: StaticString = "janfebmaraprmayjunjulaugsepoctnovdec"
  private static let weekdayInitials: StaticString = "montuewedthufrisatsun"

  /// Minutes east of UTC. An unknown name counts as UTC, as in other feed readers, so that at least the day is right.
  /// `nil` when the word is not a name.
  static func zone(_ word: some Collection<UInt8>) -> Int? {
    guard !word.isEmpty, word.allSatisfy({ $0.isLetter || $0 == UInt8(ascii: "/") || $0 == 0x5F }) else {
      return nil
    }
    return zones[String(decoding: word, as: UTF8.self).uppercased()] ?? 0
  }

  /// True for words without meaning between the parts of a date: `5 August at 10:00`, `1 de enero de 2004`.
  static func isFiller(_ word: some Collection<UInt8>) -> Bool {
    word.count == 2 && (matches(word, "at") || matches(word, "de") || matches(word, "um"))
  }

  private static func matches(_ word: some Collection<UInt8>, _ name: StaticString) -> Bool {
    guard word.count <= name.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in word {
      guard byte.lowercased == name.utf8Start[index] else { return false }
      index += 1
    }
    return true
  }

  private static let months: [StaticString] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
  ]

  private static let weekdays: [StaticString] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  private static let foreignMonths: [String: Int] = [
    "sept": 9,
    // Greek, with and without accents.
    "ιαν": 1, "φεβ": 2, "μάώ": 3, "μαώ": 3, "μάρ": 3, "μαρ": 3, "απρ": 4, "μάι": 5, "μαϊ": 5, "μαι": 5,
    "μαΐ": 5, "μάϊ": 5, "ιούν": 6, "ιον": 6, "ιουν": 6, "ιούλ": 7, "ιολ": 7, "ιουλ": 7, "αύγ": 8, "αυγ": 8,
    "σεπ": 9, "οκτ": 10, "νοέ": 11, "νοε": 11, "δεκ": 12,
    // Hungarian.
    "január": 1, "februári": 2, "február": 2, "március": 3, "április": 4, "máujus": 5, "május": 5,
    "június": 6, "július": 7, "augusztus": 8, "szeptember": 9, "október": 10, "november": 11,
    "december": 12,
    // Russian.
    "янв": 1, "января": 1, "фев": 2, "февраля": 2, "мар": 3, "марта": 3, "апр": 4, "апреля": 4, "мая": 5,
    "май": 5, "июн": 6, "июня": 6, "июл": 7, "июля": 7, "авг": 8, "августа": 8, "сен": 9, "сент": 9,
    "сентября": 9, "окт": 10, "октября": 10, "ноя": 11, "ноября": 11, "дек": 12, "декабря": 12,
    // German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian and Polish, where they differ from English.
    "mär": 3, "märz": 3, "mai": 5, "okt": 10, "dez": 12, "janv": 1, "févr": 2, "mars": 3, "avr": 4,
    "juin": 6, "juil": 7, "août": 8, "déc": 12, "ene": 1, "abr": 4, "ago": 8, "dic": 12, "gen": 1,
    "mag": 5, "giu": 6, "lug": 7, "set": 9, "ott": 10, "fev": 2, "out": 10, "mrt": 3, "mei": 5,
    "januar": 1, "februar": 2, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12, "janvier": 1,
    "février": 2, "avril": 4, "juillet": 7, "septembre": 9, "octobre": 10, "novembre": 11, "décembre": 12,
    "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8,
    "sty": 1, "lut": 2, "kwi": 4, "cze": 6, "lip": 7, "sie": 8, "wrz": 9, "paź": 10, "lis": 11, "gru": 12,
    "stycznia": 1, "lutego": 2, "marca": 3, "kwietnia": 4, "maja": 5, "czerwca": 6, "lipca": 7,
    "sierpnia": 8, "września": 9, "października": 10, "listopada": 11, "grudnia": 12,
    "gennaio": 1, "febbraio": 2, "aprile": 4, "maggio": 5, "giugno": 6, "luglio": 7, "settembre": 9,
    "ottobre": 10, "dicembre": 12, "janeiro": 1, "fevereiro": 2, "março": 3, "maio": 5, "junho": 6,
    "julho": 7, "setembro": 9, "outubro": 10, "novembro": 11, "dezembro": 12, "januari": 1,
    "februari": 2, "maart": 3, "augustus": 8, "augusti": 8, "marts": 3,
    "septiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12, "maj": 5, "des": 12,
  ]

  private static let zones: [String: Int] = [
    // RFC 822, section 5.1: one letter for each hour, those before N west of UTC.
    "A": -60, "B": -120, "C": -180, "D": -240, "E": -300, "F": -360, "G": -420, "H": -480, "I": -540,
    "K": -600, "L": -660, "M": -720, "N": 60, "O": 120, "P": 180, "Q": 240, "R": 300, "S": 360, "T": 420,
    "U": 480, "V": 540, "W": 600, "X": 660, "Y": 720,
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "ET": -300, "EST": -300, "EDT": -240, "CT": -360,
    "CST": -360, "CDT": -300, "MT": -420, "MST": -420, "MDT": -360, "PT": -480, "PST": -480, "PDT": -420,
    "AT": -240, "AST": -240, "ADT": -180, "AKST": -540, "AKDT": -480, "HST": -600, "BST": 60, "WEST": 60,
    "CET": 60, "MET": 60, "CEST": 120, "MEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "MSD": 240,
    "IST": 330, "SGT": 480, "HKT": 480, "AWST": 480, "JST": 540, "KST": 540, "AEST": 600, "AEDT": 660,
    "ACST": 570, "ACDT": 630, "NZST": 720, "NZDT": 780, "BRT": -180, "ART": -180, "SAST": 120,
  ]
}
