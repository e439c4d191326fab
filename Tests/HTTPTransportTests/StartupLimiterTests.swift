import Testing

@testable import HTTPTransport

@Suite struct FreshTransfersTests {
  private let start = ContinuousClock.now

  @Test("a transfer takes a place until it ends or is no longer new")
  func places() {
    var fresh = FreshTransfers()
    for id in 0..<UInt64(FreshTransfers.most) { fresh.began(id, at: start) }
    #expect(fresh.room == 0)
    fresh.ended(7)
    #expect(fresh.room == 1)
    fresh.began(1000, at: start + FreshTransfers.age / 2)
    fresh.forgetAged(at: start + FreshTransfers.age / 2)
    #expect(fresh.room == 0)
    fresh.forgetAged(at: start + FreshTransfers.age)
    #expect(fresh.room == FreshTransfers.most - 1)
    fresh.ended(3)
    #expect(fresh.room == FreshTransfers.most - 1)
  }

  @Test("the next place is free when the oldest is no longer new")
  func timeToAge() {
    var fresh = FreshTransfers()
    #expect(fresh.timeToAge(at: start) == nil)
    fresh.began(1, at: start)
    fresh.began(2, at: start + .milliseconds(100))
    #expect(fresh.timeToAge(at: start) == FreshTransfers.age)
    fresh.ended(1)
    fresh.forgetAged(at: start)
    #expect(fresh.timeToAge(at: start + .milliseconds(100)) == FreshTransfers.age)
  }

  @Test("who stands in line comes out in order, and can leave it")
  func line() {
    var line = Line(Array(0..<3000))
    for number in 0..<1500 { #expect(line.popFirst() == number) }
    line.append(3000)
    line.removeAll { $0 % 2 == 1 }
    #expect(line.first == 1500)
    #expect(Array(line.all) == Array(stride(from: 1500, through: 3000, by: 2)))
    while line.popFirst() != nil {}
    #expect(line.isEmpty)
  }

  @Test("who has left the line is held no longer")
  func left() {
    final class Somebody {}
    var first: Somebody? = Somebody()
    weak let known = first
    var line = Line([Somebody(), Somebody()])
    line = Line([first, Somebody()].compactMap(\.self))
    first = nil
    #expect(known != nil)
    _ = line.popFirst()
    #expect(known == nil)
    #expect(!line.isEmpty)
  }
}
