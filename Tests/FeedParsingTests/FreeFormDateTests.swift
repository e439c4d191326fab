import FeedParsing
import Testing

/// Dates that no standard describes. All without a month of their own mean 21 November 2026.
@Suite struct FreeFormDateTests {
  @Test(
    "orders, separators and units of all kinds are read",
    arguments: [
      ("2026-11-21 T 05:04", "05:04:00"), ("2026-11-21 05:04:03 PM", "17:04:03"),
      ("2026-11-21_05:04:03", "05:04:03"), ("2026-11-21-05:04:03", "05:04:03"),
      ("2026-11-21T05.04.03Z", "05:04:03"), ("2026.11.21 05:04", "05:04:00"),
      ("2026/11/21 05:04:03", "05:04:03"),
      ("2026/11/21", "00:00:00"), ("2026-Nov-21", "00:00:00"), ("2026 Nov 21 05:04", "05:04:00"),
      ("2026 November 21", "00:00:00"), ("2026-11-21 at 05:04:03", "05:04:03"),
      ("2026-11-21T05:04:03+01:00[Europe/Berlin]", "04:04:03"), ("2026-11-21T05:04:03:00Z", "05:04:03"),
      ("2026-11-21T05:04:03-05:00:00", "10:04:03"), ("2026-11-21T05:04:03.250000000Z", "05:04:03.250"),
      ("20261121", "00:00:00"), ("202611210504", "05:04:00"), ("20261121050403", "05:04:03"),
      ("20261121 05:04:03", "05:04:03"), ("1795237443", "05:04:03"), ("1795237443250", "05:04:03.250"),
      ("21.11.2026", "00:00:00"), ("21.11.2026, 05:04 Uhr", "05:04:00"),
      ("21.11.2026 um 05:04 Uhr", "05:04:00"),
      ("21.11.26 05:04", "05:04:00"), ("21. 11. 2026 5:04", "05:04:00"),
      ("05:04 21.11.2026 +0100", "04:04:00"),
      ("21/11/2026", "00:00:00"), ("21/11/2026 - 05:04", "05:04:00"), ("11/21/2026 5:04:03 PM", "17:04:03"),
      ("21-11-2026 05:04:03 CET", "04:04:03"), ("11-21-2026", "00:00:00"), ("11/21/26 05:04", "05:04:00"),
      ("21/Nov/2026:05:04:03 +0100", "04:04:03"), ("21-Nov-26 05:04:03", "05:04:03"),
      ("Nov 21, 2026 5:04:03 a.m.", "05:04:03"), ("Nov. 21, 2026, 5:04 p.m.", "17:04:00"),
      ("November 21st, 2026 at 5:04 PM", "17:04:00"), ("November 21, 2026 - 5:04pm", "17:04:00"),
      ("Nov 21 2026 05:04:03:250AM", "05:04:03.250"), ("Nov 21 2026  5:04AM", "05:04:00"),
      ("Saturday, the 21st of November, 2026", "00:00:00"), ("21st November 2026, 5pm", "17:00:00"),
      ("Sat, 21 Nov 2026 12:04 am", "00:04:00"), ("Sat, 21 Nov 2026 17:04:03 PM", "17:04:03"),
      ("Sat, 21 Nov '26 05:04", "05:04:00"), ("21 Nov 2026 noon", "12:00:00"),
      ("Sat, 21 Nov 2026 05:04:03 --0500", "10:04:03"), ("Sat, 21 Nov 2026 05:04:03 GMT+1", "04:04:03"),
      ("Sat, 21 Nov 2026 05:04:03 UTC-05:00", "10:04:03"),
      ("Sat, 21 Nov 2026 05:04:03 \u{2212}0500", "10:04:03"),
      ("Sat, 21 Nov 2026 05:04:03 +0100 (CET)", "04:04:03"), ("Sat, 21 Nov 2026 05:04:03 (CET)", "04:04:03"),
      ("Sat Nov 21 05:04:03 CET 2026", "04:04:03"),
      ("Sat Nov 21 2026 05:04:03 GMT+0100 (Central European Standard Time)", "04:04:03"),
      ("Sat, 21 Nov 2026 05:04:03 Eastern Standard Time", "10:04:03"), ("20261121050403+0100", "04:04:03"),
      ("2026-11-21-05-04-03", "05:04:03"), ("2026:11:21 05:04:03", "05:04:03"),
      ("2026/11/21 05-04-03", "05:04:03"),
      ("2026-11-21T05:04:03:-0500", "10:04:03"), ("21.11.2026 05.04", "05:04:00"),
      ("Sat, 21 Nov 2026 05:04:03 PKT", "00:04:03"), ("Sat, 21\u{A0}Nov\u{A0}2026 05:04", "05:04:00"),
    ])
  func read(text: String, time: String) {
    #expect(FeedDate(text)?.iso8601 == "2026-11-21T\(time)Z")
  }

  @Test(
    "an offset is hours, hours and minutes, or these with seconds, of 18 hours at most",
    arguments: [
      ("+5", "07:04:03"), ("+05", "07:04:03"), ("+0530", "06:34:03"), ("+05:30", "06:34:03"),
      ("+053000", "06:34:03"), ("+05:30:00", "06:34:03"), ("-0330", "15:34:03"), ("-03:30", "15:34:03"),
      ("-033000", "15:34:03"), ("-0945", "21:49:03"), ("+1159", "00:05:03"),
    ])
  func offsets(offset: String, time: String) {
    #expect(FeedDate("21.11.2026 12:04:03 \(offset)")?.iso8601 == "2026-11-21T\(time)Z")
  }

  @Test(
    "an offset of more than 18 hours is none",
    arguments: [("+1800", true), ("+1801", false), ("-1801", false)])
  func largestOffset(offset: String, isRead: Bool) {
    #expect((FeedDate("21.11.2026 12:04:03 \(offset)") != nil) == isRead)
  }

  @Test(
    "months, days and half days are read in the languages of feeds",
    arguments: [
      ("Samstag, 21. November 2026 um 05:04 Uhr", "05:04:00"), ("Sa, 21 Nov 2026 05:04", "05:04:00"),
      ("Le 21 novembre 2026 à 05h04", "05:04:00"), ("21 nov. 2026 5 h 04", "05:04:00"),
      ("sábado, 21 de noviembre de 2026, 5:04 p. m.", "17:04:00"), ("21/nov/2026", "00:00:00"),
      ("sabato 21 novembre 2026 alle 05:04", "05:04:00"), ("21 de novembro de 2026 às 05h04", "05:04:00"),
      ("zaterdag 21 november 2026 05:04", "05:04:00"), ("lørdag 21. november 2026 kl. 05.04", "05:04:00"),
      ("21. marraskuuta 2026 klo 05.04", "05:04:00"),
      ("21. listopadu 2026", "00:00:00"), ("2026. november 21. 05:04", "05:04:00"),
      ("21 noiembrie 2026 05:04", "05:04:00"), ("21. studenoga 2026.", "00:00:00"),
      ("21 Kasım 2026 05:04", "05:04:00"),
      ("2026 m. lapkričio 21 d. 05:04", "05:04:00"), ("2026. gada 21. novembris", "00:00:00"),
      ("21 ноября 2026 г., 05:04", "05:04:00"), ("21 листопада 2026", "00:00:00"),
      ("21 Νοεμβρίου 2026 5:04 μ.μ.", "17:04:00"), ("21 نوفمبر 2026", "00:00:00"),
      ("٢١ نوفمبر ٢٠٢٦", "00:00:00"),
      ("21 בנובמבר 2026", "00:00:00"), ("21 नवंबर 2026", "00:00:00"), ("21 พ.ย. 2569 05:04", "05:04:00"),
      ("21 พฤศจิกายน 2569", "00:00:00"), ("21 tháng 11 năm 2026", "00:00:00"),
      ("2026年11月21日(土) 05:04", "05:04:00"), ("2026年11月21日 5時04分03秒", "05:04:03"),
      ("令和8年11月21日", "00:00:00"), ("民國115年11月21日", "00:00:00"), ("2026年11月21日星期六 下午5:04", "17:04:00"),
      ("2026. 11. 21. 오후 5:04", "08:04:00"), ("２０２６年１１月２１日", "00:00:00"),
    ] as [(String, String?)])
  func languages(text: String, time: String?) {
    #expect(FeedDate(text)?.iso8601 == time.map { "2026-11-21T\($0)Z" })
  }

  @Test(
    "a zone of the IANA database has the offset of that day",
    arguments: [
      ("Sat, 21 Nov 2026 05:04:03 Europe/Berlin", "2026-11-21T04:04:03Z"),
      ("2026-07-21 05:04:03 Europe/Berlin", "2026-07-21T03:04:03Z"),
      ("2026-07-21T05:04:03 America/New_York", "2026-07-21T09:04:03Z"),
      ("Tue, 21 Jul 2026 05:04:03 asia/kolkata", "2026-07-20T23:34:03Z"),
      ("Tue, 21 Jul 2026 05:04:03 US/Pacific", "2026-07-21T12:04:03Z"),
      ("Tue, 21 Jul 2026 05:04:03 Etc/GMT+3", "2026-07-21T08:04:03Z"),
      ("Tue, 21 Jul 2026 05:04:03 America/Port-au-Prince", "2026-07-21T09:04:03Z"),
      ("Sun, 29 Mar 2026 01:59:59 Europe/Berlin", "2026-03-29T00:59:59Z"),
      ("Sun, 29 Mar 2026 03:00:00 Europe/Berlin", "2026-03-29T01:00:00Z"),
      ("2026-07-21 05:04:03 Singapore", "2026-07-20T21:04:03Z"),
    ])
  func namedZones(text: String, expected: String) {
    #expect(FeedDate(text)?.iso8601 == expected)
  }

  @Test("a month alone means its first day, and a date may have a zone without a time")
  func partial() {
    #expect(FeedDate("2026/11")?.iso8601 == "2026-11-01T00:00:00Z")
    #expect(FeedDate("Nov. 2026")?.iso8601 == "2026-11-01T00:00:00Z")
    #expect(FeedDate("2026-11-21+01:00")?.iso8601 == "2026-11-20T23:00:00Z")
    #expect(FeedDate("21.11.2026 -0500")?.iso8601 == "2026-11-21T05:00:00Z")
    #expect(FeedDate("05:04 02.01.2026 +0100")?.iso8601 == "2026-01-02T04:04:00Z")
    #expect(FeedDate("21 thg 11 2026 05:04")?.iso8601 == "2026-11-21T05:04:00Z")
    #expect(FeedDate("星期六, 21 十一月 2026 05:04:03 +0800")?.iso8601 == "2026-11-20T21:04:03Z")
  }

  @Test("the weekday decides between day and month")
  func weekday() {
    #expect(FeedDate("Mon, 02/03/2026")?.iso8601 == "2026-03-02T00:00:00Z")
    #expect(FeedDate("Tue, 02/03/2026")?.iso8601 == "2026-02-03T00:00:00Z")
    #expect(FeedDate("Fri, 02/03/2026") == nil)
    #expect(FeedDate("03/03/2026")?.iso8601 == "2026-03-03T00:00:00Z")
    #expect(FeedDate("02.03.2026")?.iso8601 == "2026-03-02T00:00:00Z")
  }

  @Test(
    "what can be read in two ways, or has a zone or word that is not known, is no date",
    arguments: [
      "02/03/2026", "02-03-2026", "01/02/03", "Sat, 21 Nov 2026 05:04:03 Mars/Olympus",
      "Sat, 21 Nov 2026 05:04:03 XYZT", "2026-11-21 05:04:03 Nowhere", "21 Nov 2026 one two", "21 Nov",
      "05:04",
      "5 minutes ago", "Sat, 21 Nov 2026 05:04:03 EST5EDT", "version 1.2.3", "31.02.2026",
      "2026-11-21 05:04:03 +9900", "21 Nov 2026 5:4:3:2",
      "12345678901234567890", "lorem ipsum 21 Nov 2026",
      "Sat, 30 Nov -0001 00:00:00 +0000", "Sat, x Nov 2026 05:04:03 GMT", "2026-11-21T05:04:03+00:xx",
      "2026-11-21T05:04:03-99:99", "2026-11-21T05:04:03+01:00extra", "2026-11-21-01",
    ])
  func refused(text: String) {
    #expect(FeedDate(text) == nil)
  }

  @Test(
    "further forms of dates, and texts that are nearly dates",
    arguments: [
      ("2026:11:21", true), ("2026:11:21:05", false), ("2026:1:21", false), ("2026:11:2", false),
      ("21 Nov '26", true), ("21 Nov ' 26", true), ("21 Nov '2026", true), ("21 Nov '26 '26", false),
      ("21 tháng 11 2026", true), ("21 tháng 2026", false), ("21 tháng 111 2026", false),
      ("21ª Nov 2026", true),
      ("21 st Nov 2026", false), ("21st Nov 2026", true), ("21e Nov 2026", true), ("2026 年 11 月 21 日", true),
      ("2026年2026年11月21日", false),
      ("2026年11月11月21日", false), ("2026年11月21日21日", false), ("21 Nov Dec 2026", false),
      ("Nov 21, 2026", true), ("21 | Nov | 2026", true), ("21_Nov_2026", false), ("21 # Nov 2026", false),
      ("1.2.3.4", false), ("ab", false), ("a1", false),
    ])
  func more(text: String, isRead: Bool) {
    #expect(FeedDate(text)?.iso8601 == (isRead ? "2026-11-21T00:00:00Z" : nil))
  }
}
