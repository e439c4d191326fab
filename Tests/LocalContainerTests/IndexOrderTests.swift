import GRDB
import SchemaLanguage
import Testing

@testable import CloudKitModel
@testable import LocalContainer

/// What conditions SQLite gets, so that a page costs the same wherever it begins.
@Suite("Indexes that queries follow") struct IndexOrderTests {
  /// A type in which `note` has no index and `tags` is a list.
  private static let table: RecordTypeTable = {
    let fields = [
      Field("pages", .int64, [.queryable]), Field("price", .double, [.sortable]),
      Field("title", .string, [.queryable]),
      Field("note", .string), Field("tags", .list(.plain(.string)), [.queryable]),
      Field("place", .location, [.queryable, .sortable]),
    ]
    return RecordTypeTable(
      id: 1, type: RecordType("Book", fields: fields), tableName: "Book",
      columns: fields.map { FieldColumn($0, name: $0.name, tableName: "Book") }, isStored: true)
  }()

  private static let pages = Filter("pages", .greaterThan, .int64(5))
  private static let price = Filter("price", .lessThanOrEquals, .double(2))
  private static let title = Filter("title", .equals, .string("x"))
  private static let anyPages = Filter("pages", .in, .list(of: .int64, [.int64(1), .int64(2)]))
  private static let created = Filter("___createTime", .greaterThan, .timestamp(Timestamp(milliseconds: 1)))
  private static let here = Location(latitude: 1, longitude: 2)

  /// A query, the field that gives the order, and whether its index belongs to the directory.
  static let orders: [(Query, String?, usesDirectory: Bool)] = [
    (Query("Book"), nil, false), (Query("Book", filters: [pages]), "pages", false),
    (Query("Book", filters: [price, pages]), "price", false),
    (Query("Book", filters: [pages, anyPages]), "pages", false),
    (Query("Book", filters: [price, anyPages]), "pages", false),
    (Query("Book", filters: [title]), nil, false),
    (Query("Book", filters: [title, price]), nil, false),
    (Query("Book", filters: [title, anyPages]), "pages", false),
    (Query("Book", filters: [Filter("note", .lessThan, .string("x")), price]), "price", false),
    (Query("Book", filters: [Filter("tags", .in, .strings(["x"]))]), nil, false),
    (Query("Book", filters: [created]), "___createTime", true),
    (Query("Book", filters: [created, pages]), "___createTime", true),
    (Query("Book", filters: [Filter("___recordID", .equals, .reference(Reference("r")))]), nil, true),
    (Query("Book", filters: [Filter("___etag", .equals, .string("1")), price]), "price", false),
    (Query("Book", filters: [Filter("title", .beginsWith, .string("x"))]), "title", false),
    (Query("Book", filters: [Filter("pages", .notEquals, .int64(1))]), nil, false),
    (Query("Book", filters: [pages], sorts: [Sort("price"), Sort("pages")]), "price", false),
    (Query("Book", sorts: [Sort("___modTime", ascending: false)]), "___modTime", true),
    (Query("Book", sorts: [Sort("place", relativeLocation: here)]), nil, false),
  ]

  @Test("the first sort, else an IN or a range filter, gives the order", arguments: orders)
  func order(query: Query, field: String?, usesDirectory: Bool) {
    let order = IndexOrder(query, Self.table)
    #expect(order.field?.storedName == field && order.usesDirectory == usesDirectory)
    #expect(
      order.isImplied == query.sorts.isEmpty && order.ascending == (query.sorts.first?.ascending ?? true))
  }

  @Test("other indexes are forbidden, but not that of an equal text")
  func forbidden() {
    let implied = IndexOrder(Query("Book", filters: [Self.pages]), Self.table)
    #expect(implied.forbidsIndex(of: Self.price) && !implied.forbidsIndex(of: Self.pages))
    #expect(!implied.forbidsIndex(of: Self.title))
    #expect(!implied.forbidsIndex(of: Filter("title", .equals, .reference(Reference("x")))))
    #expect(implied.forbidsIndex(of: Filter("price", .equals, .double(1))))
    #expect(implied.forbidsIndex(of: Filter("title", .beginsWith, .string("x"))))
    let sorted = IndexOrder(Query("Book", filters: [Self.price], sorts: [Sort("pages")]), Self.table)
    #expect(!sorted.forbidsIndex(of: Self.price))
    #expect(!IndexOrder(Query("Book"), Self.table).forbidsIndex(of: Self.price))
  }

  private func conditions(
    _ filters: [Filter], sorts: [Sort] = [], isContinued: Bool = false, _ behavior: ServerBehavior = .init()
  ) throws -> [String] {
    try DatabaseQueue().read { db in
      let compiler = FilterCompiler(
        db: db, table: Self.table, behavior: behavior,
        scan: IndexOrder(Query("Book", filters: filters, sorts: sorts), Self.table), isContinued: isContinued)
      return try filters.map { try compiler.condition($0).sql }
    }
  }

  @Test("a page after the first leaves its begin to the marker, and other indexes are hidden from SQLite")
  func bounds() throws {
    let below = Filter("pages", .lessThan, .int64(9))
    let (low, high) = (#"t."pages" > ?"#, #"t."pages" < ?"#)
    #expect(try conditions([Self.pages, below]) == [low, high])
    #expect(try conditions([Self.pages, below], isContinued: true) == ["+\(low)", high])
    let descending = [Sort("pages", ascending: false)]
    #expect(try conditions([Self.pages, below], sorts: descending, isContinued: true) == [low, "+\(high)"])
    #expect(try conditions([Self.pages, below], sorts: descending) == [low, high])
    #expect(try conditions([Self.pages, below], sorts: [Sort("price")], isContinued: true) == [low, high])
    #expect(try conditions([Self.pages, Self.price]) == [low, #"+t."price" <= ?"#])
    #expect(try conditions([Self.anyPages, Self.title]) == [#"t."pages" IN (?, ?)"#, #"t."title" = ?"#])
    #expect(try conditions([Self.anyPages]) == [#"t."pages" IN (?, ?)"#])
    #expect(try conditions([Self.anyPages], isContinued: true) == [#"+t."pages" IN (?, ?)"#])
    let begins = Filter("title", .beginsWith, .string("ab"))
    #expect(try conditions([begins]) == [#"t."title" >= ? AND t."title" < ?"#])
    #expect(try conditions([begins], isContinued: true) == [#"+t."title" >= ? AND t."title" < ?"#])
    #expect(try conditions([Self.created]) == ["r.createdAt > ?"])
  }

  @Test("settings decide about the case of texts and about missing values")
  func settings() throws {
    var behavior = ServerBehavior()
    behavior.equalsIgnoresCase = true
    let number = Filter("pages", .equals, .int64(1))
    #expect(
      try conditions([Self.title, number], [], false, behavior) == [
        #"t."title" COLLATE NOCASE = ?"#, #"t."pages" = ?"#,
      ])
    let not = Filter("title", .notEquals, .string("x"))
    #expect(try conditions([not]) == [#"t."title" <> ?"#])
    let none = Filter("pages", .notIn, .list(of: .int64, []))
    #expect(try conditions([none]) == [#"t."pages" IS NOT NULL"#])
    behavior.negationFindsMissing = true
    #expect(try conditions([not], [], false, behavior) == [#"(t."title" <> ? OR t."title" IS NULL)"#])
  }

  private func conditions(
    _ filters: [Filter], _ sorts: [Sort], _ isContinued: Bool, _ behavior: ServerBehavior
  ) throws -> [String] { try conditions(filters, sorts: sorts, isContinued: isContinued, behavior) }

  @Test("lists are searched for all elements or for any")
  func lists() throws {
    let terms = #"SELECT id FROM "Book.tags.terms" WHERE kind = 'e' AND term"#
    let two = FieldValue.strings(["x", "y"])
    #expect(
      try conditions([Filter("tags", .listContainsAll, two)]) == [
        "(t._id IN (\(terms) = ?) AND t._id IN (\(terms) = ?))"
      ])
    #expect(try conditions([Filter("tags", .listContainsAny, two)]) == ["t._id IN (\(terms) IN (?, ?))"])
    #expect(try conditions([Filter("tags", .listContains, .string("x"))]) == ["(t._id IN (\(terms) = ?))"])
    #expect(
      try conditions([Filter("tags", .notListContainsAny, two)])
        == [#"t."tags" IS NOT NULL AND (t._id IN (\#(terms) IN (?, ?))) IS NOT TRUE"#])
    let none = FieldValue.strings([])
    #expect(try conditions([Filter("tags", .listContainsAll, none)]) == [#"t."tags" IS NOT NULL"#])
    #expect(try conditions([Filter("tags", .listContainsAny, none)]) == ["0"])
    #expect(try conditions([Filter("note", .containsAllTokens, .string("x"))]) == ["0"])
  }

  @Test(
    "distances on the Earth in meters",
    arguments: [
      (0, 0, 0, 0, 0), (0, 0, 0, 1, 111_195), (0, 0, 1, 0, 111_195), (60, 10, 60, 11, 55_597),
      (0, 0, 0, 180, 20_015_115),
      (60, 0, 60, 180, 6_671_705), (-30, 20, 30, 20, 6_671_705), (51.5, -0.12, 48.86, 2.35, 341_800),
    ] as [(Double, Double, Double, Double, Double)])
  func distance(
    fromLatitude: Double, fromLongitude: Double, latitude: Double, longitude: Double, meters: Double
  ) {
    let distance = EarthDistance.distance((fromLatitude, fromLongitude), (latitude, longitude))
    #expect(abs(distance - meters) <= max(1, meters / 200))
    let back = EarthDistance.distance((latitude, longitude), (fromLatitude, fromLongitude))
    #expect(abs(distance - back) < 0.001)
  }
}
