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

  @Test(
    "an element that one side adds or removes is added or removed, after the element that precedes it there",
    arguments: [
      // base, file, container, merged
      ("abc", "abc", "xabc", "xabc"), ("abc", "abcd", "axbc", "axbcd"), ("abc", "bcd", "abcx", "bcxd"),
      ("abc", "acd", "abxc", "axcd"), ("abc", "xabc", "xabcy", "xabcy"), ("", "ab", "cd", "cdab"),
      ("ab", "ba", "abx", "bxa"),
      ("ab", "abx", "ba", "bxa"), ("abc", "cab", "cabx", "cabx"), ("abc", "", "abcx", "x"),
      ("ab", "abx", "ab", "abx"),
      ("abc", "acb", "bac", nil), ("abc", "bca", "cab", nil),
    ] as [(String, String, String, String?)])
  func inserted(_ base: String, _ file: String, _ container: String, _ merged: String?) {
    func values(_ text: String) -> [JSONValue] { text.map { .string(String($0)) } }
    #expect(
      ThreeWayMerge.mergedList(values(base), values(file), values(container)) == merged.map(values))
  }

  @Test(
    "a tag stays unless a side removed it, and added ones come at the end",
    arguments: [
      ("abc", "abc", "ab", "ab"), ("abc", "ab", "abc", "ab"), ("ab", "xab", "yab", "xaby"),
      ("ab", "ba", "abx", "bax"),
      ("", "a", "a", "a"), ("a", "", "", ""), ("ab", "b", "a", ""),
    ])
  func unions(_ base: String, _ file: String, _ container: String, _ merged: String) {
    func values(_ text: String) -> [JSONValue] { text.map { .string(String($0)) } }
    #expect(ThreeWayMerge.mergedSet(values(base), values(file), values(container)) == values(merged))
  }

  @Test("a merge that gives what the file has already keeps the file")
  func kept() {
    let decision = ThreeWayMerge.decide("tags", base: .some(["a", "b"]), file: ["b"], container: ["b", "a"])
    #expect(decision == .keep)
    #expect(ThreeWayMerge.decide("tags", base: nil, file: ["a"], container: ["b"]) == .conflict)
    #expect(ThreeWayMerge.decide("slugs", base: .some(["a"]), file: ["b"], container: ["c"]) == .conflict)
  }
}
