import Testing

@testable import SchemaLanguage

@Suite("Guesses at renames") struct RenameHintsTests {
  private func fields(_ names: [String], _ type: DataType = .string) -> [Field] {
    names.map { Field($0, type) }
  }

  private func pairs(_ removed: [String], _ added: [String]) -> [String] {
    let hints = RenameHints(removed: fields(removed), added: fields(added))
    for name in added {
      if let old = hints.oldName(of: name) { #expect(hints.newName(of: old) == name) }
    }
    return removed.map { hints.newName(of: $0) ?? "-" }
  }

  @Test(
    "fields are paired when they are the only ones, are spelled alike, or one name contains the other",
    arguments: [
      (["a"], ["xyz"], ["xyz"]), ([], ["a"], []), (["a"], [], ["-"]),
      (["title", "qqqqq"], ["titel", "zzzzz"], ["titel", "-"]),
      (["title", "qqqqq"], ["mainTitle", "zzzzz"], ["mainTitle", "-"]),
      (["mainTitle", "qqqqq"], ["title", "zzzzz"], ["title", "-"]),
      (["title", "qqqqq"], ["titleText", "zzzzz"], ["titleText", "-"]),
      (["titleText", "qqqqq"], ["TITLE", "zzzzz"], ["TITLE", "-"]),
      (["name", "qqqqq"], ["nameOfPerson", "zzzzz"], ["nameOfPerson", "-"]),
      (["abc", "qqqqq"], ["abcdefghij", "zzzzz"], ["-", "-"]),
      (["abcdefghij", "qqqqq"], ["abc", "zzzzz"], ["-", "-"]),
      (["title", "qqqqq"], ["aTitleOf", "zzzzz"], ["-", "-"]),
      // A new name is given once, to the first in byte order.
      (["titleA", "titleB"], ["title"], ["title", "-"]), (["titleB", "titleA"], ["title"], ["-", "title"]),
    ])
  func names(_ removed: [String], _ added: [String], _ expected: [String]) {
    #expect(pairs(removed, added) == expected)
  }

  @Test("fields of different types are not paired")
  func types() {
    let hints = RenameHints(removed: fields(["title"]), added: fields(["titel"], .int64))
    #expect(hints.newName(of: "title") == nil && hints.oldName(of: "titel") == nil)
    let both = RenameHints(removed: fields(["title"]), added: fields(["titel"], .int64) + fields(["xyz"]))
    #expect(both.newName(of: "title") == nil)
  }

  @Test("up to ten thousand pairs are compared")
  func limit() {
    func found(_ count: Int) -> Bool {
      let others = (0..<count - 1).map { "\($0)zzzzzzzzzzzzzzzzzzzz" }
      return pairs((0..<100).map { $0 == 0 ? "title" : "\($0)yyyyyyyyyyyyyyyyyyyyy" }, ["titel"] + others)[0]
        == "titel"
    }
    #expect(found(100))
    #expect(!found(101))
  }

  private func type(_ name: String, _ names: String, _ type: DataType = .string) -> RecordType {
    RecordType(name, fields: names.map { Field(String($0), type) } + [Field("___recordID", .reference)])
  }

  private func newName(of old: RecordType, among new: [RecordType]) -> String? {
    RenameHints(from: Schema(recordTypes: [old]), to: Schema(recordTypes: new)).newName(of: old.name)
  }

  @Test(
    "types are paired when they share more than six of ten fields of the larger one",
    arguments: [
      ("abc", "abc", true), ("abcd", "abc", true), ("abc", "abcd", true), ("abcde", "abc", false),
      ("abc", "abcde", false),
      ("abcdefghij", "abcdef", false), ("abcdefghij", "abcdefg", true), ("", "", false), ("a", "", false),
      ("a", "a", true),
    ])
  func types(_ old: String, _ new: String, _ isPaired: Bool) {
    #expect(newName(of: type("Old", old), among: [type("New", new)]) == (isPaired ? "New" : nil))
  }

  @Test("of several types the most similar one is taken, and of equal ones the first by name")
  func best() {
    #expect(newName(of: type("Old", "abcd"), among: [type("B", "abcde"), type("C", "abcd")]) == "C")
    #expect(newName(of: type("Old", "abcd"), among: [type("C", "abcd"), type("B", "abcd")]) == "B")
    #expect(newName(of: type("Old", "abc"), among: [type("New", "abc", .int64)]) == nil)
    // What stays, and what CloudKit manages, was not renamed.
    #expect(newName(of: type("Users", "abc"), among: [type("New", "abc")]) == nil)
    #expect(newName(of: type("Old", "abc"), among: [type("cloudkit.share", "abc")]) == nil)
    #expect(newName(of: type("Old", "abc"), among: [type("Old", "abc"), type("New", "abc")]) == nil)
    let kept = RenameHints(
      from: Schema(recordTypes: [type("Old", "abc"), type("Kept", "abc")]),
      to: Schema(recordTypes: [type("Kept", "abc"), type("New", "abc")]))
    #expect(kept.newName(of: "Old") == "New" && kept.oldName(of: "New") == "Old")
    let two = RenameHints(
      from: Schema(recordTypes: [type("B", "abc"), type("A", "abc")]),
      to: Schema(recordTypes: [type("New", "abc")]))
    #expect(two.newName(of: "A") == "New" && two.newName(of: "B") == nil)
  }

  @Test("up to ten thousand pairs of types are compared")
  func typeLimit() {
    func found(_ count: Int) -> Bool {
      let old = (0..<100).map { type("Old\($0)", $0 == 0 ? "abc" : "xyz\($0)") }
      let new = [type("New", "abc")] + (0..<count - 1).map { RecordType("Other\($0)") }
      return RenameHints(from: Schema(recordTypes: old), to: Schema(recordTypes: new)).newName(of: "Old0")
        == "New"
    }
    #expect(found(100))
    #expect(!found(101))
  }
}
