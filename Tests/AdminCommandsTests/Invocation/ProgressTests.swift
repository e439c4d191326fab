import CloudKitModel
import Diagnostics
import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite("Progress") struct ProgressTests {
  private let plain = TerminalStyle(isColored: false)

  private func bar(_ done: Int, _ total: Int?, _ title: String = "x") -> WorkProgress {
    WorkProgress(title, done: done, total: total, at: .zero)
  }

  @Test("while a command still works, what is counted is never shown as complete")
  func complete() {
    let cases: [(Int, Int?, String)] = [
      (35, 35, "x 35 done, finishing"), (36, 35, "x 36 done, finishing"), (7, nil, "x 7 done"),
    ]
    for (done, total, words) in cases {
      #expect(bar(done, total).text(at: .zero, width: 80, plain).description == words)
      #expect(bar(done, total).line(at: .zero).description == words)
    }
    #expect(bar(999, 1_000).text(at: .zero, width: 80, plain).description.contains(" 99% 999 of 1000"))
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
    test.pass(milliseconds: 4_899)
    progress(2, 10)
    #expect(test.err.isEmpty)
    test.pass(milliseconds: 101)
    progress(3, 10)
    progress(4, 10)
    #expect(test.err == "seed apply 3 of 10\n")
  }

  /// Work of so many steps, each of the same size and length.
  private func work(_ steps: Int, of size: Int, each: Duration, total: Int) -> WorkProgress {
    var work = WorkProgress("x", done: 0, total: total, at: .zero)
    for step in 1...steps { work.update(done: step * size, total: total, at: each * step) }
    return work
  }

  @Test("it counts down with the time, and is not shown while the next step takes longer, or near the end")
  func contradicted() {
    let work = work(4, of: 20, each: .seconds(10), total: 100)
    #expect(work.remaining(at: .seconds(40)) == .seconds(10))
    #expect(work.remaining(at: .seconds(43)) == .seconds(7))
    #expect(work.remaining(at: .seconds(46)) == nil)
    let slow = self.work(149, of: 1, each: .seconds(1), total: 250)
    #expect(slow.remaining(at: .seconds(149)) == .seconds(101))
    #expect(slow.remaining(at: .seconds(151)) == .seconds(99))
    #expect(slow.remaining(at: .seconds(152)) == nil)
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

  @Test("a terminal that cannot go back gets lines; -q gets nothing; colours are left out when unwanted")
  func limits() async throws {
    let dumb = try TestProcess(terminalWidth: 80)
    let lines = try await dumb.context(["TERM": "dumb"]).progress(of: "x")
    dumb.pass(milliseconds: 5_000)
    lines(1, 2)
    #expect(dumb.err == "x 1 of 2\n")

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
}
