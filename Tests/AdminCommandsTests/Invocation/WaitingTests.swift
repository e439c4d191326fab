import CloudKitModel
import Diagnostics
import HTTPTransport
import Testing

@testable import AdminCommands
@testable import CommandLine

/// What a user sees while a command waits, with time that only the test moves.
@Suite("Waiting") struct WaitingTests {
  private static let wait = Wait(
    "service unavailable", detail: "service unavailable (records/query: HTTP status 503)", pause: .seconds(3),
    limit: .seconds(63))

  /// What the status line showed last.
  private func shown(_ test: TestProcess) -> String {
    String(test.err.split(separator: "\r", omittingEmptySubsequences: false).last ?? "")
      .replacing("\u{1B}[K", with: "")
  }

  @Test(
    "a wait for an event is shown after a second on a terminal; a log has it after five and then now and then"
  )
  func events() async throws {
    let terminal = try TestProcess(terminalWidth: 80)
    let context = try await terminal.context()
    let end = context.waits.begin(Wait("fetching slow.example", limit: .seconds(30)))
    terminal.pass(milliseconds: 999)
    context.live.draw()
    #expect(terminal.err.isEmpty)
    terminal.pass(milliseconds: 1)
    context.live.draw()
    #expect(shown(terminal) == "fetching slow.example for 1s, giving up in 29s")
    end()

    let log = try TestProcess()
    let other = try await log.context()
    _ = other.waits.begin(Wait("another run holds the lease", limit: .seconds(600)))
    for _ in 0..<40 {
      log.pass(milliseconds: 1_000)
      other.live.draw()
    }
    #expect(
      log.err
        == """
        another run holds the lease for 5s, giving up in 9m55s
        another run holds the lease for 35s, giving up in 9m25s

        """)
  }

  @Test("of several waits the one that has lasted longest is shown, with the progress that it holds up")
  func several() async throws {
    let test = try TestProcess(terminalWidth: 100)
    let context = try await test.context()
    let progress = context.progress(of: "health check")
    progress(149, 150)
    let first = context.waits.begin(Wait("fetching a.example", limit: .seconds(30)))
    test.pass(milliseconds: 500)
    let second = context.waits.begin(Wait("fetching b.example", limit: .seconds(30)))
    test.pass(milliseconds: 1_500)
    context.live.draw()
    #expect(shown(test) == "health check 149 of 150: fetching a.example for 2s, giving up in 28s")
    first()
    context.live.draw()
    #expect(shown(test) == "health check 149 of 150: fetching b.example for 1s, giving up in 29s")
    // As long as others make progress, the bar is shown.
    progress(150, 200)
    test.pass(milliseconds: 100)
    context.live.draw()
    #expect(shown(test).contains("] "))
    test.pass(milliseconds: 1_899)
    context.live.draw()
    #expect(shown(test).contains("] "))
    test.pass(milliseconds: 1)
    context.live.draw()
    #expect(shown(test) == "health check 150 of 200: fetching b.example for 3s, giving up in 27s")
    second()
    context.live.draw()
    #expect(shown(test).contains("] "))
  }

  @Test("with -q only a terminal shows waits; nothing is shown over a prompt, or after the command has ended")
  func silence() async throws {
    var options = SharedOptionValues()
    options.quiet = true
    let log = try TestProcess()
    _ = try await log.context([:], options).waits.begin(Self.wait)
    #expect(log.err.isEmpty)
    let quiet = try TestProcess(terminalWidth: 80)
    let shownQuietly = try await quiet.context([:], options)
    _ = shownQuietly.waits.begin(Self.wait)
    #expect(shown(quiet) == "service unavailable, trying again in 3s, giving up in 1m3s")

    let asking = try TestProcess(answers: ["yes"], terminalWidth: 80)
    let context = try await asking.context()
    let status = context.process.console.status
    status.hidden {
      _ = context.waits.begin(Self.wait)
      context.live.draw()
      #expect(asking.err.isEmpty)
    }
    context.live.draw()
    #expect(shown(asking).hasPrefix("service unavailable"))
    context.live.end()
    let printed = asking.err
    _ = context.waits.begin(Self.wait)
    context.live.draw()
    #expect(asking.err == printed)
  }
}
