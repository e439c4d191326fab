import Testing

@testable import FeedParsing

@Suite struct ZoneNamesTests {
  /// The abbreviations of each offset from UTC in minutes.
  private static let abbreviations: [(offset: Int, names: String)] = [
    (-12 * 60, "M"), (-11 * 60, "L SST"), (-10 * 60, "K HST HAST"), (-9 * 60, "I AKST HADT"),
    (-8 * 60, "H PT PST AKDT"), (-7 * 60, "G MT MST PDT"), (-6 * 60, "F CT CST MDT"),
    (-5 * 60, "E ET EST CDT COT PET ECT"), (-4 * 60, "D EDT AT AST CLT BOT VET PYT"),
    (-3 * 60 - 30, "NST"), (-3 * 60, "C ADT BRT ART UYT CLST"), (-2 * 60 - 30, "NDT"), (-2 * 60, "B BRST"),
    (-60, "A"),
    (0, "Z UT UTC GMT UCT ZULU WET"), (60, "N WEST WEDT BST CET MET MEZ WAT"),
    (2 * 60, "O CEST MEST MESZ CEDT EET CAT SAST"), (3 * 60, "P EEST EEDT TRT MSK EAT"),
    (3 * 60 + 30, "IRST"),
    (4 * 60, "Q MSD SAMT GST AZT"), (4 * 60 + 30, "IRDT AFT"), (5 * 60, "R YEKT PKT UZT"),
    (5 * 60 + 30, "IST"),
    (5 * 60 + 45, "NPT"), (6 * 60, "S OMST BDT BTT"), (6 * 60 + 30, "MMT"), (7 * 60, "T KRAT ICT WIB"),
    (8 * 60, "U IRKT WITA SGT MYT PHT HKT AWST"), (9 * 60, "V YAKT WIT JST KST"), (9 * 60 + 30, "ACST"),
    (10 * 60, "W VLAT AEST CHST"), (10 * 60 + 30, "ACDT"), (11 * 60, "X AEDT"), (12 * 60, "Y NZST"),
    (13 * 60, "NZDT"),
  ]

  @Test("an abbreviation has an offset, in any letter case")
  func offsets() {
    for (offset, names) in Self.abbreviations {
      for name in names.split(separator: " ").map(String.init) {
        #expect(ZoneNames.offset(of: name) == offset, "\(name)")
        #expect(ZoneNames.offset(of: name.lowercased()) == offset, "\(name)")
      }
    }
    for name in ["", "J", "XYZT", "GMT+1"] { #expect(ZoneNames.offset(of: name) == nil, "\(name)") }
  }

  @Test(
    "a zone of the IANA database has the offset that holds at the local time",
    arguments: [
      ("Europe/Berlin", 1, 60), ("Europe/Berlin", 7, 120), ("europe/berlin", 7, 120),
      ("EUROPE/BERLIN", 1, 60),
      ("America/St_Johns", 1, -210), ("america/port-au-prince", 1, -300), ("Asia/Kathmandu", 1, 345),
      ("us/eastern", 1, -300), ("etc/gmt+3", 1, -180), ("Etc/GMT-14", 1, 840), ("utc", 1, 0),
      ("EST5EDT", 7, -240),
      ("Australia/Lord_Howe", 1, 660), ("asia/calcutta", 1, 330),
      ("Mars/Olympus", 1, nil), ("Europe Berlin", 1, nil), ("Europe/Bérlin", 1, nil), ("ET", 1, nil),
      ("", 1, nil),
    ] as [(String, Int, Int?)])
  func zones(name: String, month: Int, expected: Int?) {
    let local = CivilTime(year: 2026, month: month, day: 15, hour: 12)
    #expect(ZoneNames.offset(of: name, at: local) == expected)
  }

  @Test("near a change of the clocks the local time decides")
  func changes() {
    func offset(_ day: Int, _ hour: Int, _ minute: Int, month: Int) -> Int? {
      ZoneNames.offset(
        of: "America/New_York", at: CivilTime(year: 2026, month: month, day: day, hour: hour, minute: minute))
    }
    #expect(offset(8, 1, 59, month: 3) == -300 && offset(8, 3, 0, month: 3) == -240)
    #expect(offset(1, 0, 59, month: 11) == -240 && offset(1, 2, 0, month: 11) == -300)
    #expect(ZoneNames.offset(of: "Europe/Berlin", at: CivilTime(year: 2026, month: 13)) == nil)
  }
}
