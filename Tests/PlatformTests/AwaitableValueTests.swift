import Platform
import Testing

@Suite(.timeLimit(.minutes(1))) struct AwaitableValueTests {
  @Test("every waiting task sees each change once, until its own condition is met")
  func changes() async throws {
    let value = AwaitableValue(0)
    let looks = AwaitableValue<[Int: [Int]]>([:])
    let tasks = (1...3).map { goal in
      Task {
        try await value.wait { state -> Int? in
          looks.update { [state] in $0[goal, default: []].append(state) }
          return state >= goal ? state : nil
        }
      }
    }
    // Each has looked, and waits or is about to.
    _ = try await looks.wait { $0.count == 3 ? true : nil }
    for _ in 0..<50 { await Task.yield() }
    for change in 1...3 {
      value.update { $0 = change }
      #expect(try await tasks[change - 1].value == change)
    }
    for (goal, seen) in looks.current {
      // Two changes may come before a task has looked, but it never looks twice at one.
      #expect(seen == Set(seen).sorted() && seen.last == goal, "\(seen)")
    }
  }

  @Test("a task that is cancelled stops waiting, whether it waits already, is about to, or has not begun")
  func cancelled() async throws {
    let value = AwaitableValue(0)
    let hasLooked = AwaitableValue(false)
    let waiting = Task {
      try await value.wait { _ -> Int? in
        hasLooked.update { $0 = true }
        return nil
      }
    }
    _ = try await hasLooked.wait { $0 ? true : nil }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    let aboutToWait = Task {
      try await value.wait { _ -> Int? in
        withUnsafeCurrentTask { $0?.cancel() }
        return nil
      }
    }
    await #expect(throws: CancellationError.self) { _ = try await aboutToWait.value }
    let notBegun = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await value.wait { $0 }
    }
    await #expect(throws: CancellationError.self) { _ = try await notBegun.value }
    // Nobody is left to be woken.
    value.update { $0 = 1 }
    #expect(value.current == 1)
  }
}
