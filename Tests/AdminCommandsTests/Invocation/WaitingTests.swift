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
    "on a terminal a pause counts down each second, and is gone when it is over",
    arguments: [
      (40, ["service unavailable, giving up in 1m3s", "service unavailable 1s, 1m2s left"]),
      (
        80,
        [
          "service unavailable, trying again in 3s, giving up in 1m3s",
          "service unavailable for 1s, trying again in 2s, giving up in 1m2s",
        ]
      ),
      (
        110,
        [
          "service unavailable (records/query: HTTP status 503), trying again in 3s, giving up in 1m3s",
          "service unavailable (records/query: HTTP status 503) for 1s, trying again in 2s, giving up in 1m2s",
        ]
      ),
    ])
  func countdown(_ width: Int, _ expected: [String]) async throws {
    let test = try TestProcess(terminalWidth: width)
    let context = try await test.context()
    let end = context.waits.begin(Self.wait)
    #expect(shown(test) == expected[0])
    test.pass(milliseconds: 1_000)
    context.live.draw()
    #expect(shown(test) == expected[1])
    end()
    #expect(shown(test) == "")
  }

  @Test("a terminal that becomes narrower gets a shorter line in place of the wrapped one")
  func resize() async throws {
    let test = try TestProcess(terminalWidth: 110)
    let context = try await test.context()
    let end = context.waits.begin(Self.wait)
    // 92 columns are now three rows of 40.
    test.resize(columns: 40)
    test.pass(milliseconds: 1_000)
    context.live.draw()
    #expect(test.err.hasSuffix("\r\u{1B}[2A\u{1B}[Jservice unavailable 1s, 1m2s left\u{1B}[K"))
    test.resize(columns: 110)
    test.pass(milliseconds: 1_000)
    context.live.draw()
    #expect(shown(test).hasSuffix("for 2s, trying again in 1s, giving up in 1m1s"))
    end()
  }

  @Test("elsewhere a log has each pause once, with its real length, whatever number of requests wait")
  func log() async throws {
    let test = try TestProcess()
    let context = try await test.context()
    var short = Self.wait
    short.pause = .milliseconds(500)
    let ends = [short, Self.wait, Self.wait].map(context.waits.begin)
    test.pass(milliseconds: 500)
    let late = context.waits.begin(Self.wait)
    #expect(
      test.err
        == "service unavailable (records/query: HTTP status 503), trying again in 3s, giving up in 1m3s\n")
    (ends + [late]).forEach { $0() }
    var long = Self.wait
    (long.elapsed, long.pause, long.limit) = (.seconds(20), .seconds(60), .seconds(60))
    long.attempt = .seconds(180)
    test.pass(milliseconds: 2_500)
    _ = context.waits.begin(long)
    #expect(
      test.err.hasSuffix(
        "\nservice unavailable (records/query: HTTP status 503) for 20s, trying again for the last time in 1m, "
          + "which may take 3m\n"
      ))
    for _ in 0..<60 {
      test.pass(milliseconds: 1_000)
      context.live.draw()
    }
    #expect(test.err.split(separator: "\n").count == 2)
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

  /// A site that answers when the test lets it.
  private struct SlowSite: HTTPTransport {
    let answer: AsyncStream<Void>

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      for await _ in answer { break }
      return HTTPResponse(status: 404, headers: [], body: [], finalURL: request.url)
    }
  }

  @Test("a page that takes longer than a second is named, without what may be secret in its address")
  func fetching() async throws {
    let test = try TestProcess(terminalWidth: 80)
    let context = try await test.context()
    let (answer, signal) = AsyncStream.makeStream(of: Void.self)
    let transport = context.reporting(SlowSite(answer: answer))
    let request = HTTPRequest(
      url: "https://user:secret@slow.example/feeds/all.xml?key=secret",
      limits: HTTPLimits(totalTimeout: .seconds(20)))
    async let response = transport.send(request)
    while !context.live.isWaiting { await Task.yield() }
    test.pass(milliseconds: 1_000)
    context.live.draw()
    #expect(shown(test) == "fetching slow.example/feeds/all.xml for 1s, giving up in 19s")
    signal.yield()
    #expect(try await response.status == 404)
    #expect(shown(test) == "")
    #expect(!test.err.contains("secret"))
  }
}
