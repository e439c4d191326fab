import Diagnostics
import Testing

@testable import Curation

@Suite struct ThreeWayMergeTests {
  @Test("a change of one side wins, equal changes are none, two are a conflict")
  func fields() {
    func decide(_ base: JSONValue??, _ file: JSONValue?, _ container: JSONValue?) -> FieldMergeResult {
      ThreeWayMerge.decide("title", base: base, file: file, container: container)
    }
    #expect(decide(.some("a"), "a", "b") == .take("b"))
    #expect(decide(.some("a"), "b", "a") == .keep)
    #expect(decide(.some("a"), "b", "b") == .keep)
    #expect(decide(.some("a"), "b", "c") == .conflict)
    #expect(decide(.some("a"), "a", nil) == .take(nil))
    #expect(decide(.some(nil), nil, "b") == .take("b"))
    #expect(decide(nil, "a", "b") == .conflict)
  }

  @Test("tags are merged as sets, in the file's order")
  func sets() {
    let decision = ThreeWayMerge.decide(
      "tags", base: .some(["a", "b", "c"]), file: ["d", "c", "a", "b"], container: ["e", "a", "c"])
    #expect(decision == .take(["d", "c", "a", "e"]))
    #expect(
      ThreeWayMerge.decide("tags", base: .some(["a"]), file: nil, container: ["a", "b"]) == .take(["b"]))
  }

  @Test("lists are merged by element; an order that both sides changed is a conflict")
  func lists() {
    func merge(_ base: JSONValue, _ file: JSONValue, _ container: JSONValue) -> FieldMergeResult {
      ThreeWayMerge.decide("feeds", base: .some(base), file: file, container: container)
    }
    #expect(merge(["a", "b", "c"], ["a", "x", "b", "c"], ["a", "c", "y"]) == .take(["a", "x", "c", "y"]))
    #expect(merge(["a", "b", "c"], ["c", "a", "b"], ["a", "b", "c", "y"]) == .take(["c", "y", "a", "b"]))
    #expect(merge(["a", "b", "c"], ["a", "b", "c", "x"], ["c", "b", "a"]) == .take(["c", "x", "b", "a"]))
    #expect(merge(["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]) == .conflict)
  }
}
