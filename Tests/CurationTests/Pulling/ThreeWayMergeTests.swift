import Diagnostics
import Testing

@testable import Curation

@Suite struct ThreeWayMergeTests {
  @Test(
    "an element that one side adds or removes is added or removed, after the element that precedes it there",
    arguments: [
      // base, file, container, merged
      ("abc", "abc", "xabc", "xabc"), ("abc", "abcd", "axbc", "axbcd"), ("abc", "bcd", "abcx", "bcxd"),
      ("abc", "acd", "abxc", "axcd"), ("abc", "xabc", "xabcy", "xabcy"), ("", "ab", "cd", "cdab"),
      ("ab", "ba", "abx", "bxa"),
      ("ab", "abx", "ba", "bxa"), ("abc", "cab", "cabx", "cabx"), ("abc", "", "abcx", "x"),
      ("ab", "abx", "ab", "abx"), ("ab", "xab", "abx", nil),
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

  @Test("only the tags and the feeds of a collection are merged")
  func fields() {
    func merged(_ field: String) -> JSONValue? {
      ThreeWayMerge.merged(field, base: ["a"], file: ["a", "b"], container: ["a", "c"])
    }
    #expect(merged("tags") == ["a", "b", "c"] && merged("feeds") == ["a", "c", "b"])
    #expect(merged("slugs") == nil)
  }
}
