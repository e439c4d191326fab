import CloudKitModel
import Testing

@testable import FeedState

@Suite struct FallHistoryTests {
  private static let day: Int64 = 86_400_000

  /// Days after the first moment of the test.
  private func at(_ days: Double) -> Timestamp {
    Timestamp(milliseconds: 1_772_452_800_000 + Int64(days * Double(Self.day)))
  }

  private func events(_ falls: [Double], after since: Double, until now: Double, isDown: Bool = true)
    -> Set<FallHistory.Event>
  {
    FallHistory(falls.map(at)).events(after: at(since), until: at(now), isDown: isDown)
  }

  @Test("the first fall of a chain is an alert, the second is flapping, later ones are silent")
  func chain() {
    #expect(events([1], after: 0, until: 1) == [.newlyDown])
    #expect(events([1, 2], after: 1, until: 2) == [.flapping])
    #expect(events([1, 2, 3], after: 2, until: 3) == [])
    #expect(events([1, 2, 3, 4, 5, 6, 7], after: 6, until: 7) == [])
  }

  @Test("falls exactly seven days apart are one chain, a little more are two")
  func gap() {
    #expect(events([1, 8], after: 7, until: 8) == [.flapping])
    #expect(events([1, 8.001], after: 7, until: 9) == [.newlyDown])
  }

  @Test("a flapping feed that stays down for three days is an alert once more, one that fell once is not")
  func settled() {
    #expect(events([1, 2], after: 4, until: 4.99) == [])
    #expect(events([1, 2], after: 4.5, until: 5) == [.newlyDown])
    #expect(events([1, 2], after: 5, until: 6) == [])
    #expect(events([1, 2], after: 4.5, until: 5, isDown: false) == [])
    #expect(events([1], after: 3, until: 30) == [])
  }

  @Test("a fall of a run that did not report counts, unless the feed works again")
  func unreported() {
    #expect(events([1], after: 0, until: 3) == [.newlyDown])
    #expect(events([1], after: 0, until: 3, isDown: false) == [])
    #expect(events([1, 2], after: 1.5, until: 3, isDown: false) == [.flapping])
  }
}
