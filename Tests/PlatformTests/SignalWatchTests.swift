import Foundation
import Synchronization
import Testing

@testable import Platform

/// Signals that this process sends to itself. No other test may use SIGUSR2.
@Suite("Signals", .serialized)
struct SignalWatchTests {
  private static let signal = ProcessSignal(number: SIGUSR2)

  /// A signal whose default action would end this process.
  @Test("a watch handles a signal from its first moment to its end, also when watches follow each other")
  func watched() async throws {
    for _ in 0..<200 {
      let arrivals = AsyncStream<Void>.makeStream()
      let watch = SignalWatch(Self.signal) { arrivals.continuation.yield() }
      kill(getpid(), SIGUSR2)
      for await _ in arrivals.stream { break }
      watch.end()
    }
  }

  @Test("after a watch the signal is ignored, and the next one handles it again")
  func ended() async {
    let count = Mutex(0)
    SignalWatch(Self.signal) { count.withLock { $0 += 1 } }.end()
    kill(getpid(), SIGUSR2)
    let arrivals = AsyncStream<Void>.makeStream()
    let watch = SignalWatch(Self.signal) { arrivals.continuation.yield() }
    kill(getpid(), SIGUSR2)
    for await _ in arrivals.stream { break }
    watch.end()
    #expect(count.withLock(\.self) == 0)
  }
}
