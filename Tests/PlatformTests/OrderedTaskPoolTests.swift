import Platform
import Synchronization
import Testing

@Suite struct OrderedTaskPoolTests {
  private struct Numbered: Sendable {
    let number: Int
    var weight = 1
  }

  /// How much was begun, and how much of it was going on or waiting when most was.
  private final class Account: Sendable {
    private let counts = Mutex((open: 0, most: 0))
    var most: Int { counts.withLock { $0.most } }

    func began() {
      counts.withLock { counts in
        counts.open += 1
        counts.most = max(counts.most, counts.open)
      }
    }

    func ended() { counts.withLock { $0.open -= 1 } }
  }

  @Test("results come in the order of the inputs, whichever is ready first")
  func order() async throws {
    var taken: [Int] = []
    try await OrderedTaskPool(width: 8).run(Array(0..<500)) { number in
      for _ in 0..<(number % 7) { await Task.yield() }
      return Numbered(number: number)
    } take: {
      taken.append($0.number)
    }
    #expect(taken == Array(0..<500))
  }

  @Test("no more is worked on at once than may be")
  func width() async throws {
    let account = Account()
    try await OrderedTaskPool(width: 3).run(Array(0..<100)) { number in
      account.began()
      await Task.yield()
      account.ended()
      return Numbered(number: number)
    } take: { _ in
    }
    #expect(account.most <= 3)
  }

  @Test(
    "the results waiting for a slow input are limited in number and size",
    arguments: [
      (OrderedTaskPool(width: 4, maxWaiting: 10), 1), (OrderedTaskPool(width: 4, maxWeight: 1000), 100),
    ])
  func waiting(_ work: OrderedTaskPool, weight: Int) async throws {
    let account = Account()
    let isLate = AsyncStream.makeStream(of: Void.self)
    try await work.run(Array(0..<100), resultWeight: \.weight) { number in
      account.began()
      if number == 0 {
        for await _ in isLate.stream { break }
      } else if number == 8 {
        // Others have gone ahead by now, and the first may come.
        isLate.continuation.finish()
      }
      return Numbered(number: number, weight: weight)
    } take: { _ in
      account.ended()
    }
    #expect(account.most <= 14)
  }

  @Test(
    "no more is begun than may be held, whether it is known what an input weighs or shows with the first result",
    arguments: [true, false])
  func heavy(isKnown: Bool) async throws {
    let account = Account()
    let work = OrderedTaskPool(width: 16, maxWeight: 300, unknownWeight: 300)
    try await work.run(Array(0..<50), weight: { _ in isKnown ? 100 : nil }, resultWeight: \.weight) {
      number in
      account.began()
      for _ in 0..<10 { await Task.yield() }
      return Numbered(number: number, weight: 100)
    } take: { _ in
      account.ended()
    }
    #expect(account.most <= 3)
  }

  @Test("the receiver of the results can stop the work")
  func ended() async throws {
    struct Enough: Error {}
    let begun = Account()
    await #expect(throws: Enough.self) {
      try await OrderedTaskPool(width: 2).run(Array(0..<1000)) { number in
        begun.began()
        return Numbered(number: number)
      } take: { _ in
        throw Enough()
      }
    }
    #expect(begun.most < 10)
  }
}
