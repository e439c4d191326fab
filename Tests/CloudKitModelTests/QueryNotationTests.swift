import Diagnostics
import SchemaLanguage
import Testing

@testable import CloudKitModel

@Suite struct QueryNotationTests {
  @Test("fields to sort by, and the way")
  func sorts() throws {
    let wanted = [Sort("title"), Sort("___modTime", ascending: false), Sort("count")]
    #expect(
      try QueryNotation.query(
        "T", sorts: ["title", "___modTime:desc", "count:asc"], now: Timestamp(milliseconds: 0)
      ).sorts == wanted)
  }

  @Test(
    "a direction that is none is not taken for the usual one",
    arguments: ["title:down", ":desc", "", "title:desc:x"])
  func wrongSorts(text: String) {
    #expect(throws: CommandFailure.self) {
      try QueryNotation.query("T", sorts: [text], now: Timestamp(milliseconds: 0))
    }
  }
}

@Suite struct FilterExpressionTests {
  @Test(
    "every comparison is understood, by its sign or by its name",
    arguments: [
      ("a == 1", Comparator.equals), ("a = 1", .equals), ("a != 1", .notEquals), ("a < 1", .lessThan),
      ("a <= 1", .lessThanOrEquals),
      ("a > 1", .greaterThan), ("a >= 1", .greaterThanOrEquals), ("a BEGINS_WITH x", .beginsWith),
      ("a begins_with x", .beginsWith), ("a LIST_CONTAINS x", .listContains),
      ("a LIST_NOT_CONTAINS_ANY x,y", .notListContainsAny),
    ])
  func comparators(_ text: String, _ comparator: Comparator) throws {
    #expect(try FilterExpression(text).comparator == comparator)
  }

  @Test(
    "the schema decides a value's type; without it, the value does",
    arguments: [
      ("a == 1", FieldType.scalar(.string), FieldValue.string("1")), ("a == 1", .scalar(.double), .double(1)),
      ("a == 1", nil, .int64(1)), ("a == 1.5", nil, .double(1.5)), ("a == x", nil, .string("x")),
      ("a == nan", nil, .string("nan")),
      ("a > 1970-01-02", nil, .timestamp(Timestamp(milliseconds: 86_400_000))),
      ("a == 48.1,11.5", nil, .location(Location(latitude: 48.1, longitude: 11.5))),
      ("a == x", .scalar(.reference), .reference(Reference("x"))),
      ("a == 1970-01-01T00:00:01Z", .scalar(.timestamp), .timestamp(Timestamp(milliseconds: 1000))),
      ("___recordID == x", nil, .reference(Reference("x"))), ("a IN x,y", nil, .strings(["x", "y"])),
      ("a LIST_CONTAINS_ANY x,y", .list(.string), .strings(["x", "y"])),
      ("a IN x, y", nil, .strings(["x", "y"])),
      ("a == \"1\"", nil, .string("1")), ("a == \"x y\"", .scalar(.string), .string("x y")),
      ("a == \"x", nil, .string("\"x")), ("a == x\"", nil, .string("x\"")),
      ("a == \"x\"y", nil, .string("\"x\"y")),
      ("  a   == 1", nil, .int64(1)), ("a == inf", nil, .string("inf")),
      ("a == 1,2,", nil, .string("1,2,")), ("a == ,1,2", nil, .string(",1,2")),
      ("a == 1,2,3", nil, .string("1,2,3")),
      ("a == 2,1", .scalar(.location), .location(Location(latitude: 2, longitude: 1))),
      ("a == 7", .list(.int64), .int64(7)),
      ("a IN 1,2", .scalar(.int64), .list(of: .int64, [.int64(1), .int64(2)])),
      ("a NOT_IN 1.5,2", .scalar(.double), .list(of: .double, [.double(1.5), .double(2)])),
      ("a IN ,", nil, .strings([])),
      ("a IN 1,x", nil, .strings(["1", "x"])), ("a IN x,1", nil, .strings(["x", "1"])),
      ("a IN 1,2.5", nil, .list(of: .double, [.double(1), .double(2.5)])),
      ("a IN \"1\",2", nil, .strings(["1", "2"])), ("a IN 1970-01-02,2", nil, .strings(["1970-01-02", "2"])),
      ("a IN \"x, y\" , z", nil, .strings(["x, y", "z"])), ("a IN \"x,y", nil, .strings(["\"x", "y"])),
      ("a IN \"x\"y,z", nil, .strings(["\"x\"y", "z"])), ("a IN \"\",z", nil, .strings(["", "z"])),
      ("a IN  x,,y,", nil, .strings(["x", "y"])), ("a ==  x", nil, .string("x")),
      ("a == \"  x\"", nil, .string("  x")),
      ("a == \"\"", .scalar(.string), .string("")), ("a == \"", .scalar(.string), .string("\"")),
    ] as [(String, FieldType?, FieldValue)])
  func types(_ text: String, _ declared: FieldType?, _ value: FieldValue) throws {
    #expect(
      try FilterExpression(text).filter(declaredType: declared, now: Timestamp(milliseconds: 0)).value
        == value)
  }

  @Test(
    "a time is a moment, now, or a time from now",
    arguments: [
      ("now", 5_000_000), ("+90s", 5_090_000), ("-30m", 3_200_000), ("+2h", 12_200_000), ("-1d", -81_400_000),
      ("+0.5s", 5_000_500), ("2h", nil), ("h", nil), ("+h", nil), ("+nand", nil), ("-infs", nil),
      ("+999999999999s", 1_000_000_004_999_000), ("+1000000000000s", nil), ("-1000000000000s", nil),
      ("+2w", nil), ("-", nil),
    ] as [(String, Int64?)])
  func times(_ text: String, _ milliseconds: Int64?) throws {
    let filter = try? FilterExpression("a > \(text)").filter(
      declaredType: .scalar(.timestamp), now: Timestamp(milliseconds: 5_000_000))
    #expect(filter?.value == milliseconds.map { .timestamp(Timestamp(milliseconds: $0)) })
  }

  @Test("a place is near another within a number of meters")
  func near() throws {
    let filter = try FilterExpression("place NEAR 48.1, 11.5, 5000").filter(
      declaredType: .scalar(.location), now: Timestamp(milliseconds: 0))
    let there = FieldValue.location(Location(latitude: 48.1, longitude: 11.5))
    #expect(filter == Filter("place", .near, there, distance: 5000))
    for (text, meters) in [("place NEAR 1,2,0", 0), ("place NEAR 1,2,0.5", 0.5)] {
      #expect(
        try FilterExpression(text).filter(declaredType: nil, now: Timestamp(milliseconds: 0)).distance
          == meters)
    }
    for text in [
      "place NEAR 48.1,11.5", "place NEAR x,y,z", "place NEAR 1,2,-3", "place NEAR 1,2,-0.5",
      "place NEAR 1,2,3,4",
      "place NEAR 1,2,x", "place NEAR 1,x,3", "place NEAR x,2,3",
    ] {
      #expect(throws: CommandFailure.self) {
        try FilterExpression(text).filter(declaredType: nil, now: Timestamp(milliseconds: 0))
      }
    }
  }
}
