import Testing

@testable import HTTPTransport

@Suite struct TransferStartLimiterTests {
  private let start = ContinuousClock.now

  @Test("a transfer counts until it ends or its period is over")
  func room() {
    var limiter = TransferStartLimiter()
    for id in 0..<UInt64(TransferStartLimiter.maxTransfers) { limiter.add(id, at: start) }
    #expect(limiter.room == 0)
    limiter.remove(7)
    #expect(limiter.room == 1)
    limiter.add(1000, at: start + TransferStartLimiter.period / 2)
    limiter.dropSettled(at: start + TransferStartLimiter.period / 2)
    #expect(limiter.room == 0)
    limiter.dropSettled(at: start + TransferStartLimiter.period)
    #expect(limiter.room == TransferStartLimiter.maxTransfers - 1)
    limiter.remove(3)
    #expect(limiter.room == TransferStartLimiter.maxTransfers - 1)
  }

  @Test("the next transfer may start when the oldest one's period is over")
  func timeToSettle() {
    var limiter = TransferStartLimiter()
    #expect(limiter.timeToSettle(at: start) == nil)
    limiter.add(1, at: start)
    limiter.add(2, at: start + .milliseconds(100))
    #expect(limiter.timeToSettle(at: start) == TransferStartLimiter.period)
    limiter.remove(1)
    limiter.dropSettled(at: start)
    #expect(limiter.timeToSettle(at: start + .milliseconds(100)) == TransferStartLimiter.period)
  }

  @Test("256 transfers may start within 250 milliseconds")
  func limits() {
    #expect(TransferStartLimiter.maxTransfers == 256 && TransferStartLimiter.period == .milliseconds(250))
    var limiter = TransferStartLimiter()
    #expect(limiter.room == 256)
    for id in 0..<3 { limiter.add(UInt64(id), at: start + .milliseconds(100) * id) }
    for (milliseconds, room) in [(249, 253), (250, 254), (349, 254), (350, 255), (450, 256)] {
      limiter.dropSettled(at: start + .milliseconds(milliseconds))
      #expect(limiter.room == room, "\(milliseconds)")
    }
  }

  @Test("a queue keeps its order, and elements can be removed from it")
  func queue() {
    var queue = FIFOQueue(Array(0..<3000))
    for number in 0..<1500 { #expect(queue.popFirst() == number) }
    queue.append(3000)
    queue.removeAll { $0 % 2 == 1 }
    #expect(queue.first == 1500)
    #expect(Array(queue.all) == Array(stride(from: 1500, through: 3000, by: 2)))
    while queue.popFirst() != nil {}
    #expect(queue.isEmpty)
  }

  @Test("a removed element is released")
  func released() {
    final class Element {}
    var first: Element? = Element()
    weak let known = first
    var queue = FIFOQueue([Element(), Element()])
    queue = FIFOQueue([first, Element()].compactMap(\.self))
    first = nil
    #expect(known != nil)
    _ = queue.popFirst()
    #expect(known == nil)
    #expect(!queue.isEmpty)
  }
}
