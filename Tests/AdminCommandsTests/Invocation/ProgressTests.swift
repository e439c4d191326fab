import CloudKitModel
import Diagnostics
import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite("Progress") struct ProgressTests {
  private let plain = TerminalStyle(isColored: false)

  @Test("the bar fills with what is done")
  func bar() {
    let texts = [0, 1, 2, 4].map {
      ProgressBar(title: "count", done: $0, total: 4, elapsed: 0).text(width: 60, plain).description
    }
    #expect(texts[0] == "count [\(String(repeating: " ", count: 39))]   0% 0 of 4")
    #expect(texts[1].hasPrefix("count [=========   "))
    #expect(texts[2].contains(" 50% 2 of 4"))
    #expect(texts[3] == "count [\(String(repeating: "=", count: 39))] 100% 4 of 4")
  }

  @Test("it never fills a line, whatever the width", arguments: [0, 1, 2, 10, 29, 30, 40, 80, 500])
  func width(_ width: Int) {
    let text = ProgressBar(title: "health check", done: 12_345, total: 20_000, elapsed: 0).text(
      width: width, plain
    )
    .description
    #expect(text.count <= max(0, width - 1))
    #expect(text.contains("[") == (width >= 60))
  }

  @Test("impossible counts still draw a bar", arguments: [(0, 0), (7, 3), (-1, 3)])
  func odd(_ done: Int, _ total: Int) {
    #expect(
      ProgressBar(title: "x", done: done, total: total, elapsed: 0).text(width: 80, plain).description
        .contains("["))
  }

  @Test(
    "on a terminal the bar is drawn at most ten times a second, and wiped before anything else is written")
  func terminal() async throws {
    let test = try TestProcess(terminalWidth: 80)
    let context = try await test.context()
    let progress = context.progress(of: "seed apply")
    progress(1, 10)
    test.pass(milliseconds: 99)
    progress(2, 10)
    #expect(test.err.contains("1 of 10"))
    #expect(!test.err.contains("2 of 10"))
    test.pass(milliseconds: 1)
    progress(3, 10)
    #expect(test.err.hasPrefix("\rseed apply ["))
    #expect(test.err.hasSuffix("3 of 10\u{1B}[K"))
    context.note("done")
    #expect(test.err.hasSuffix("3 of 10\u{1B}[K\r\u{1B}[Kdone\n"))
  }

  @Test("elsewhere it is a line every five seconds, and none before")
  func lines() async throws {
    let test = try TestProcess()
    let progress = try await test.context().progress(of: "seed apply")
    progress(1, 10)
    test.pass(milliseconds: 4_999)
    progress(2, 10)
    #expect(test.err.isEmpty)
    test.pass(milliseconds: 1)
    progress(3, 10)
    progress(4, 10)
    #expect(test.err == "seed apply: 3 of 10, about 12 s left\n")
  }

  @Test("the remaining time is estimated from two seconds on, in minutes when it is long")
  func remaining() {
    func line(_ done: Int, _ total: Int, _ elapsed: Double) -> String {
      ProgressBar(title: "x", done: done, total: total, elapsed: elapsed).line.description
    }
    #expect(line(1, 2, 1.9) == "x: 1 of 2")
    #expect(line(1, 2, 2) == "x: 1 of 2, about 2 s left")
    #expect(line(1, 100, 2) == "x: 1 of 100, about 4 min left")
    #expect(line(0, 2, 10) == "x: 0 of 2")
    #expect(line(2, 2, 10) == "x: 2 of 2")
  }

  @Test("records read are counted from one second on, until a command shows its own progress")
  func reading() async throws {
    let test = try TestProcess(terminalWidth: 80)
    let context = try await test.context()
    let reading = context.readingProgress()
    test.pass(milliseconds: 999)
    reading(200)
    #expect(test.err.isEmpty)
    test.pass(milliseconds: 1)
    reading(400)
    #expect(test.err == "\rreading: 400 records\u{1B}[K")
    test.pass(milliseconds: 100)
    context.progress(of: "seed apply")(1, 2)
    test.pass(milliseconds: 100)
    reading(600)
    #expect(!test.err.contains("600"))
  }

  @Test("a notice of a pause is shown beside any progress, and ends none")
  func notices() async throws {
    let test = try TestProcess(terminalWidth: 80)
    let context = try await test.context()
    let (reading, notice) = (context.readingProgress(), context.waitingNotice())
    notice("busy")
    #expect(test.err.hasSuffix("\rbusy\u{1B}[K"))
    test.pass(milliseconds: 1_000)
    reading(200)
    #expect(test.err.hasSuffix("\rreading: 200 records\u{1B}[K"))
    context.progress(of: "seed apply")(1, 2)
    test.pass(milliseconds: 100)
    notice("busy again")
    #expect(test.err.hasSuffix("\rbusy again\u{1B}[K"))
  }

  @Test("a terminal that cannot go back gets lines; -q gets nothing; colours are left out when unwanted")
  func limits() async throws {
    let dumb = try TestProcess(terminalWidth: 80)
    let lines = try await dumb.context(["TERM": "dumb"]).progress(of: "x")
    dumb.pass(milliseconds: 5_000)
    lines(1, 2)
    #expect(dumb.err == "x: 1 of 2, about 5 s left\n")

    let quiet = try TestProcess(terminalWidth: 80)
    var options = SharedOptionValues()
    options.quiet = true
    let nothing = try await quiet.context([:], options).progress(of: "x")
    nothing(1, 2)
    #expect(quiet.err.isEmpty)

    for (environment, isColored) in [(["NO_COLOR": "1"], false), ([:], true)] {
      let test = try TestProcess(terminalWidth: 80)
      let bar = try await test.context(environment).progress(of: "x")
      bar(1, 2)
      #expect(test.err.contains("\u{1B}[32m") == isColored)
    }
  }

  @Test("no total ends the process, and of a made-up one the time is not estimated")
  func extremes() {
    for (done, total, elapsed) in [
      (1, Int.max, 1e9), (1, Int.max, 3.0), (Int.max - 1, Int.max, 1e300),
      (1, 2, Double.greatestFiniteMagnitude),
      (1, 2, .infinity), (1, 2, .nan),
    ] {
      let line = ProgressBar(title: "x", done: done, total: total, elapsed: elapsed).line.description
      #expect(line == "x: \(done) of \(total)", "\(elapsed)")
    }
    #expect(
      ProgressBar(title: "x", done: 1, total: 3, elapsed: 4_320_000).line.description.contains(
        "about 144000 min"))
  }
}
