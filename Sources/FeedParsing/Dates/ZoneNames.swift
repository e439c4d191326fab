internal import Foundation
internal import XMLReading

/// Names of time zones: abbreviations with a fixed offset, and names of the IANA database.
enum ZoneNames {
  /// Minutes east of UTC for an abbreviation, in any case; `nil` for an unknown one. An abbreviation that several zones
  /// use means the one that feeds use most.
  static func offset(of abbreviation: String) -> Int? { abbreviations[abbreviation.uppercased()] }

  /// Minutes east of UTC of an IANA zone such as `Europe/Berlin` at a local time; `nil` for an unknown name.
  static func offset(of name: String, at local: CivilTime) -> Int? {
    guard let zone = zone(named: name), let wall = local.date else { return nil }
    let seconds = TimeInterval(wall.milliseconds / 1000)
    let near = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
    return zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds - Double(near))) / 60
  }

  private static func zone(named name: String) -> TimeZone? {
    let isPlain = name.utf8.allSatisfy { byte in
      byte.isLetter || (0x30...0x39).contains(byte) || [0x2F, 0x5F, 0x2D, 0x2B].contains(byte)
    }
    guard isPlain, name.utf8.count > 2 else { return nil }
    let spellings = [name, known[name.lowercased()], capitalized(name), name.uppercased()].compactMap(\.self)
    return spellings.lazy.compactMap(TimeZone.init(identifier:)).first
  }

  private static let known = Dictionary(
    TimeZone.knownTimeZoneIdentifiers.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

  /// `asia/calcutta` as `Asia/Calcutta`, `us/eastern` as `US/Eastern`, `etc/gmt+3` as `Etc/GMT+3`.
  private static func capitalized(_ name: String) -> String {
    var parts = name.lowercased().split(separator: "/").map { part in
      part.count <= 2 || part.hasPrefix("gmt") ? part.uppercased() : String(part)
    }
    for index in parts.indices where parts[index].first?.isLowercase == true {
      var startsWord = true
      parts[index] = String(
        parts[index].map { character in
          defer { startsWord = !character.isLetter }
          return startsWord ? Character(character.uppercased()) : character
        })
    }
    return parts.joined(separator: "/")
  }

  private static let abbreviations: [String: Int] = [
    // RFC 822, section 5.1: one letter for each hour, those before N west of UTC.
    "A": -60, "B": -120, "C": -180, "D": -240, "E": -300, "F": -360, "G": -420, "H": -480, "I": -540,
    "K": -600, "L": -660, "M": -720, "N": 60, "O": 120, "P": 180, "Q": 240, "R": 300, "S": 360, "T": 420,
    "U": 480, "V": 540, "W": 600, "X": 660, "Y": 720, "Z": 0,
    "UT": 0, "UTC": 0, "GMT": 0, "UCT": 0, "ZULU": 0, "WET": 0, "WEST": 60, "WEDT": 60,
    "ET": -300, "EST": -300, "EDT": -240, "CT": -360, "CST": -360, "CDT": -300, "MT": -420, "MST": -420,
    "MDT": -360, "PT": -480, "PST": -480, "PDT": -420, "AT": -240, "AST": -240, "ADT": -180,
    "NST": -210, "NDT": -150, "AKST": -540, "AKDT": -480, "HST": -600, "HAST": -600, "HADT": -540,
    "SST": -660,
    "BST": 60, "CET": 60, "MET": 60, "MEZ": 60, "CEST": 120, "MEST": 120, "MESZ": 120, "CEDT": 120,
    "EET": 120, "EEST": 180, "EEDT": 180, "TRT": 180, "MSK": 180, "MSD": 240, "SAMT": 240, "YEKT": 300,
    "OMST": 360, "KRAT": 420, "IRKT": 480, "YAKT": 540, "VLAT": 600,
    "WAT": 60, "CAT": 120, "SAST": 120, "EAT": 180, "IRST": 210, "IRDT": 270, "GST": 240, "AZT": 240,
    "AFT": 270, "PKT": 300, "UZT": 300, "IST": 330, "NPT": 345, "BDT": 360, "BTT": 360, "MMT": 390,
    "ICT": 420, "WIB": 420, "WITA": 480, "WIT": 540, "SGT": 480, "MYT": 480, "PHT": 480, "HKT": 480,
    "AWST": 480, "JST": 540, "KST": 540, "ACST": 570, "ACDT": 630, "AEST": 600, "AEDT": 660, "CHST": 600,
    "NZST": 720, "NZDT": 780, "BRT": -180, "BRST": -120, "ART": -180, "UYT": -180, "CLT": -240,
    "CLST": -180, "BOT": -240, "VET": -240, "PYT": -240, "COT": -300, "PET": -300, "ECT": -300,
  ]
}
