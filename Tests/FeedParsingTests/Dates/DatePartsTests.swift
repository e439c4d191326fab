import Testing

@testable import FeedParsing

@Suite struct DatePartsTests {
  /// The date that parts make: `-` for none, `refused` when one of the parts is not taken.
  private func date(_ steps: ((inout DateParts) -> Bool)...) -> String {
    var parts = DateParts()
    for step in steps where !step(&parts) { return "refused" }
    return parts.resolved?.date.map { String($0.iso8601.prefix(10)) } ?? "-"
  }

  /// Adds the numbers of a text, such as `21 11 2026`.
  private func numbers(_ text: String) -> (inout DateParts) -> Bool {
    { parts in
      text.split(separator: " ").allSatisfy { parts.add(Int($0) ?? 0, $0.count) }
    }
  }

  @Test(
    "three numbers have an order when only one makes a date",
    arguments: [
      ("2026 11 21", "2026-11-21"), ("2026 02 03", "2026-02-03"), ("21 11 2026", "2026-11-21"),
      ("11 21 2026", "2026-11-21"),
      ("02 03 2026", "-"), ("03 03 2026", "2026-03-03"), ("13 12 2026", "2026-12-13"),
      ("12 13 2026", "2026-12-13"),
      ("12 12 2026", "2026-12-12"), ("12 11 2026", "-"), ("31 11 2026", "-"), ("32 01 26", "2032-01-26"),
      ("31 01 26", "2026-01-31"),
      ("31 12 5", "-"), ("31 12 05", "2005-12-31"), ("13 13 2026", "-"), ("026 11 21", "0026-11-21"),
      ("2026 13 01", "-"),
      ("99 11 21", "1999-11-21"), ("21 11", "-"), ("2026 11", "2026-11-01"), ("11 2026", "2026-11-01"),
      ("2026", "-"), ("21", "-"),
      ("2026 13", "-"), ("21 11 26 05", "refused"), ("0099 11 21", "refused"), ("0100 11 21", "0100-11-21"),
      ("099 11 21", "0099-11-21"),
      ("202611 21", "refused"), ("21 202611", "refused"),
    ])
  func numeric(text: String, expected: String) {
    #expect(date(numbers(text)) == expected)
  }

  @Test(
    "one long number is a day, a day with a time, or seconds or milliseconds since 1970",
    arguments: [
      ("20261121", "2026-11-21T00:00:00Z"), ("202611210504", "2026-11-21T05:04:00Z"),
      ("20261121050403", "2026-11-21T05:04:03Z"),
      ("202612312359", "2026-12-31T23:59:00Z"), ("20261231235958", "2026-12-31T23:59:58Z"),
      ("1795237443", "2026-11-21T05:04:03Z"), ("1795237443250", "2026-11-21T05:04:03.250Z"),
      ("1000000000", "2001-09-09T01:46:40Z"),
      ("20261321", "-"), ("202611212504", "-"), ("12345", "-"), ("123456", "-"), ("1234567", "-"),
      ("123456789", "-"),
      ("12345678901", "-"), ("123456789012345", "-"),
    ])
  func compact(text: String, expected: String) {
    var parts = DateParts()
    let isTaken = parts.add(Int(text) ?? 0, text.count)
    #expect(isTaken == [8, 10, 12, 13, 14].contains(text.count))
    #expect((parts.resolved?.date?.iso8601 ?? "-") == expected)
    #expect(parts.hasCompactTime == (isTaken && text.count > 8))
    #expect(parts.isComplete == isTaken && parts.isDateLike == isTaken && parts.isEmpty == !isTaken)
  }

  @Test("nothing is added to one long number, and it is the first part")
  func compactAlone() {
    #expect(date(numbers("20261121"), { $0.add(5, 1) }) == "refused")
    #expect(date({ $0.add(5, 1) }, numbers("20261121")) == "refused")
    #expect(date({ $0.year(2026) }, numbers("20261121")) == "refused")
    #expect(date({ $0.set(day: 5) }, numbers("20261121")) == "refused")
    #expect(date(numbers("20261121"), { $0.take(monthName: 5) }) == "-")
  }

  @Test("with the name of a month, the other numbers are the year and the day")
  func named() {
    let november: (inout DateParts) -> Bool = { $0.take(monthName: 11) }
    #expect(date(numbers("21"), november, numbers("2026")) == "2026-11-21")
    #expect(date(numbers("2026"), november, numbers("21")) == "2026-11-21")
    #expect(date(numbers("21"), november, numbers("26")) == "2026-11-21")
    #expect(date(numbers("31"), november, numbers("30")) == "-")
    #expect(date(numbers("32"), november, numbers("21")) == "2032-11-21")
    #expect(date(numbers("026"), november, numbers("21")) == "0026-11-21")
    #expect(date(november, numbers("2026")) == "2026-11-01")
    #expect(date(november, numbers("21")) == "-")
    #expect(date(november) == "-")
    #expect(date(november, numbers("21 22 2026")) == "-")
    #expect(date(november, { $0.set(day: 21) }, numbers("2026")) == "2026-11-21")
    #expect(date(november, { $0.set(day: 21) }) == "-")
    #expect(date(november, { $0.year(2026) }) == "-")
    #expect(date(november, { $0.year(2026) }, numbers("21")) == "2026-11-21")
    #expect(date(november, { $0.year(2026) }, { $0.set(day: 21) }, numbers("5")) == "-")
  }

  @Test("parts that are named by signs are taken once, and numbers fill what is left")
  func signs() {
    #expect(date({ $0.year(2026) }, { $0.set(month: 11) }, { $0.set(day: 21) }) == "2026-11-21")
    #expect(date({ $0.year(2026) }, { $0.year(2026) }) == "refused")
    #expect(date({ $0.set(month: 1) }, { $0.set(month: 1) }) == "refused")
    #expect(date({ $0.set(day: 1) }, { $0.set(day: 1) }) == "refused")
    #expect(date({ $0.year(2026) }, numbers("11 21")) == "2026-11-21")
    #expect(date({ $0.year(2026) }, numbers("02 03")) == "-")
    #expect(date({ $0.year(2026) }, numbers("11")) == "-")
    #expect(date({ $0.set(day: 21) }, numbers("11 2026")) == "2026-11-21")
    #expect(date({ $0.set(day: 21) }, numbers("11 26")) == "2026-11-21")
    #expect(date({ $0.year(2026) }, { $0.set(month: 11) }) == "-")
    #expect(date({ $0.year(2026) }, { $0.set(month: 11) }, numbers("5")) == "2026-11-05")
  }

  @Test("the name of a month counts once, unless the first may have been a weekday")
  func uncertainMonth() {
    // `mar, 03 juin`: the first word is a Tuesday in French.
    #expect(date({ $0.take(monthName: 3) }, { $0.take(monthName: 6) }, numbers("3 2025")) == "2025-06-03")
    #expect(
      date({ $0.take(monthName: 3) }, { $0.take(monthName: 6) }, { $0.take(monthName: 7) }) == "refused")
    #expect(date(numbers("3"), { $0.take(monthName: 3) }, { $0.take(monthName: 6) }) == "refused")
    let weekday: (inout DateParts) -> Bool = {
      $0.weekday = 2
      return true
    }
    #expect(date(weekday, { $0.take(monthName: 3) }, { $0.take(monthName: 6) }) == "refused")
    #expect(date({ $0.set(month: 3) }, { $0.take(monthName: 6) }) == "refused")
  }

  @Test("the weekday or dots decide between day and month")
  func decided() {
    for (weekday, expected) in [(1, "2026-03-02"), (2, "2026-02-03"), (5, "-")] {
      #expect(
        date(
          {
            $0.weekday = weekday
            return true
          }, numbers("02 03 2026")) == expected)
    }
    #expect(
      date(
        {
          $0.isDotted = true
          return true
        }, numbers("02 03 2026")) == "2026-03-02")
    #expect(
      date(
        {
          $0.isDotted = true
          return true
        }, numbers("11 21 2026")) == "2026-11-21")
  }

  @Test("the year of an era, and Thai years, have another beginning")
  func eras() {
    for (name, first) in [("reiwa", 2019), ("heisei", 1989), ("showa", 1926), ("minguo", 1912)] {
      let era = DateParts.eras[name] ?? 0
      #expect(date({ $0.begin(era: era) }, { $0.year(1) }, numbers("11 21")) == "\(first)-11-21", "\(name)")
      #expect(date({ $0.begin(era: era) }, numbers("1 02 03")) == "\(first)-02-03", "\(name)")
    }
    for (year, expected) in [(2569, "2026"), (2401, "1858"), (2400, "2400"), (2026, "2026")] {
      #expect(
        date(
          {
            $0.isThai = true
            return true
          }, { $0.year(year) }, { $0.set(month: 11) }, { $0.set(day: 21) }) == "\(expected)-11-21")
    }
    #expect(date({ $0.year(2569) }, { $0.set(month: 11) }, { $0.set(day: 21) }) == "2569-11-21")
  }

  @Test("parts are empty, like a date or complete")
  func states() {
    func state(_ steps: ((inout DateParts) -> Bool)...) -> String {
      var parts = DateParts()
      for step in steps where !step(&parts) { return "refused" }
      return (parts.isEmpty ? "empty " : "") + (parts.isDateLike ? "like " : "")
        + (parts.isComplete ? "complete" : "")
    }
    #expect(state() == "empty ")
    for step in [
      { $0.year(1) }, { $0.set(month: 1) }, { $0.set(day: 1) }, { $0.add(1, 1) }, { $0.take(monthName: 1) },
    ]
      as [(inout DateParts) -> Bool]
    {
      #expect(state(step) == "")
    }
    #expect(state(numbers("1 2")) == "" && state(numbers("1 2 3")) == "like complete")
    #expect(state(numbers("1 2"), { $0.set(month: 1) }) == "like complete")
    #expect(state(numbers("1"), { $0.set(month: 1) }) == "")
    #expect(state({ $0.year(1) }, { $0.set(month: 1) }) == "")
    #expect(state({ $0.year(1) }, { $0.set(month: 1) }, { $0.set(day: 1) }) == "like complete")
  }
}
