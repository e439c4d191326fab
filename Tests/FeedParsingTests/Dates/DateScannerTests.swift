import Testing

@testable import FeedParsing

@Suite struct DateScannerTests {
  private func scan<Result>(_ text: String, _ body: (inout DateScanner) -> Result) -> (
    result: Result, position: Int
  ) {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = DateScanner(bytes)
      let result = body(&scanner)
      return (result, scanner.position)
    }
  }

  @Test("the scanner looks ahead and stops at the end")
  func ahead() {
    _ = scan("ab") { scanner in
      #expect(scanner.peek == UInt8(ascii: "a") && scanner.peek(at: 0) == UInt8(ascii: "a"))
      #expect(scanner.peek(at: 1) == UInt8(ascii: "b") && scanner.peek(at: 2) == nil)
      #expect(!scanner.isAtEnd)
      let taken = [scanner.take(UInt8(ascii: "b")), scanner.take(UInt8(ascii: "a"))]
      #expect(taken == [false, true])
      #expect(scanner.position == 1)
      scanner.advance()
      #expect(scanner.position == 2 && scanner.isAtEnd && scanner.peek == nil)
      scanner.advance(5)
      #expect(scanner.position == 2)
    }
    #expect(scan("  \ta") { $0.skipSpaces() }.position == 3)
    #expect(scan("ab c") { scanner in String(decoding: scanner.token(), as: UTF8.self) } == ("ab", 2))
    #expect(scan("ab") { scanner in String(decoding: scanner.token(), as: UTF8.self) } == ("ab", 2))
    #expect(scan("123a") { $0.digitsAhead } == (3, 0))
    #expect(scan("12") { $0.digitsAhead } == (2, 0))
    #expect(scan("a1") { $0.digitsAhead } == (0, 0))
  }

  @Test("a number has up to nine digits")
  func numbers() {
    for (text, value, digits) in [
      ("7", 7, 1), ("042x", 42, 3), ("123456789", 123_456_789, 9), ("1234567890", 123_456_789, 9),
    ] {
      let (number, position) = scan(text) { $0.number() }
      #expect(number?.value == value && number?.digits == digits && position == digits, "\(text)")
    }
    for text in ["", "x1", "/", ":"] { #expect(scan(text) { $0.number() == nil } == (true, 0), "\(text)") }
  }

  @Test("digits are exactly as many as wanted, and none is read when there are fewer")
  func digits() {
    #expect(scan("0425") { $0.digits(2) } == (4, 2))
    #expect(scan("42") { $0.digits(2) } == (42, 2))
    #expect(scan("4") { $0.digits(2) } == (nil, 0))
    #expect(scan("4x") { $0.digits(2) } == (nil, 0))
  }

  @Test(
    "a time has hours and minutes, perhaps seconds, perhaps a fraction",
    arguments: [
      ("5:04", [5, 4, 0, 0], 4), ("05:04 x", [5, 4, 0, 0], 5), ("05:4", [5, 4, 0, 0], 4),
      ("05:04:03", [5, 4, 3, 0], 8),
      ("05:04:3", [5, 4, 3, 0], 7), ("05:04:03.25", [5, 4, 3, 250], 11), ("05:04:03,5Z", [5, 4, 3, 500], 10),
      ("05:04:03.1234567890123", [5, 4, 3, 123], 22), ("05:04:03;5", [5, 4, 3, 0], 8),
      ("123:04", nil, nil), ("05", nil, nil), ("05:", nil, nil), ("05:123", nil, nil), ("05.04", nil, nil),
      ("", nil, nil),
      ("05:04:", nil, nil), ("05:04:123", nil, nil), ("05:04:03.", nil, nil), ("05:04:03.x", nil, nil),
    ] as [(String, [Int]?, Int?)])
  func times(text: String, expected: [Int]?, position: Int?) {
    let (parts, end) = scan(text) { scanner in
      var civil = CivilTime()
      let isTime = scanner.time(into: &civil)
      return isTime ? [civil.hour, civil.minute, civil.second, civil.millisecond] : nil
    }
    #expect(parts == expected)
    if let position { #expect(end == position) }
  }

  @Test(
    "an offset is hours, or hours and minutes with or without a colon",
    arguments: [
      ("+2", 120), ("-2", -120), ("+02", 120), ("+02:30", 150), ("-2:30", -150), ("+0230", 150),
      ("-0230", -150), ("+230", 150),
      ("+02:59", 179), ("+02:60", nil), ("+02:3", nil), ("+02:", nil), ("+02:x0", nil), ("+12345", nil),
      ("+", nil), ("02", nil),
      ("", nil), ("*02", nil), ("+0000", 0), ("+1000", 600),
    ] as [(String, Int?)])
  func offsets(text: String, expected: Int?) {
    #expect(scan(text) { $0.offset() }.result == expected)
  }
}
