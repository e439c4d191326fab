import Diagnostics
import Synchronization
import Testing

/// What a run says of its waits.
@Suite struct WaitTests {
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
