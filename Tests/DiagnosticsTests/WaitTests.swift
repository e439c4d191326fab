import Diagnostics
import Synchronization
import Testing

/// What a run says of its waits.
@Suite struct WaitTests {
  @Test("a wait lasts for its pause, unless it may end earlier or ends with an event")
  func certainDuration() {
    var wait = Wait("service unavailable", pause: .seconds(3))
    #expect(wait.certainDuration == .seconds(3))
    wait.mayEndEarlier = true
    #expect(wait.certainDuration == .zero)
    #expect(Wait("another run").certainDuration == .zero)
  }

  @Test("the detail is the reason, unless there is more to say; an attempt follows, then the end")
  func defaults() {
    let wait = Wait("throttled")
    #expect(wait.detail == "throttled")
    #expect(wait.next == "trying again")
    #expect(wait.end == "giving up")
    #expect(wait.elapsed == .zero)
    #expect(Wait("throttled", detail: "throttled by api.example").detail == "throttled by api.example")
  }

  @Test("a reporter is called at the beginning and at the end, also when the body throws")
  func reporter() async throws {
    let said = Mutex<[String]>([])
    let reporter = WaitReporter { wait in
      said.withLock { $0.append("begin \(wait.reason)") }
      return { said.withLock { $0.append("end \(wait.reason)") } }
    }
    let value = await reporter.during(Wait("a")) {
      said.withLock { $0.append("body") }
      return 7
    }
    #expect(value == 7)
    await #expect(throws: CancellationError.self) {
      try await reporter.during(Wait("b")) { throw CancellationError() }
    }
    #expect(said.withLock { $0 } == ["begin a", "body", "end a", "begin b", "end b"])
  }
}
