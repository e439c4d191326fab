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
    "a time after a date, in every spelling, or no date",
    arguments: [
      ("05:04", "05:04:00"), ("5:4", "05:04:00"), ("005:04", nil), ("05:123", nil), ("05:04:03", "05:04:03"),
      ("05:04:123", nil),
      ("05:04:03.5", "05:04:03.500"), ("05:04:03,25", "05:04:03.250"), ("05:04:03. 5", nil),
      ("05:04:03 .5", nil),
      ("05:04:03:00", "05:04:03"), ("05:04:03:25", nil), ("05:04:03:0", nil), ("05:04:03:01", nil),
      ("05:04:03:250", "05:04:03.250"), ("05:04:03.5:", nil), ("05:04:03:+0100", "04:04:03"),
      ("05:04 06:05", nil),
      ("05.04", "05:04:00"), ("05.04.03", "05:04:03"), ("05-04-03", "05:04:03"), ("05-04", nil),
      ("23.04", "23:04:00"),
      ("24.04", nil), ("05.59", "05:59:00"), ("05.60", nil), ("5.04", nil), ("05.4", nil), ("05 .04", nil),
      ("05. 04", nil),
      ("05.04.3", nil), ("05.04.61", nil), ("05.04 .03", nil), ("05.04. 03", nil), ("05.04-03", "08:04:00"),
      ("5h", "05:00:00"), ("5h04", "05:04:00"), ("5h4", "05:04:00"), ("5h04m03s", "05:04:03"),
      ("5h04min", "05:04:00"),
      ("5h04m03", "05:04:03"), ("5h04m123", nil), ("5h123", nil), ("005h", nil), ("5h04 7", nil),
      ("17 Uhr", "17:00:00"),
      ("05:04 5h", nil), ("5h04m03s 6", nil), ("5h04m03j", nil),
      ("5pm", "17:00:00"), ("5 am", "05:00:00"), ("5p", "17:00:00"), ("005pm", nil), ("05:04 p", "17:04:00"),
      ("05:04 a", "05:04:00"),
      ("0:04 pm", "00:04:00"), ("1:04 pm", "13:04:00"), ("11:04 pm", "23:04:00"), ("12:04 pm", "12:04:00"),
      ("12:04 am", "00:04:00"),
      ("13:04 pm", "13:04:00"), ("13:04 am", "13:04:00"), ("5:04 pm pm", nil), ("pm 5:04", "17:04:00"),
      ("pm 5", nil),
      ("下午5時", "17:00:00"), ("午後5時4分", "17:04:00"), ("pm 123:04", nil),
      ("noon", "12:00:00"), ("midi", "12:00:00"), ("midnight", "00:00:00"), ("minuit", "00:00:00"),
      ("05:04 noon", nil),
      ("", "00:00:00"), ("!", nil), ("05:04 !", nil), ("05:04 j j", nil),
    ] as [(String, String?)])
  func times(text: String, time: String?) {
    #expect(FeedDate("21.11.2026 \(text)")?.iso8601 == time.map { "2026-11-21T\($0)Z" })
  }

  @Test(
    "a zone after a time, in every spelling, or no date",
    arguments: [
      ("CET", "04:04:00"), ("cet", "04:04:00"), ("CET EST", "04:04:00"), ("+0200 CET", "03:04:00"),
      ("GMT+0100", "04:04:00"),
      ("Z", "05:04:00"), ("PT", "13:04:00"), ("AT", "09:04:00"), ("+ 0100", nil), ("+01000", nil),
      ("+0100000", nil),
      ("+013045", "03:34:00"), ("+1.30", "03:34:00"), ("+1:30", "03:34:00"), ("+1:3", nil), ("+1:", nil),
      ("+1 :30", nil),
      ("+1:30:0", nil), ("+1:30:00", "03:34:00"), ("-1:30", "06:34:00"), ("-0130", "06:34:00"),
      ("-1", "06:04:00"),
      ("+130", "03:34:00"), ("America/Argentina/Buenos_Aires", "08:04:00"), ("Etc/GMT+3", "08:04:00"),
      ("Europe /Berlin", nil),
      ("+0200 Europe/Berlin", "03:04:00"), ("(CET)", "04:04:00"), ("[CET]", "04:04:00"), ("(CET", nil),
      ("(CET]", nil),
      ("+0200 (CET)", "03:04:00"), ("(Europe/Berlin)", "04:04:00"), ("[Europe/Berlin]", "04:04:00"),
      ("[Europe/Berlin", nil),
      ("+0200 [Europe/Berlin]", "03:04:00"), ("(Central European Time)", "04:04:00"),
      ("(some words)", "05:04:00"),
      ("(Mars/Olympus)", nil), ("()", "05:04:00"), ("CÉT", nil), ("CET (EST)", "04:04:00"),
    ] as [(String, String?)])
  func zones(text: String, time: String?) {
    #expect(FeedDate("21.11.2026 05:04 \(text)")?.iso8601 == time.map { "2026-11-21T\($0)Z" })
  }

  @Test(
    "a sign between numbers joins a date, and after a date it begins an offset or a time",
    arguments: [
      ("05:04 21-11-2026", "2026-11-21T05:04:00Z"), ("05:04-21.11.2026", "2026-11-21T05:04:00Z"),
      ("21.11.2026 -0500", "2026-11-21T05:00:00Z"), ("21.11.2026-0500", nil), ("21.11.2026 -05", nil),
      ("21.11.2026 -050", nil),
      ("20261121 +0100", "2026-11-20T23:00:00Z"), ("20261121+0100", nil),
      ("202611210504+0100", "2026-11-21T04:04:00Z"),
      ("2026-11-21-05:00", "2026-11-21T05:00:00Z"), ("2026-11-21-05:15", "2026-11-21T05:15:00Z"),
      ("2026-11-21-06:45", "2026-11-21T06:45:00Z"), ("2026-11-21-05:04", "2026-11-21T05:04:00Z"),
      ("2026-11-21-05:00:00", "2026-11-21T05:00:00Z"), ("2026-11-21+05:00", "2026-11-20T19:00:00Z"),
      ("2026-11-21+05:04", nil), ("2026-11-21+05:00:00", nil), ("21 Nov 2026+05:00", "2026-11-20T19:00:00Z"),
      ("21 Nov+05:00", nil), ("21 Nov 2026 UTC", "2026-11-21T00:00:00Z"),
      ("21 Nov 2026 Z", "2026-11-21T00:00:00Z"),
      ("21 Nov 2026 PT", nil), ("21 Nov 2026 PST", "2026-11-21T08:00:00Z"), ("21 Nov Z 2026", nil),
    ] as [(String, String?)])
  func signs(text: String, expected: String?) {
    #expect(FeedDate(text)?.iso8601 == expected)
  }

  @Test(
    "one word of two letters that nobody knows may come before the date",
    arguments: [
      ("lördag 21 Nov 2026", true), ("xy 21 Nov 2026", true), ("x 21 Nov 2026", false),
      ("xy xy 21 Nov 2026", false),
      ("21 xy Nov 2026", false), ("Nov xy 21 2026", false), ("05:04 xy 21.11.2026", false),
      ("21 Nov 2026 xy", false),
    ])
  func unknownWord(text: String, isRead: Bool) {
    #expect((FeedDate(text)?.iso8601 == "2026-11-21T00:00:00Z") == isRead)
    if !isRead { #expect(FeedDate(text) == nil) }
  }

  @Test(
    "a dot between numbers puts the day first; any other dot says nothing",
    arguments: [
      ("02.03.2026", true), ("02/03.2026", true), ("02.03/2026", true), (". 02/03/2026", false),
      ("Xy. 02/03/2026", false),
      ("02/03/2026.", false), ("02/03/2026 . Z", false),
    ])
  func dots(text: String, isRead: Bool) {
    #expect(FeedDate(text)?.iso8601 == (isRead ? "2026-03-02T00:00:00Z" : nil))
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

  @Test("a text of 3 to 100 bytes can be a date")
  func length() {
    for (count, isRead) in [(90, true), (91, false)] {
      #expect(
        (FeedDate("20261121 (\(String(repeating: "x", count: count - 1)))") != nil) == isRead, "\(count)")
    }
    #expect(FeedDate("26") == nil)
  }
}
