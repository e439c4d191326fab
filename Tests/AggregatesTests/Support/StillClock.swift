import CloudKitModel
import RecordChanges

/// A clock that stands still: nothing falls due, and who sleeps is not woken before the task is cancelled.
struct StillClock: MonotonicClock {
  var uptime: Duration { .zero }

  func sleep(for duration: Duration) async throws {
    let (endless, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in endless {}
    throw CancellationError()
  }
}
