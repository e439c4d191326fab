import Synchronization

final class Counter: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock(\.self) }

  @discardableResult
  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
