import Testing

@testable import CloudKitEmulator

@Suite(.timeLimit(.minutes(1))) struct DelayControllerTests {
  @Test("a delay ends when the emulator stops, and after that there are none")
  func ended() async throws {
    let delays = DelayController()
    try await delays.wait(for: .zero)
    let tasks = (0..<3).map { _ in Task { try await delays.wait(for: .seconds(3600)) } }
    await Task.yield()
    delays.end()
    for task in tasks { try await task.value }
    try await delays.wait(for: .seconds(3600))
  }

  @Test("a task that is cancelled waits no longer")
  func cancelled() async {
    let delays = DelayController()
    let task = Task { try await delays.wait(for: .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
