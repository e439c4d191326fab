import Platform
import Testing

@testable import RecordChanges

@Suite("Differences of lists")
struct ListDifferenceTests {
  @Test("one element picked up and put elsewhere is one move")
  func oneMove() {
    let old = ["a", "b", "c", "d", "e", "f", "g"]
    let new = ["a", "g", "b", "c", "d", "e", "f"]
    let difference = ListDifference(from: old, to: new)
    #expect(difference.moved == [.init(element: "g", from: 7, to: 2)])
    #expect(difference.added.isEmpty && difference.removed.isEmpty)
    // What kept its position did not move.
    let swapped = ListDifference(from: ["a", "b", "c", "d"], to: ["d", "a", "c", "b"])
    #expect(swapped.moved == [.init(element: "d", from: 4, to: 1), .init(element: "b", from: 2, to: 4)])
  }

  @Test("what came and went moves nothing else")
  func addedAndRemoved() {
    let difference = ListDifference(from: ["a", "b", "c"], to: ["x", "b", "c", "y"])
    #expect(difference.added == ["x", "y"])
    #expect(difference.removed == ["a"])
    #expect(difference.moved.isEmpty)
  }

  @Test("no explanation with fewer moves exists", arguments: UInt64(1)...200)
  func minimal(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let old = Array(0..<Int.random(in: 0...9, using: &random))
    let new = old.shuffled(using: &random)
    let difference = ListDifference(from: old.map(String.init), to: new.map(String.init))
    #expect(new.count - difference.moved.count == longestIncreasingByTryingAll(new))
    let moved = Set(difference.moved.map(\.element))
    let staying = new.filter { !moved.contains(String($0)) }
    #expect(staying == staying.sorted())
  }

  private func longestIncreasingByTryingAll(_ values: [Int]) -> Int {
    (0..<(1 << values.count)).reduce(0) { best, mask in
      let chosen = values.indices.filter { mask >> $0 & 1 == 1 }.map { values[$0] }
      return chosen == chosen.sorted() ? max(best, chosen.count) : best
    }
  }
}
