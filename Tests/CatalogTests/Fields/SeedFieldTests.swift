import CloudKitModel
import Diagnostics
import Testing

@testable import Catalog

@Suite("Values of records as seeds have them") struct SeedFieldTests {
  private func read(_ form: SeedField.Form, _ value: FieldValue?) -> String {
    let read = SeedField("x", form).value(of: value) { kind, name in
      name == "known" ? "\(kind.rawValue)-slug" : nil
    }
    return switch read {
    case .absent: "absent"
    case .value(let json): json.text()
    case .invalid(let problem): problem
    }
  }

  @Test(
    "a value is read by the form of its key",
    arguments: [
      (.flag, .int64(0), "false"), (.flag, .int64(1), "true"),
      (.flag, .int64(2), "the value is 2, not 0 or 1"),
      (.flag, .int64(-1), "the value is -1, not 0 or 1"),
      (.flag, .string("1"), "the field has the type STRING, not INT64"), (.flag, nil, "absent"),
      (.integer, .int64(7), "7"), (.text, .string("a"), #""a""#), (.text, .string(" \n"), "absent"),
      (.text, .string(""), "absent"),
      (.text, .string("e\u{301}"), "\"\u{E9}\""),
      (.text, .string("a\u{0}"), "the text contains the control character U+0"),
      (.slug, .string("a-b"), #""a-b""#),
      (
        .slug, .string("A"),
        "'A' is not a slug: lower-case letters and digits in words joined by hyphens, at most 64 characters"
      ),
      (.address, .string("x"), "the URL must start with http:// or https://"),
      (.color, .string("#123456"), ##""#123456""##),
      (.language, .string("pt-BR"), #""pt""#),
      (.language, .string("xx"), "'xx' is not an ISO 639-1 language code"),
      (.tags, .strings(["a", "b", "a"]), #"["a","b"]"#),
      (.tags, .strings(["A"]), "the tag 'A' is not in lower case"), (.tags, .strings([]), "[]"),
      (.slugs, .strings(["A", "A"]), #"["A"]"#),
      (.reference(.category), .reference(Reference("known")), #""category-slug""#),
      (.reference(.feed), .reference(Reference("gone")), "the container has no feed record gone"),
      (.references(.feed), .references(["known", "gone", "known"]), #"["feed-slug"]"#),
    ] as [(SeedField.Form, FieldValue?, String)])
  func reading(_ form: SeedField.Form, _ value: FieldValue?, _ expected: String) {
    #expect(read(form, value) == expected)
  }

  @Test(
    "each form of a key has a type of the record's field",
    arguments: [
      (.text, .scalar(.string)), (.slug, .scalar(.string)), (.language, .scalar(.string)),
      (.flag, .scalar(.int64)), (.integer, .scalar(.int64)),
      (.tags, .list(.string)), (.slugs, .list(.string)), (.reference(.feed), .scalar(.reference)),
      (.references(.feed), .list(.reference)),
    ] as [(SeedField.Form, FieldType)])
  func types(_ form: SeedField.Form, _ type: FieldType) { #expect(SeedField("x", form).fieldType == type) }

  @Test("a key has a field of its own name, of another one, or none, and an attribute in OPML")
  func names() {
    #expect(SeedField("x", .text).recordField == "x" && SeedField("x", .text).opmlName == "celestra:x")
    #expect(SeedField("x", .text, in: .field("y"), opml: .trusted).recordField == "y")
    #expect(SeedField("x", .text, in: .field("y"), opml: .trusted).opmlName == "celestra:x")
    #expect(SeedField("x", .text, in: .files, opml: .standard("z")).recordField == nil)
    #expect(SeedField("x", .text, in: .files, opml: .standard("z")).opmlName == "z")
    #expect(SeedField("x", .text, opml: .outline).opmlName == nil)
    let field = SeedField("x", .text)
    #expect(!field.isRequired && field.usual == nil && field.need == .always)
  }

  @Test("only these keys are required, have a default, or are not always needed")
  func table() {
    func keys(_ condition: (SeedField) -> Bool) -> [String] {
      SeedKind.allCases.flatMap { kind in
        SeedFields.celestra[kind].filter(condition).map { "\(kind.rawValue) \($0.key)" }
      }
    }
    #expect(
      keys(\.isRequired) == [
        "category slug", "category name", "feed title", "feed feedURL", "feed category", "collection slug",
        "collection title",
        "collection feeds",
      ])
    #expect(keys { $0.need == .onceUsed } == ["feed retired", "feed replacedBy"])
    #expect(keys { $0.need == .never } == ["feed slug"])
    func defaults(_ value: JSONValue) -> [String] { keys { $0.usual == value } }
    #expect(
      defaults(false) == ["feed isFeatured", "feed isVerified", "feed retired", "collection isFeatured"])
    #expect(defaults([]) == ["feed tags", "feed differentFrom", "collection tags"])
    #expect(defaults(0) == ["category sortOrder"])
  }
}
