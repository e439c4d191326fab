import CloudKitModel
import SchemaLanguage
import Testing

@Suite struct QueryNotationTests {
  @Test("fields to sort by, and the way, in both notations")
  func sorts() throws {
    let wanted = [Sort("title"), Sort("___modTime", ascending: false), Sort("count")]
    #expect(
      try QueryNotation.own.query(
        "T", sorts: ["title", "___modTime:desc", "count:asc"], now: Timestamp(milliseconds: 0)
      ).sorts == wanted)
    #expect(
      try QueryNotation.cktool.query(
        "T", sorts: ["title", "___modTime DESC", "count asc"], now: Timestamp(milliseconds: 0)
      ).sorts == wanted)
  }

  @Test(
    "a direction that is none is not taken for the usual one",
    arguments: [
      (QueryNotation.own, "title:down"), (.own, ":desc"), (.own, ""), (.own, "title:desc:x"),
      (.cktool, "title down"), (.cktool, " "),
    ])
  func wrongSorts(notation: QueryNotation, text: String) {
    #expect(throws: NotationError.self) {
      try notation.query("T", sorts: [text], now: Timestamp(milliseconds: 0))
    }
  }

  @Test("the declared type decides how a value is read, unless Apple's notation says it")
  func filters() throws {
    let declared: [String: FieldType] = ["count": .scalar(.int64), "code": .scalar(.string)]
    let own = try QueryNotation.own.query(
      "T", filters: ["count > 3", "code == 12"], declared: declared, now: Timestamp(milliseconds: 0))
    #expect(
      own.filters == [Filter("count", .greaterThan, .int64(3)), Filter("code", .equals, .string("12"))])
    let apple = try QueryNotation.cktool.query(
      "T", filters: ["other == stringType:12"], now: Timestamp(milliseconds: 0))
    #expect(apple.filters == [Filter("other", .equals, .string("12"))])
  }
}
