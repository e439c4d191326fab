import CloudKitModel
import HTMLWriting
import Testing

@testable import WebConsole

@Suite struct ConsolePartsTests {
  @Test("a cell shows 200 characters", arguments: [(0, 0), (199, 199), (200, 200), (201, 200), (999, 200)])
  func shortened(count: Int, shown: Int) {
    let text = ConsoleParts.shortened(String(repeating: "x", count: count))
    #expect(text.count == shown && text.hasSuffix("…") == (count > 200))
  }

  @Test("only a short value is cut")
  func values() {
    let long = FieldValue.string(String(repeating: "x", count: 300))
    #expect(
      ConsoleParts.value(long, isShort: true).description
        == "<bdi>\(String(repeating: "x", count: 199))…</bdi>")
    #expect(
      ConsoleParts.value(long, isShort: false).description
        == "<bdi>\(String(repeating: "x", count: 300))</bdi>")
  }

  @Test("a time has its exact moment; a year that no browser knows is a number")
  func times() {
    let time = """
      <time datetime="1970-01-01T00:00:00Z" title="1970-01-01T00:00:00Z">1970-01-01 00:00:00 UTC</time>
      """
    #expect(ConsoleParts.time(Timestamp(milliseconds: 0)).description == time)
    #expect(ConsoleParts.time(Timestamp(milliseconds: .max)).description == "9223372036854775807")
    let list = FieldValue.list(
      of: .timestamp, [.timestamp(Timestamp(milliseconds: 0)), .timestamp(Timestamp(milliseconds: 0))])
    #expect(ConsoleParts.value(list, isShort: false).description == "\(time), \(time)")
    #expect(
      ConsoleParts.value(list, isShort: true).description
        == "<bdi>[1970-01-01T00:00:00Z, 1970-01-01T00:00:00Z]</bdi>")
  }

  @Test("a record name to copy is short only where it is asked for")
  func names() {
    #expect(
      ConsoleParts.copied("n", isShort: true).description
        == "<bdi data-copied class=\"id\" title=\"n\">n</bdi>")
    #expect(ConsoleParts.copied("n", isShort: false).description == "<bdi data-copied title=\"n\">n</bdi>")
  }
}
