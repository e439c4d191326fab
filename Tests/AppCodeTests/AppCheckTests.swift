import Diagnostics
import Foundation
import SchemaLanguage
import Testing

@testable import AppCode

/// What an app's code uses and its schema lacks.
@Suite struct AppCheckTests {
  private func check(_ code: String, _ schema: String) -> AppCheck {
    AppCheck(
      AppUses(swift: [SourceText(name: "App.swift", code)]),
      against: SchemaParser.parse(SourceText(name: "app.ckdb", schema)))
  }

  private static let catalog: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return (try? String(contentsOf: root.appending(path: "schema/celestra.ckdb"), encoding: .utf8)) ?? ""
  }()

  @Test("the example of a rule has its finding, the code to use instead has none", arguments: AppRule.rules)
  func examples(_ rule: Rule) {
    #expect(check(rule.example, Self.catalog).findings.map(\.code) == [rule.code])
    #expect(check(rule.useInstead, Self.catalog).findings.isEmpty)
  }

  private static let kitchen = """
    DEFINE SCHEMA
    RECORD TYPE Recipe (
      "___recordID" REFERENCE QUERYABLE,
      "___createTime" TIMESTAMP SORTABLE,
      title STRING QUERYABLE,
      servingCount INT64,
      photo ASSET,
      author STRING,
      rating DOUBLE QUERYABLE,
      tags LIST<STRING> QUERYABLE,
      secret ENCRYPTED STRING,
      place LOCATION,
      GRANT CREATE TO "_icloud",
      GRANT READ TO "_world"
    );
    RECORD TYPE Review (
      stars INT64,
      GRANT CREATE TO "_icloud",
      GRANT READ TO "_world"
    );
    """

  /// An app whose code differs from the schema in nine places, and in no other.
  private static let app = ##"""
    import CloudKit
    enum RecordTypes {
      static let recipe = "Recipe"
      static let review: CKRecord.RecordType = "Review"
    }
    extension Recipe {
      enum Keys: String { case title, servings = "servingCount", photo }
    }
    struct Recipe {
      static let recordType = "Recipe"
      /* A comment with CKRecord(recordType: "Nope") /* nested */ */
      init?(record: CKRecord) {
        guard let title = record["title"] as? String else { return nil }
        _ = record[Keys.servings.rawValue]
        _ = record["missing"] as? Date // 1
      }
      var record: CKRecord {
        let made = CKRecord(recordType: Self.recordType)
        made[Keys.title.rawValue] = "Pie"
        made[#"photo"#] = CKAsset(fileURL: url)
        made.setValue(3.5, forKey: "rating")
        made.setObject("four" as NSString, forKey: "servingCount") // 2
        made.encryptedValues["secret"] = "x"
        return made
      }
    }
    final class Store {
      func load(_ database: CKDatabase) async throws {
        let predicate = NSPredicate(format: "author == %@ AND rating >= %f AND %@ IN tags", me, 3.0, "sweet") // 3
        let query = CKQuery(recordType: RecordTypes.recipe, predicate: predicate)
        query.sortDescriptors = [NSSortDescriptor(key: "rating", ascending: false),
          NSSortDescriptor(key: "creationDate", ascending: false)] // 4
        _ = try await database.records(matching: query, desiredKeys: ["title", "calories"]) // 5
        _ = CKQuery(recordType: "Review", predicate: NSPredicate(value: true)) // 6
        _ = CKQuery(recordType: "Shop", predicate: NSPredicate(value: true)) // 7
        _ = CKQuery(recordType: RecordTypes.review, predicate: NSPredicate(format: "self contains 'pie'")) // 8
        _ = CKQuery(recordType: "Recipe",
          predicate: NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < %f", here, 10)) // 9
      }
      func show(record: CKRecord, key: String) {
        if record.recordType == "Review" { print(record["stars"] as Any) }
        let plain = ["a": 1]; print(plain["b"] as Any, "\(record["photo"] ?? "none") \"quoted\"")
      }
    }
    """##

  @Test("each gap is found, at its line, and nothing else; what the code does not show is undecided")
  func gaps() throws {
    let checked = check(Self.app, Self.kitchen)
    let lines = Self.app.split(separator: "\n", omittingEmptySubsequences: false)
    let planted = [
      ("AP0102", "'missing'"), ("AP0105", "servingCount"), ("CK0201", "author"), ("CK0201", "rating"),
      ("AP0102", "calories"), ("CK0201", "Review.___recordID"), ("CK0202", "Shop"), ("CK0201", "words"),
      ("CK0201", "place"),
    ]
    #expect(checked.findings.count == planted.count, "\(checked.findings.map(\.message))")
    for (finding, (code, word)) in zip(checked.findings, planted) {
      #expect(finding.code == code && finding.message.contains(word), "\(finding.code) \(finding.message)")
    }
    let places = checked.undecided.map { lines[$0.start.line - 1] }
    #expect(places.count == 1 && places[0].contains("photo"), "\(places)")
  }

  @Test(
    "each declaration that a finding proposes can be pasted: the app then has what it needs, and lint has no finding"
  )
  func proposals() throws {
    let more = ##"""
      let order = CKRecord(recordType: "Order")
      let rating = CKRecord(recordType: "DishRating"); rating["stars"] = 3
      order["total"] = 3.5; order["note"] = note as NSString; order["grant"] = "x"
      order.encryptedValues["card"] = "4"
      let open = CKQuery(recordType: "Order", predicate: NSPredicate(format: "ANY lines == 'x' AND total > 3 AND creationDate > %@", a))
      open.sortDescriptors = [NSSortDescriptor(key: "note", ascending: true)]
      let words = CKQuery(recordType: "Dish", predicate: NSPredicate(format: "self CONTAINS %@ AND name BEGINSWITH %@", a, b))
      words.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let near = CKQuery(recordType: "Recipe", predicate: NSPredicate(format: "author CONTAINS %@ AND secret == %@", a, b))
      near.sortDescriptors = [NSSortDescriptor(key: "author", ascending: true), NSSortDescriptor(key: "origin", ascending: true)]
      """##
    let code = Self.app + more
    let before = check(code, Self.kitchen).findings
    let help = before.compactMap { $0.help?.split(separator: "declare it: ").last.map(String.init) }
    #expect(
      help.contains {
        $0
          == ##"RECORD TYPE Shop ("___recordID" REFERENCE QUERYABLE, GRANT CREATE TO "_icloud", GRANT READ TO "_world");"##
      }, "\(help)")
    let pasted = before.reduce(Self.kitchen, pasting)
    let after = check(code, pasted)
    // What the code does wrong is not in the schema, which text to search is the app's decision, and a field whose type
    // the code does not show has no line to paste.
    #expect(
      after.findings.map(\.code) == ["AP0105", "AP0102", "CK0201", "CK0208", "CK0208", "CK0202"],
      "\(after.findings.map(\.message)) \(pasted)")
    let parsed = SchemaParser.parse(SourceText(name: "app.ckdb", pasted))
    #expect(SchemaLinter.diagnostics(parsed).map(\.message) == [], "\(pasted)")
  }

  /// The schema with the declaration that a finding proposes: a type at its end, a line in its type.
  private func pasting(_ schema: String, _ finding: Diagnostic) -> String {
    guard let parts = finding.help?.components(separatedBy: "declare it: "), parts.count == 2 else {
      return schema
    }
    if parts[1].hasPrefix("RECORD TYPE") { return schema + "\n" + parts[1] }
    let name = parts[1].prefix { $0 != " " }
    let type = finding.message.components(separatedBy: "'").dropFirst().map { $0.prefix { $0 != "." } }.first
    {
      schema.contains("RECORD TYPE \($0) (")
    }
    var lines = schema.split(separator: "\n").map(String.init)
    guard let start = lines.firstIndex(of: "RECORD TYPE \(type ?? "") ("),
      let end = lines[start...].firstIndex(of: ");")
    else { return schema }
    if let old = lines[start..<end].firstIndex(where: { $0.contains("  \(name) ") }) { lines.remove(at: old) }
    lines.insert("  " + parts[1], at: start + 1)
    return lines.joined(separator: "\n")
  }

  @Test(
    "a name that cannot be declared is not proposed, and a system field has its name in Swift",
    arguments: [
      ("_private", "no field can have this name"), ("größe", "no field can have this name"),
      ("star.s", "did you mean 'stars'? No field can have this name"),
      ("___createdTime", "did you mean 'creationDate'? No field can have this name"),
      ("createdTimestamp", "did you mean 'creationDate'? If not, declare it: createdTimestamp INT64,"),
    ])
  func names(_ name: String, _ help: String) {
    let found = check("let r = CKRecord(recordType: \"Review\")\nr[\"\(name)\"] = 1", Self.kitchen).findings
    #expect(found.map(\.code) == ["AP0102"] && found[0].help?.hasPrefix(help) ?? false, "\(found)")
    let types = check("let r = CKRecord(recordType: \"My-Type\")\nr[\"\(name)\"] = 1", Self.kitchen).findings
    #expect(types.map(\.help) == ["no type can have this name: \(Schema.nameForm)"])
  }

  /// What an app does with generated code.
  private static let asks = """
    import CloudKit
    typealias Ask = Recipe.Query
    func pies() -> CKQuery {
      CKQuery(Recipe.self, where: [Recipe.Query.title == "Pie", Ask.tags.contains("sweet")],
        sortedBy: [Recipe.SystemQuery.createdTimestamp.descending])
    }
    func every() -> CKQuery { CKQuery(Recipe.self, where: []) }
    func any<T: RecordFields>(_ type: T.Type) -> CKQuery { CKQuery(T.self) }
    func load() async throws {
      _ = try await database.records(matching: .init(Recipe.self), desiredKeys: [Recipe.Field.title.rawValue])
    }
    """
  private static let filters = """
    extension Recipe { static var good: Filter<Recipe> { Query.rating >= 3 } }
    extension Recipe.Query { static var named: Filter<Recipe> { title.hasPrefix("A") } }
    let all = NSPredicate(value: true), later = Recipe.Query.title
    """

  @Test("generated code is exact: each type, field and type of values of its schema, and nothing else")
  func generated() {
    let schema = SchemaParser.parse(SourceText(name: "app.ckdb", Self.kitchen))
    let code = AppUses(
      swift: GeneratedFolder(schema, language: .swift).files.sorted { $0.key < $1.key }.map {
        SourceText(name: $0.key, $0.value)
      } + [SourceText(name: "Asks.swift", Self.asks), SourceText(name: "Filters.swift", Self.filters)])
    #expect(code.uses.count == 22, "\(code.uses.map(\.field))")
    #expect(code.undecided.map { $0.source.text(in: $0.offsets) } == ["T.self", "Recipe.Query.title"])
    #expect(AppCheck(code, against: schema).findings.isEmpty)
    let bare = Self.kitchen.replacing(" QUERYABLE", with: "").replacing(" SORTABLE", with: "")
    let missing = AppCheck(code, against: SchemaParser.parse(SourceText(name: "app.ckdb", bare))).findings
    #expect(missing.map(\.code) == Array(repeating: "CK0201", count: 5), "\(missing.map(\.message))")
    let changed = Self.kitchen.replacing("RECORD TYPE Review", with: "RECORD TYPE Other")
      .replacing("tags LIST<STRING>", with: "tags STRING").replacing("  secret ENCRYPTED STRING,\n", with: "")
    let found = AppCheck(code, against: SchemaParser.parse(SourceText(name: "app.ckdb", changed))).findings
    #expect(found.map(\.code) == ["AP0102", "AP0105", "AP0101", "CK0208"], "\(found.map(\.message))")
    #expect(found.first?.help?.contains("secret ENCRYPTED STRING") ?? false)
  }

  @Test("a Core Data model needs its types, its attributes and its relations to one record")
  func model() {
    let model = SourceText(
      name: "contents",
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" usedWithCloudKit="true">
        <entity name="Trip">
          <attribute name="title" optional="YES" attributeType="String"/>
          <attribute name="days" attributeType="Integer 16"/>
          <attribute name="note" attributeType="String" allowsCloudEncryption="YES"/>
          <attribute name="cache" transient="YES" attributeType="String"/>
          <attribute name="photo" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
          <attribute name="style" attributeType="Transformable"/>
          <relationship name="owner" maxCount="1" destinationEntity="Person"/>
          <relationship name="stops" toMany="YES" destinationEntity="Stop"/>
        </entity>
        <entity name="Child" parentEntity="Trip"><attribute name="x" attributeType="String"/></entity>
      </model>
      """)
    let schema = """
      DEFINE SCHEMA
      RECORD TYPE CD_Trip (
        CD_entityName STRING,
        CD_title STRING,
        CD_days STRING,
        CD_note ENCRYPTED STRING,
        CD_photo BYTES,
        CD_style BYTES
      );
      """
    let checked = AppCheck(
      CoreDataModel.uses(in: model, of: AppUses(swift: [])),
      against: SchemaParser.parse(SourceText(name: "a", schema)))
    // The records of an entity with a parent have the type of the root.
    #expect(checked.findings.map(\.code) == ["AP0105", "AP0102", "AP0102", "AP0102", "AP0102"])
    #expect(checked.findings.map { $0.range?.start.line } == [5, 8, 9, 10, 13])
    // Only values that are too large for a record need an asset.
    #expect(checked.findings.map(\.severity) == [.error, .error, .warning, .error, .error])
    #expect(checked.findings[1].help?.hasSuffix("declare it: CD_photo_ckAsset ASSET,") ?? false)
    #expect(checked.findings.last?.message == "'CD_Trip' has no field 'CD_x'")
    #expect(checked.undecided.isEmpty)
    let cut = SourceText(name: "a", model.text(in: 0..<300))
    for source in [SourceText(name: "a", "<plist/>"), SourceText(name: "a", ""), cut] {
      let problems = CoreDataModel.uses(in: source, of: AppUses(swift: [])).problems
      #expect(problems.map(\.code) == ["AP0107"], "\(problems)")
    }
    let version = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>App 2.xcdatamodel</string></dict></plist>
      """
    #expect(CoreDataModel.currentVersion(in: SourceText(name: "v", version)) == "App 2.xcdatamodel")
  }

  @Test("a model is compared if it is for CloudKit, and of its configurations those that are")
  func modelsForCloudKit() {
    func used(_ attribute: String, _ members: String = "", code: String?) -> [String] {
      let model = """
        <model \(attribute)><entity name="A"/><entity name="B"/>\(members)</model>
        """
      let code = AppUses(swift: code.map { [SourceText(name: "a.swift", $0)] } ?? [])
      let uses = CoreDataModel.uses(in: SourceText(name: "contents", model), of: code)
      return uses.undecided.map { _ in "undecided" }
        + uses.uses.filter { $0.kind == .type }.compactMap(\.recordType)
    }
    #expect(used("", code: "let a = NSPersistentContainer(name: name)") == ["undecided"])
    #expect(used("", code: nil) == ["undecided"])
    #expect(used("", code: "let a = NSPersistentCloudKitContainer(name: name)") == ["CD_A", "CD_B"])
    #expect(used(#"usedWithCloudKit="YES""#, code: "") == ["CD_A", "CD_B"])
    #expect(
      used(
        "",
        """
        <configuration name="Local"><memberEntity name="A"/></configuration>
        <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="B"/></configuration>
        """, code: "") == ["CD_B"])
    func link(_ name: String, _ inverse: String) -> String {
      "<relationship name=\"\(name)\" toMany=\"YES\" inverseName=\"\(inverse)\" inverseEntity=\"C\"/>"
    }
    #expect(
      used(
        "usedWithCloudKit=\"true\"", "<entity name=\"C\">" + link("a", "b") + link("b", "a") + "</entity>",
        code: nil)
        == ["CD_A", "CD_B", "CD_C", "CDMR"])
  }

  @Test(
    "what a name or a record is, where the code shows it",
    arguments: [
      // Users are looked up, never queried.
      ("fetch(recordType: \"Users\", predicate: NSPredicate(format: \"___recordID == %@\", id))", ["CK0202"]),
      // A record whose type the code does not show is undecided, and its field is missing where no type has it.
      ("func f(_ record: CKRecord) { record[\"stars\"] = 1 }", ["undecided"]),
      ("func f(_ record: CKRecord) { record[\"flavor\"] = 1 }", ["AP0102"]),
      ("let record = try await database.record(for: id); print(record[\"flavor\"])", ["AP0102"]),
      ("database.fetch(withRecordID: id) { record, error in print(record?[\"flavor\"] ?? 0) }", ["AP0102"]),
      (
        "switch result { case .success(let record): print(record[\"flavor\"]); default: break }",
        ["undecided"]
      ),
      // What the code shows of a value says more than its name.
      (
        "func f(record: [String: Any]) { print(record[\"flavor\"]); var aRecord = [\"a\": 1]; aRecord[\"flavor\"] = 2 }",
        []
      ),
      (
        "func f() throws { let record = try JSONSerialization.jsonObject(with: data) as! [String: Any]; print(record[\"flavor\"]) }",
        []
      ),
      (
        "func f() throws { guard let record = x as? [String: Any] else { return }; print(record[\"flavor\"])\nlet rec = try decoder.decode([String: String].self, from: data); print(rec[\"flavor\"]) }",
        []
      ),
      (
        "func f(rows: [[String: Any]], m: [String: [String: Int]]) { for record in rows { print(record[\"flavor\"]) }\nrows.map { record in record[\"flavor\"] }\nlet record = m[\"x\"]!; print(record[\"flavor\"])\nfor (_, record) in m { print(record[\"flavor\"]) }\nfor (_, record) in rows.enumerated() { print(record[\"flavor\"]) } }",
        []
      ),
      (
        "func load() -> [String: Any] { [:] }\nfunc f() { let record = load(); print(record[\"flavor\"]); let rec = Dictionary<String, Int>(); print(rec[\"flavor\"])\nall.each { (record: [String: Any]) -> Void in print(record[\"flavor\"]) }\nfor case let record as [String: Any] in all { print(record[\"flavor\"]) } }",
        []
      ),
      (
        "struct S { let record: [String: Any] }\nfunc f(s: S, record: Any) { print(s.record[\"flavor\"]); if let record = record as? [String: Any] { print(record[\"flavor\"]) } }",
        []
      ),
      (
        "func f(all: [CKRecord.ID: CKRecord]) { all[id]?[\"a\"] = 1\nfor (_, one) in all { print(one[\"b\"]) }\nall.forEach { id, record in print(record[\"c\"]) } }",
        ["AP0102", "AP0102", "AP0102"]
      ),
      // Another variable of the same name is not the record of that type.
      (
        "let record = CKRecord(recordType: \"Review\")\nfor record in all { print(record[\"title\"]) }",
        ["undecided"]
      ),
      ("let record = CKRecord(recordType: \"Review\")\nprint(other.record[\"title\"])", ["undecided"]),
      ("let record = known ?? CKRecord(recordType: \"Review\")\nrecord[\"title\"] = name", ["AP0102"]),
      // A parameter or a variable hides a constant, which belongs to its own type or file.
      (
        "let record = CKRecord(recordType: \"Review\")\nfunc f(key: String) { record[key] = 1 }",
        ["undecided"]
      ),
      (
        "enum Keys { static let other = \"nope\" }\nlet record = CKRecord(recordType: \"Review\")\nrecord[other] = 1",
        ["undecided"]
      ),
      (
        "func f() { let key = \"nope\"; let record = CKRecord(recordType: \"Review\"); record[key] = 1 }",
        ["AP0102"]
      ),
      (
        "struct A { private let type: String = \"Nope\"; func f() { let r = CKRecord(recordType: type) } }",
        ["AP0101"]
      ),
      (
        "extension CKRecord.RecordType { static let a = \"Nope\" }\nlet r = CKRecord(recordType: .a)",
        ["AP0101"]
      ),
      ("struct A { static var type: String { \"Nope\" } }\nlet r = CKRecord(recordType: A.type)", ["AP0101"]),
      // The record that an extension of CKRecord makes.
      (
        "extension CKRecord { convenience init(a: A) { self.init(recordType: \"Review\"); setValue(a, forKey: \"nope\") } }",
        ["AP0102"]
      ),
      (
        "switch record.recordType {\ncase \"Review\": print(record[\"title\"])\ncase \"Nope\": break\ndefault: break\n}",
        ["AP0102", "AP0101"]
      ),
      // The type of an expression is that of its result.
      (
        "func f(n: Int, size: Double, day: Date?, tags: [String]) {\nlet r = CKRecord(recordType: \"Recipe\")\nr[\"title\"] = n > 3 ? \"a\" : \"b\"; r[\"title\"] = !(n == 3) ? (n < 2 ? \"a\" : nil) : \"b\"; r[\"servingCount\"] = n == 1 && n < 3\nr[\"servingCount\"] = [\"a\": 1][\"a\"]; r[\"title\"] = [\"a\", \"b\"][n]; r[\"tags\"] = tags[0..<2]; r[\"rating\"] = 2 * size\nr[\"title\"] = if n > 2 { \"a\" } else { \"b\" }; r[\"title\"] = n != 1 ? \"a\" as NSString : other\nlet many = (r[\"servingCount\"] as? Int ?? 0) > 3 ? \"a\" : \"b\"; r[\"title\"] = many; r[\"title\"] = r[\"servingCount\"] ?? 0 > 3 ? \"a\" : \"b\" }",
        []
      ),
      (
        "func f(n: Int) {\nlet r = CKRecord(recordType: \"Recipe\")\nr[\"servingCount\"] = n > 3 ? \"a\" : \"b\"; r[\"title\"] = n == 0 ? nil : Date(); r[\"title\"] = [n, 0x1F, 0b1, 1_000][0]; r[\"servingCount\"] = \"a\" + name; r[\"kn\\u{6F}wn\"] = 1e-3 }",
        ["AP0105", "AP0105", "AP0105", "AP0105", "AP0102"]
      ),
      // What code puts together: all of it counts, and what cannot be followed is undecided.
      (
        "func f(a: String?) {\nvar all = [NSPredicate(format: \"title == 'a'\")]\nif let a { all += [NSPredicate(format: \"one == %@\", a)] + more }\nall.append(contentsOf: a == nil ? [] : [NSPredicate(format: \"two == 1\")]); add(&all)\nlet q = CKQuery(recordType: \"Recipe\", predicate: NSCompoundPredicate(andPredicateWithSubpredicates: all + [NSPredicate(format: \"three == 1\")]))\nlet p = CKQuery(recordType: \"Recipe\", predicate: a == nil ? NSPredicate(format: \"four == 1\") : (other ?? NSPredicate(format: \"five == 1\"))) }",
        ["CK0202", "CK0202", "CK0202", "CK0202", "CK0202", "undecided", "undecided", "undecided"]
      ),
      (
        "func f(a: String?) {\nvar format = \"title == 'a'\"\nif a != nil { format += \" AND one == %@\" } else { format = \"two == 0x1F\" + rest }\nlet p: NSPredicate\nif let a { p = NSPredicate(format: format, a) } else { p = NSPredicate(format: make()) }\nlet q = CKQuery(recordType: \"Recipe\", predicate: p) }",
        ["CK0202", "CK0202", "undecided", "undecided"]
      ),
      (
        "struct S { var format = \"title == 'a'\"\nmutating func add() { format += \" AND one == 1\" }\nfunc q() -> CKQuery { CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: format)) } }",
        ["undecided"]
      ),
      (
        "func f(more: [String]) {\nvar keys = [\"title\"]\nif a { keys += [\"one\"] + more } else { keys.append(\"two\") }\nlet o = CKQueryOperation(query: CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: \"title == 'a'\")))\no.desiredKeys = keys; o.query?.sortDescriptors = a ? [NSSortDescriptor(key: \"three\", ascending: true)] : sorts }",
        ["AP0102", "AP0102", "CK0202", "undecided", "undecided"]
      ),
      // A query that a function or a closure gets, and the notification of a subscription.
      (
        "func f() -> CKQuery { with(CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: \"title == 'a'\"))) { $0.sortDescriptors = [NSSortDescriptor(key: \"one\", ascending: true)] } }\nfunc g(_ q: CKQuery) { q.sortDescriptors = [NSSortDescriptor(key: \"two\", ascending: true)] }\nextension CKQuery { func by(_ key: String) { sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] } }\nfunc h(request: NSFetchRequest<A>, desiredKeys: [String]) { request.sortDescriptors = [NSSortDescriptor(key: \"no\", ascending: true)]; load(desiredKeys: desiredKeys) }",
        ["undecided", "undecided", "undecided", "undecided"]
      ),
      (
        "func f(s: CKQuerySubscription) {\nlet info = CKSubscription.NotificationInfo()\ninfo.alertLocalizationArgs = [\"one\"]; info.titleLocalizationArgs = [\"two\"]; info.subtitleLocalizationArgs = [\"three\"]; info.desiredKeys = [\"four\"]; s.notificationInfo = info\nlet t = CKQuerySubscription(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\"))\nt.notificationInfo?.alertLocalizationArgs = [\"title\"] }",
        ["AP0102", "AP0102", "AP0102", "AP0102", "AP0102"]
      ),
      // Only what a value surely is has a type.
      (
        "let record = CKRecord(recordType: \"Review\")\nrecord[\"stars\"] = Date().timeIntervalSince1970",
        ["AP0105"]
      ),
      ("let record = CKRecord(recordType: \"Review\")\nrecord[\"stars\"] = \"5\".count", []),
      ("let record = CKRecord(recordType: \"Review\")\nrecord[\"stars\"] = \"5\" as NSString", ["AP0105"]),
      // What declarations and casts show; any number is read as another, and a whole one is written to a DOUBLE.
      (
        "func f(day: Date) {\nlet record = CKRecord(recordType: \"Review\")\nrecord[\"stars\"] = day as NSDate\n}",
        ["AP0105"]
      ),
      (
        "struct A {\nlet note: String\nfunc f() {\nlet record = CKRecord(recordType: \"Review\")\nrecord[\"stars\"] = note\n}\n}",
        ["AP0105"]
      ),
      ("let record = CKRecord(recordType: \"Review\")\nlet s = record[\"stars\"] as? String", ["AP0105"]),
      (
        "func f(stars: Double) {\nlet record = CKRecord(recordType: \"Review\")\nrecord[\"stars\"] = stars; record[\"stars\"] = Int(stars)\nlet s = record[\"stars\"] as? Double\n}",
        ["AP0105"]
      ),
      (
        "let record = CKRecord(recordType: \"Review\")\nrecord.encryptedValues[\"stars\"] = stars", ["AP0105"]
      ),
      // Predicates and sorts with names, and several together.
      (
        "let sort = NSSortDescriptor(key: \"stars\", ascending: true)\nlet p = NSPredicate(format: \"title == %@\" + \" AND tags CONTAINS %@\", a, b)\nlet q = CKQuery(recordType: \"Recipe\", predicate: NSCompoundPredicate(andPredicateWithSubpredicates: [p, NSPredicate(format: \"author == %@\", me)]))\nq.sortDescriptors = [sort]",
        ["CK0201", "CK0202"]
      ),
      // A predicate that gets its value in branches or from a closure may be any of them, and another value is unknown.
      (
        "func f(a: String?) {\nlet p: NSPredicate\nif let a {\np = NSPredicate(format: \"author == %@\", a)\n} else {\np = NSPredicate(value: true)\n}\nlet q = CKQuery(recordType: \"Recipe\", predicate: p)\n}",
        ["CK0201"]
      ),
      (
        "func f() {\nlet p: NSPredicate = {\nif x {\nreturn NSPredicate(format: \"author == %@\", x)\n}\nreturn NSPredicate(value: true)\n}()\nlet q = CKQuery(recordType: \"Recipe\", predicate: p)\n}",
        ["CK0201"]
      ),
      (
        "func f() {\nlet p: NSPredicate\nif x {\np = NSPredicate(value: true)\n} else {\np = other\n}\nlet q = CKQuery(recordType: \"Recipe\", predicate: p)\n}",
        ["undecided"]
      ),
      (
        "func f() {\nlet p: NSPredicate = make()\nlet q = CKQuery(recordType: \"Recipe\", predicate: p)\n}",
        ["undecided"]
      ),
      // Texts that are put together, predicates and sorts in lists, and what initializers without a name make.
      (
        "enum Keys { static let author = \"author\" }\nlet q = CKQuery(recordType: \"Rec\" + \"ipe\", predicate: NSPredicate(format: \"\\(Keys.author) == %@\", me))",
        ["CK0201"]
      ),
      (
        "let q = CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: \"\\(name) == %@ AND title == '\\(title)'\", me))",
        ["undecided"]
      ),
      (
        "let q = CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: \"%K == %@\", argumentArray: [\"author\", me]))",
        ["CK0201"]
      ),
      ("ask(.init(recordType: \"Review\", predicate: .init(value: true)))", ["CK0201"]),
      ("let r = known ?? .init(recordType: \"Review\", recordID: id)\nr[\"title\"] = name", ["AP0102"]),
      (
        "func f() {\nvar all: [NSPredicate] = []\nall.append(NSPredicate(format: \"author == %@\", a))\nlet q = CKQuery(recordType: \"Recipe\", predicate: NSCompoundPredicate(andPredicateWithSubpredicates: all))\nlet sorts = [NSSortDescriptor(key: \"title\", ascending: true)]\nq.sortDescriptors = sorts\n}",
        ["CK0201", "CK0201"]
      ),
      ("fetch(recordType: \"Review\", predicate: NSPredicate(format: \"stars > 1\"))", ["CK0201"]),
      // CONTAINS asks a list, and no filter finds a part of a text or reads what is encrypted.
      (
        "fetch(recordType: \"Recipe\", predicate: NSPredicate(format: \"ANY tags == %@ AND tags CONTAINS %@ AND %@ IN tags AND NONE tags IN %@ AND %@ CONTAINS title\", a, b, c, d, e))",
        []
      ),
      (
        "fetch(recordType: \"Recipe\", predicate: NSPredicate(format: \"title CONTAINS %@ AND secret == %@ AND tags BEGINSWITH %@ AND photo != nil\", a, b, c))",
        ["CK0208", "CK0208", "CK0208", "CK0208"]
      ),
      // Predicates that properties and functions give.
      (
        "extension NSPredicate {\nstatic func by(_ me: String) -> NSPredicate { NSPredicate(format: \"author == %@\", me) }\n}\nlet q = CKQuery(recordType: \"Recipe\", predicate: .by(me))",
        ["CK0201"]
      ),
      (
        "struct Ask {\nvar text = \"\"\nvar mine: NSPredicate { NSPredicate(format: \"author == %@\", text) }\nvar all: NSPredicate { text.isEmpty ? NSPredicate(value: true) : mine }\nvar query: CKQuery { CKQuery(recordType: \"Recipe\", predicate: all) }\n}",
        ["CK0201"]
      ),
      (
        "struct Ask {\nvar all: NSPredicate { make() }\nvar query: CKQuery { CKQuery(recordType: \"Recipe\", predicate: all) }\n}",
        ["undecided"]
      ),
      (
        "let q = CKQuery(recordType: \"Recipe\", predicate: NSPredicate(value: true))\nq.sortDescriptors = [NSSortDescriptor(keyPath: \\CKRecord.modificationDate, ascending: true)]",
        ["CK0201"]
      ),
      (
        "let r = CKRecord(recordType: \"Recipe\")\nfunc f() {\nlet secret = r.encryptedValues\nprint(secret[\"nope\"] as? String ?? \"\")\n}",
        ["AP0102"]
      ),
      // Other names for types and keys, several values at once, and a record that was saved.
      (
        "enum Names { enum Recipe { static let author = \"authr\" } }\nfunc f() {\ntypealias N = Names.Recipe\nlet r = CKRecord(recordType: \"Recipe\")\nr[N.author] = \"x\"\n}",
        ["AP0102"]
      ),
      (
        "let prefix = \"Re\"\nenum Names { static let type = \"\\(prefix)view\" }\nlet r = CKRecord(recordType: Names.type)\nr[\"nope\"] = 1",
        ["AP0102"]
      ),
      (
        "enum Fields: String { case other }\ntypealias F = Fields\nlet record = CKRecord(recordType: \"Review\")\nrecord[F.other.rawValue] = 1",
        ["AP0102"]
      ),
      (
        "enum Fields: String { case other; var key: String { rawValue } }\nlet r = CKRecord(recordType: \"Review\")\nr[Fields.other.key] = 1",
        ["AP0102"]
      ),
      (
        "struct Field { static let other = FieldKey(rawValue: \"other\") }\nlet record = CKRecord(recordType: \"Review\")\nrecord[Field.other] = 1",
        ["AP0102"]
      ),
      (
        "extension CKRecord { convenience init(a: A) { self.init(recordType: \"Review\"); setValuesForKeys([\"stars\": 1, \"nope\": a]) } }",
        ["AP0102"]
      ),
      (
        "let record = CKRecord(recordType: \"Review\")\ndatabase.save(record) { [weak self] saved, error in print(saved?[\"title\"] ?? 0) }",
        ["AP0102"]
      ),
      // Records that queries and functions give, that lists hold, and another name of CKRecord.
      (
        "func f() async throws { let q = CKQuery(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\")); let r = try await db.records(matching: q)\nfor (_, one) in r.matchResults { if case .success(let record) = one { print(record[\"title\"]) } }\nprint(r.matchResults.compactMap { try? $0.1.get() }.first?[\"author\"]) }",
        ["AP0102", "AP0102"]
      ),
      (
        "func f() { let o: CKQueryOperation; if x { o = CKQueryOperation(cursor: c) } else { o = CKQueryOperation(query: CKQuery(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\"))) }\no.recordMatchedBlock = { id, result in if let record = try? result.get() { print(record[\"title\"]) } } }",
        ["undecided"]
      ),
      (
        "func f() { var o = CKQuery(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\")); if x { o = CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: \"FALSEPREDICATE\")) }\ndb.perform(o, inZoneWith: nil) { all, error in print(all?.first?[\"title\"]) } }",
        ["undecided"]
      ),
      // A query belongs to the operation that is made with it.
      (
        "func f() { let a = CKQueryOperation(cursor: c)\nlet b = CKQueryOperation(query: CKQuery(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\")))\na.desiredKeys = [\"title\"]; b.desiredKeys = [\"author\"] }",
        ["AP0102", "undecided"]
      ),
      (
        "let q = CKQuery(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\"))\ndatabase.perform(q, inZoneWith: nil) { records, error in guard let all = records else { return }; print(all.map { $0[\"title\"] }) }\nlet o = CKQueryOperation(query: q)\no.recordFetchedBlock = { record in print(record[\"author\"]) }",
        ["AP0102", "AP0102"]
      ),
      (
        "func mk() -> CKRecord { CKRecord(recordType: \"Review\") }\nfunc g() { let r = mk(); r[\"title\"] = 2 }",
        ["AP0102"]
      ),
      (
        "struct S { func made() -> CKRecord { let r = CKRecord(recordType: \"Review\"); return r } }\nfunc g(s: S) { let r: CKRecord = s.made(); r[\"title\"] = 1 }",
        ["AP0102"]
      ),
      (
        "func mk(_ t: String) -> CKRecord { CKRecord(recordType: t) }\nfunc g() { let r = mk(\"Review\"); r[\"title\"] = 1; r[\"nope\"] = 1 }",
        ["AP0102", "AP0102"]
      ),
      (
        "func f(rs: [CKRecord]) { for r in rs { print(r[\"a\"]) }\n_ = rs.compactMap { $0[\"b\"] as? String }\nrs.forEach { r in r[\"c\"] = 1 }\nrs[0][\"d\"] = 1; rs.first![\"e\"] = 1; rs.last?.setValue(1, forKey: \"f\")\nrs.forEach { r in texts.map { $0[\"no\"] } } }",
        ["AP0102", "AP0102", "AP0102", "AP0102", "AP0102", "AP0102", "undecided"]
      ),
      (
        "typealias Rec = CKRecord\nfunc f() { let r = Rec(recordType: \"Review\"); r[\"stars\"] = \"x\"; _ = Rec(recordType: \"Nope\") }",
        ["AP0105", "AP0101"]
      ),
      // Each place with a value of another type, as grave as it is there.
      (
        "func f(i: String) { let r = CKRecord(recordType: \"Review\"); r[\"stars\"] = i; r[\"stars\"] = \"x\" }",
        ["AP0105", "AP0105"]
      ),
      // Sorts that are added.
      (
        "let q = CKQuery(recordType: \"Review\", predicate: NSPredicate(format: \"FALSEPREDICATE\"))\nq.sortDescriptors = [NSSortDescriptor(key: \"a\", ascending: true)] + [NSSortDescriptor(key: \"b\", ascending: true)]\nq.sortDescriptors!.append(NSSortDescriptor(key: \"c\", ascending: true))\nq.sortDescriptors? += make()",
        ["CK0202", "CK0202", "CK0202", "undecided"]
      ),
      (
        "struct A { var newest: NSSortDescriptor { NSSortDescriptor(key: \"title\", ascending: false) }\nfunc f() { let q = CKQuery(recordType: \"Recipe\", predicate: NSPredicate(value: true)); q.sortDescriptors = [newest, other] } }",
        ["CK0201", "undecided"]
      ),
      ("let q = CKQuery(recordType: \"Recipe\", predicate: NSPredicate { _, _ in true })", ["AP0106"]),
      // An initializer or a function of the app's own: its argument is the record type, where the code shows it.
      (
        "enum Kind: String { case review = \"Review\"; var name: String { rawValue }\nvar odd: String { rawValue + \"x\" } }\nextension CKQuery { convenience init(_ kind: Kind, where predicate: NSPredicate = NSPredicate(value: true)) { self.init(recordType: kind.rawValue, predicate: predicate) } }\nfunc f(p: NSPredicate) { _ = CKQuery(.review, where: p); let q = CKQuery(.review, where: NSPredicate(format: \"title == 1 OR stars == 1\")); q.sortDescriptors = [NSSortDescriptor(key: \"stars\", ascending: true)] }",
        ["AP0106", "CK0202", "CK0201", "CK0201", "undecided"]
      ),
      (
        "enum Kind: String { case review = \"Review\"; var name: String { rawValue }\nvar odd: String { rawValue + \"x\" } }\nextension CKRecord { convenience init(_ kind: Kind, zone: Int = max(0, 1)) { self.init(recordType: kind.name) }\nconvenience init(odd: Kind) { self.init(recordType: odd.odd) } }\nfunc f(k: Kind) { print(CKRecord(.review)[\"title\"], CKRecord(k)[\"nope\"]); _ = CKRecord(odd: .review) }",
        ["AP0102", "AP0102", "undecided", "undecided"]
      ),
      (
        "enum Kind: String { case review = \"Review\"; var name: String { rawValue }\nvar odd: String { rawValue + \"x\" } }\nstruct S { func q(_ kind: Kind, by p: NSPredicate) -> CKQuery { CKQuery(recordType: kind.rawValue, predicate: p) } }\nfunc f(s: S, d: D) { _ = s.q(.review, by: NSPredicate(format: \"one == 1\")); _ = d.q(.review, by: NSPredicate(format: \"two == 1\")); _ = make().q(.review, by: NSPredicate(format: \"two == 1\")) }",
        ["CK0202", "undecided"]
      ),
      (
        "enum Kind: String { case review = \"Review\"; var name: String { rawValue }\nvar odd: String { rawValue + \"x\" } }\nenum Two: String { case review = \"Recipe\" }\nfunc r(_ kind: Kind) -> CKRecord { CKRecord(recordType: kind.rawValue) }\nfunc r(_ two: Two) -> CKRecord { CKRecord(recordType: two.rawValue) }\nfunc f() { _ = r(.review)[\"title\"] }",
        ["undecided", "undecided"]
      ),
      // What a maker makes that is given to other code, or stands behind a requirement, only running the code shows.
      (
        "protocol Maker { func make(_ type: String) -> CKRecord }\nstruct Own: Maker { func make(_ type: String) -> CKRecord { CKRecord(recordType: type) } }\nfunc f(m: any Maker, o: Own, names: [String]) { _ = o.make(\"Gone\"); _ = m.make(\"Nope\"); _ = names.map(o.make) }",
        ["AP0101", "undecided", "undecided"]
      ),
      // A comma in the type of a parameter begins no other parameter; each name of `let` is a declaration.
      (
        "struct Row { static let recordType = \"Review\"; let title: String, stars: String\ninit<T>(all: Result<T, Error>, record: CKRecord) { record[\"title\"] = 1; CKRecord(recordType: \"Review\")[\"stars\"] = stars } }",
        ["AP0102", "AP0105"]
      ),
      // The app of the users has no code for debugging.
      (
        "#if os(iOS) && DEBUG // a\nCKRecord(recordType: \"A\")\n#elseif (DEBUG)\nCKRecord(recordType: \"B\")\n#else\nCKRecord(recordType: \"C\")\n#endif",
        ["AP0101"]
      ),
      (
        "#if DEBUG || BETA\nCKRecord(recordType: \"A\")\n#elseif !DEBUG\nCKRecord(recordType: \"B\")\n#elseif os(iOS)\nCKRecord(recordType: \"C\")\n#else\nCKRecord(recordType: \"D\")\n#endif\n#if false\nCKRecord(recordType: \"E\")\n#endif",
        ["AP0101", "AP0101"]
      ),
    ] as [(String, [String])])
  func names(code: String, found: [String]) {
    let checked = check("import CloudKit\n" + code, Self.kitchen)
    let codes = checked.findings.map(\.code) + checked.undecided.map { _ in "undecided" }
    #expect(codes == found, "\(checked.findings.map(\.message))")
  }

  @Test(
    "a record is one by what binds its name, whatever the name: each field that no type has is found",
    arguments: [
      #"func f(_ §: CKRecord?) { guard let §, §.recordType == "Review" else { return }; §["x"] = 1 }"#,
      #"func f(_ §: CKRecord?) { guard let § else { return }; §["x"] = 1 }"#,
      #"func f(_ §: CKRecord?) { guard let § = §, ready else { return }; §["x"] = 1 }"#,
      #"func f(_ a: CKRecord?) { if ready, let § = a, §["x"] != nil { §["y"] = 1 } }"#,
      #"func f(_ §: CKRecord?, n: Int?) { if ready, let §, let n { §["x"] = n } }"#,
      #"func f(_ §: CKRecord?) { while let §, ready { §["x"] = 1 } }"#,
      #"final class S { var §: CKRecord?; func f() { guard let §, ready else { return }; §["x"] = 1; self.§?["y"] = 1 } }"#,
      #"func f(rs: [CKRecord]) { let § = rs.first; guard let §, ready else { return }; §["x"] = 1 }"#,
      #"func f(rs: [CKRecord]) { guard let § = rs.first(where: { $0["x"] != nil }), §["y"] != nil else { return }; §["z"] = 1 }"#,
      #"func f(a: CKRecord?) { guard let § = a else { return }; guard let § = §["x"] as? String else { return }; print(§) }"#,
      #"func f(a: Any) { if let § = a as? CKRecord { §["x"] = 1 } else if let § = a as? [String: Any] { _ = §["no"] } }"#,
      #"func f(rs: [CKRecord]) { let (§, other) = (rs[0], rs[1]); §["x"] = other["y"] }"#,
      #"func f(rs: [CKRecord]) { let a = rs[0], § = rs[1]; §["x"] = a["y"] }"#,
      #"func f(rs: [CKRecord]) { let pair = (one: rs[0], 2); pair.one["x"] = 1; let § = pair.0; §["y"] = 1 }"#,
      #"func make() -> (CKRecord, Bool) { fatalError() }\#nfunc f() { let (§, _) = make(); §["x"] = 1 }"#,
      #"func f(rs: [CKRecord]) { for § in rs.filter({ $0["y"] != nil }) { §["x"] = 1 } }"#,
      #"func f(rs: [CKRecord]) { for (i, §) in rs.enumerated() where §["y"] != nil { §["x"] = i } }"#,
      #"func f(rs: [CKRecord?]) { for case let §? in rs { §["x"] = 1 } }"#,
      #"func f(all: [Any]) { for case let § as CKRecord in all { §["x"] = 1 } }"#,
      #"func f(rs: Set<CKRecord>) { for § in rs.sorted(by: { $0.recordID.recordName < $1.recordID.recordName }) { §["x"] = 1 } }"#,
      #"func f(rs: [[CKRecord]]) { for some in rs { for § in some { §["x"] = 1 } } }"#,
      #"func f(rs: [CKRecord.ID: Result<CKRecord, Error>]) { for (_, result) in rs { if let § = try? result.get() { §["x"] = 1 } } }"#,
      #"func f(rs: [CKRecord.ID: Result<CKRecord, any Error>]) { for (_, .success(let §)) in rs { §["x"] = 1 } }"#,
      #"func f(rs: [CKRecord.ID: Result<CKRecord, any Error>]) { for case let (_, .success(§)) in rs { §["x"] = 1 } }"#,
      #"func f(rs: [String: CKRecord]) { for § in rs.values { §["x"] = 1 }\#nfor (_, §) in rs { §["y"] = 1 } }"#,
      #"func f(db: CKDatabase, ids: [CKRecord.ID]) async throws { for (_, result) in try await db.records(for: ids) { guard case .success(let §) = result else { continue }; §["x"] = 1 } }"#,
      #"func f(result: Result<CKRecord, Error>) { if case let .success(§) = result { §["x"] = 1 }\#nguard case .success(let §) = result, §["y"] != nil else { return }; §["z"] = 1 }"#,
      #"func f(result: Result<CKRecord, Error>) { switch result {\#ncase .success(let §): §["x"] = 1\#ncase .failure(let error): print(error) } }"#,
      #"enum State { case loaded(CKRecord, at: Date), empty }\#nfunc f(s: State) { switch s { case let .loaded(§, at: _): §["x"] = 1; case .empty: break } }"#,
      #"func f(a: CKRecord?) { switch a { case let §?: §["x"] = 1; case nil: break } }"#,
      #"func f(rs: [CKRecord]) { _ = rs.compactMap { § -> String? in §["x"] as? String } }"#,
      #"func f(rs: [CKRecord]) { _ = rs.compactMap { (§) -> String? in §["x"] as? String } }"#,
      #"func f(rs: [CKRecord]) { _ = rs.map { (§: CKRecord) async throws -> String? in §["x"] as? String } }"#,
      #"func f(rs: [CKRecord]) { rs.forEach { [weak self] § in self?.show(§["x"]) } }"#,
      #"func f(rs: [CKRecord]) { rs.enumerated().forEach { i, § in §["x"] = i }\#nrs.enumerated().forEach { $1["y"] = $0; $1["z"] = 1 } }"#,
      #"func f(rs: [CKRecord]) { rs.enumerated().forEach { (i, §) in §["x"] = i }\#nrs.enumerated().forEach { $0.element["y"] = 1 } }"#,
      #"func f(rs: [CKRecord]) { _ = rs.sorted { §, b in (§["x"] as? Int ?? 0) < (b["y"] as? Int ?? 0) }\#n_ = rs.reduce(0) { sum, § in sum + (§["z"] as? Int ?? 0) } }"#,
      #"func f(rs: [CKRecord]) { _ = Dictionary(grouping: rs) { § in §["x"] as? String }\#nfor (§, n) in zip(rs, [1]) { §["y"] = n } }"#,
      #"func f(rs: [CKRecord]) { let all = rs.filter { § in §["x"] != nil }.map { ($0, 1) }; for (§, n) in all { §["y"] = n } }"#,
      #"func load(done: @escaping ([CKRecord]) -> Void) {}\#nfunc f() { load { § in §[0]["x"] = 1; §.forEach { $0["y"] = 1 } } }"#,
      #"func f(rs: [CKRecord.ID: Result<CKRecord, Error>]) { rs.compactMap { try? $0.value.get() }.forEach { § in §["x"] = 1 }\#nlet § = rs.values.compactMap { § -> CKRecord? in try? § .get() }; §[0]["y"] = 1 }"#,
      #"func f(op: CKFetchRecordsOperation) { op.perRecordResultBlock = { id, result in if case .success(let §) = result { §["x"] = 1 } } }"#,
      #"func f(op: CKFetchRecordsOperation) { op.perRecordResultBlock = { (_: CKRecord.ID, result: Result<CKRecord, Error>) in let § = try? result.get(); §?["x"] = 1 } }"#,
      #"func f(db: CKDatabase, id: CKRecord.ID) async throws { let § = try await db.record(for: id); §["x"] = 1; db.fetch(withRecordID: id) { §, _ in §?["y"] = 1 } }"#,
      #"func f(a: CKRecord?) { let § = a.map { $0 }; §?["x"] = 1; a.map { § in §["y"] = 1 } }"#,
      #"extension CKRecord { var x: Any? { value(forKey: "x") }\#nvar y: Any? { object(forKey: "y") }\#nvar z: Any? { encryptedValues["z"] } }"#,
      #"func fill(_ §: CKRecordKeyValueSetting) { §["x"] = 1 }"#,
    ])
  func boundNames(code: String) {
    let fields = ["x", "y", "z"].filter { code.contains("\"\($0)\"") }
    for name in ["r", "record", "item", "title", "saved"] {
      let checked = check("import CloudKit\n" + code.replacing("§", with: name), Self.kitchen)
      #expect(
        Set(checked.findings.map(\.message)) == Set(fields.map { "no record type has a field '\($0)'" })
          || Set(checked.findings.map(\.message)) == Set(fields.map { "'Review' has no field '\($0)'" }),
        "\(name): \(checked.findings.map(\.message))")
      #expect(checked.undecided.isEmpty, "\(name): \(checked.undecided.map(checked.name))")
    }
  }

  @Test(
    "what is not known to be a record, or of which type a value is, makes no finding",
    arguments: [
      (#"func f(_ §: Row) { _ = §["x"] }"#, 0),
      (#"func f(_ §: [String: Any]) { for (_, §) in § { _ = §["x"] } }"#, 0),
      (
        #"func f(all: [[String: Int]]) { for (_, §) in all.enumerated() { _ = §["x"] }; all.forEach { § in _ = §["y"] } }"#,
        0
      ),
      (#"func f(s: Result<[String: Any], Error>) { if case .success(let §) = s { _ = §["x"] } }"#, 0),
      (
        #"func f(r: CKRecord) { if r["title"] != nil, let § = r["title"] as? [String: Int] { _ = §["x"] } }"#,
        2
      ),
      (#"func f(n: Notification) { _ = n.userInfo?["x"] as? String }"#, 0),
      (#"func f() { let § = make(); _ = §["x"]; _ = §[Key.rating]; _ = §["Content-Type"]; _ = §[0] }"#, 2),
      (
        #"func f() { make { § in §["x"] = 1 }; if case .success(let §) = outcome { _ = §["y"] }; _ = load()["z"] }"#,
        3
      ),
      (
        #"func f(c: Crag) { let § = CKRecord(recordType: "Recipe"); §[Key.rating] = c.rating; §[Key.tags] = c.tags as NSArray; §["photo"] = c.photo.title; §["title"] = c.count }"#,
        0
      ),
      (
        #"func f(c: Crag, s: String) { let § = CKRecord(recordType: "Recipe"); §["tags"] = s as NSArray; §["rating"] = c.state.rawValue; §["photo"] = c.url.map { CKAsset(fileURL: $0) } }"#,
        0
      ),
      (
        #"func f(§: CKRecord) { guard §.recordType == "Review" || §.recordType == "Recipe" else { return }; §["title"] = 1 }"#,
        1
      ),
      (#"func f(§: CKRecord) { let a = §.recordType == "Review"; if a { §["title"] = 1 } }"#, 1),
      (
        #"func f() { _ = CKRecord(recordType: .init("Review")); _ = CKRecord(recordType: CKRecord.RecordType("Recipe")); let § = CKRecord(recordType: .init(rawValue: "Review")); §["stars"] = 1 }"#,
        0
      ),
    ] as [(String, Int)])
  func unknownValues(code: String, undecided: Int) {
    let more = #"""
      import CloudKit
      enum Key { static let rating = "rating", tags = "tags" }
      struct Other { var rating: String; var tags: String; var photo: String; var title: String; var state: String }
      struct Row { subscript(key: String) -> Int { 0 } }
      """#
    for name in ["r", "record", "item"] {
      let checked = check("\(more)\n" + code.replacing("§", with: name), Self.kitchen)
      #expect(checked.findings.map(\.message) == [], "\(name)")
      #expect(checked.undecided.count == undecided, "\(name): \(checked.undecided.map(checked.name))")
    }
  }

  @Test(
    "what no query can have in its predicate is found, and nothing else",
    arguments: [
      ("title == 'a' OR title == 'b'", ["AP0106"]), ("title == 'a' || title == 'b'", ["AP0106"]),
      ("title LIKE 'a*'", ["AP0106"]), ("title MATCHES[c] 'a' AND title ENDSWITH 'b'", ["AP0106", "AP0106"]),
      ("ALL tags == 'a'", ["AP0106"]), ("SUBQUERY(tags, $t, $t == 'a').@count > 0", ["AP0106"]),
      ("owner.name == 'a'", ["AP0106"]), ("tags.@count > 1", ["AP0106"]),
      ("NOT (title == 'a' AND rating > 1)", ["AP0106"]), ("NOT self CONTAINS 'a'", ["AP0106"]),
      ("NOT rating BETWEEN {1, 2}", ["AP0106"]),
      ("distanceToLocation:fromLocation:(place, %@) > 5", ["AP0106"]),
      ("NOT title == 'a' AND NOT (tags CONTAINS 'b') AND rating BETWEEN {1, 2}", []),
      ("title ==[c] 'a' AND title BEGINSWITH[cd] 'b' AND self.title == 'c'", []),
      ("title IN {'a', 'b'} AND ANY {'a', 'b'} = title", []), ("FALSEPREDICATE", []),
      ("$who == title AND CAST(%@, 'NSDate') < rating AND NOT(now() == $day)", []),
      ("distanceToLocation:fromLocation:(%K, %@) < 5", ["CK0201"]),
      // What the format itself shows to be wrong.
      ("rating == 'three'", ["CK0208"]), ("'three' IN tags AND rating == 3", []),
      ("rating == 0x1F AND rating == 0b11 AND rating > 1.5e+2 AND servingCount == 1e3", ["CK0201"]),
    ] as [(String, [String])])
  func refusedPredicates(format: String, found: [String]) {
    let checked = check(
      "let q = CKQuery(recordType: \"Recipe\", predicate: NSPredicate(format: \"\(format)\", \"place\", here))",
      Self.kitchen)
    #expect(checked.findings.map(\.code) == found, "\(checked.findings.map(\.message))")
  }

  @Test(
    "a filter's value has the type of its field, as far as the code shows it",
    arguments: [
      ("\"stars == %@\", \"five\"", "error"), ("\"title == %d\", 5", "error"),
      ("\"podcast == 'p1'\"", "error"),
      ("\"publishedAt > 'yesterday'\"", "error"), ("\"stars == %@\", name", "warning"),
      ("\"publishedAt > 1700000000\"", "error"), ("\"publishedAt > %d\", count", "warning"),
      ("\"title == %@\", now as NSDate", "warning"), ("\"podcast IN %@\", [\"p1\"]", "warning"),
      ("\"title == %d\", count", "warning"), ("\"podcast == %@ AND recordID == %@\", id, id", ""),
      ("\"publishedAt > %@ AND title == %@\", now as CVarArg, name", ""),
      ("\"stars == %@\", NSNumber(value: 5)", ""),
      ("\"stars == %@ AND stars > %d AND stars < %f\", NSNumber(value: name), 5, size", ""),
      ("\"stars < %f\", 5.5", "error"),
      ("\"stars IN %@ AND title IN %@\", [1, 2], [\"a\"]", ""), ("\"%K == %@\", \"title\", \"5\"", ""),
      ("\"tags CONTAINS %@ AND title BEGINSWITH %@\", \"a\", name", ""), ("\"stars == YES\"", ""),
      ("\"stars == %@\", list.first", ""), ("\"stars BETWEEN %@\", [1, 5]", ""),
    ])
  func valuesOfFilters(arguments: String, found: String) {
    let checked = check(
      """
      func f(name: String, now: Date, id: CKRecord.ID, count: Int) {
        let q = CKQuery(recordType: "Episode", predicate: NSPredicate(format: \(arguments)))
      }
      """,
      """
      DEFINE SCHEMA RECORD TYPE Episode (
        "___recordID" REFERENCE QUERYABLE, podcast REFERENCE QUERYABLE, title STRING QUERYABLE, stars INT64 QUERYABLE,
        tags LIST<STRING> QUERYABLE, publishedAt TIMESTAMP QUERYABLE, GRANT READ TO "_world" );
      """)
    #expect(
      checked.findings.map { "\($0.code) \($0.severity)" } == (found.isEmpty ? [] : ["CK0208 \(found)"]))
  }

  @Test(
    "a proposed line has the type that the code shows, and none where it shows none",
    arguments: [
      ("r[\"x\"] = Date()", "x TIMESTAMP"), ("r[\"x\"] = [\"a\", \"b\"]", "x LIST<STRING>"),
      ("r[\"x\"] = CKAsset(fileURL: url)", "x ASSET"), ("r[\"x\"] = done ? 1 : 0", "x INT64"),
      ("r[\"x\"] = ids.map { CKRecord.Reference(recordID: $0, action: .none) }", "x LIST<REFERENCE>"),
      ("r[\"x\"] = NSNumber(value: 1.5)", "x DOUBLE"), ("r[\"x\"] = UUID().uuidString", "x STRING"),
      ("r[\"x\"] = try? JSONEncoder().encode(name)", "x BYTES"),
      ("r.setValue(note.date, forKey: \"x\")", "x TIMESTAMP"), ("r[\"x\"] = note.photo", "x ASSET"),
      ("r[\"x\"] = note.state.rawValue", "x INT64"),
      ("r[\"x\"] = note.labels.map(\\.rawValue)", "x LIST<STRING>"),
      ("if let day = note.date { r[\"x\"] = day as NSDate }", "x TIMESTAMP"),
      ("for tag in note.tags { r[\"x\"] = tag }", "x STRING"), ("r[\"x\"] = size * 2", "x DOUBLE"),
      ("r[\"x\"] = place", "x LOCATION"), ("r[\"x\"] = makeData()", "x BYTES"),
      ("r.encryptedValues[\"x\"] = note.date", "x ENCRYPTED TIMESTAMP"),
      ("let y = r[\"x\"] as? CKAsset", "x ASSET"),
      ("let y = r.object(forKey: \"x\") as? [Date]", "x LIST<TIMESTAMP>"),
      ("let y: Bool? = r[\"x\"]", "x INT64"), ("size = r[\"x\"] ?? 0.5", "x DOUBLE"),
      ("let y = (r[\"x\"] as? NSNumber)?.boolValue ?? false", "x INT64"),
      ("var note = note; note.date = r[\"x\"]", "x TIMESTAMP"), ("var y: Date? { r[\"x\"] }", "x TIMESTAMP"),
      ("r[\"x\"] = 1; let y = r[\"x\"] as? Double", "x DOUBLE"),
      ("ask(NSPredicate(format: \"x > %@\", Date() as NSDate))", "x TIMESTAMP QUERYABLE"),
      ("ask(NSPredicate(format: \"x == %@\", r.recordID))", "x REFERENCE QUERYABLE"),
      ("ask(NSPredicate(format: \"%K IN %@\", \"x\", note.tags))", "x STRING QUERYABLE"),
      ("ask(NSPredicate(format: \"x CONTAINS %@\", note.date))", "x LIST<TIMESTAMP> QUERYABLE"),
      ("ask(NSPredicate(format: \"x == YES\"))", "x INT64 QUERYABLE"),
      // What shows no type, or several.
      ("r[\"x\"] = other.value", "x <TYPE>"), ("print(r[\"x\"])", "x <TYPE>"),
      ("r[\"x\"] = Set<String>()", "x <TYPE>"),
      ("r[\"x\"] = 1; r[\"x\"] = \"a\"", "x <TYPE>"), ("r[\"x\"] = other.title", "x <TYPE>"),
      ("ask(NSPredicate(format: \"ANY x == %@\", other))", "x LIST<<TYPE>> QUERYABLE"),
    ])
  func proposedTypes(code: String, line: String) {
    let app = """
      import CloudKit
      enum State: Int { case open }
      enum Label: String { case new }
      struct Note { var date: Date?; let photo: CKAsset?; var state: State; var labels: [Label] = []; let tags: [String]; var title = "" }
      struct Other { var title: Int }
      func makeData() throws -> Data { Data() }
      func f(note: Note, place: CLLocation, size: inout CGFloat, done: Bool, ids: [CKRecord.ID]) {
        let r = CKRecord(recordType: "Review")
        \(code.replacing("ask(", with: "_ = CKQuery(recordType: \"Review\", predicate: "))
      }
      """
    let found = check(app, Self.kitchen).findings
    #expect(found.count == 1, "\(found.map(\.message))")
    #expect(found.first?.help?.hasSuffix(": \(line),") ?? false, "\(found.first?.help ?? "")")
    #expect(found.first?.help?.contains("does not show") == line.contains("TYPE"))
  }

  @Test("values of another type are as grave in each order of files, and are read or written")
  func gravity() {
    let files = [
      "import CloudKit\nfunc f(r: CKRecord) { guard r.recordType == \"Review\" else { return }; _ = r[\"stars\"] as? String }",
      "import CloudKit\nfunc save() { let r = CKRecord(recordType: \"Review\"); r[\"stars\"] = Date() }",
    ].enumerated().map { SourceText(name: "\($0).swift", $1) }
    let schema = SchemaParser.parse(SourceText(name: "app.ckdb", Self.kitchen))
    let found = [files, files.reversed()].map { AppCheck(AppUses(swift: $0), against: schema).findings }
    #expect(found[0].map(\.severity) == [.warning, .error])
    #expect(found[1].reversed().map(\.message) == found[0].map(\.message))
    #expect(found[0][0].message.contains("seems to read STRING from"))
    #expect(found[0][1].message.contains("writes TIMESTAMP to"))
    let unknown = AppCheck(
      AppUses(swift: [
        SourceText(name: "a.swift", "func f(r: CKRecord, k: String) { r[\"stars\"] = 1; r[k] = 1 }")
      ]),
      against: schema)
    #expect(
      unknown.undecided.map(unknown.reason).sorted() == [
        "only running the code shows the field", "the code does not show the record's type",
      ])
  }

  @Test("a finding about a query is where the predicate names the field, wherever the predicate is asked")
  func places() {
    let code = #"""
      import CloudKit
      enum Keys { static let mine = "author" }
      let old = NSPredicate(format: "tags CONTAINS %@ AND servingCount > 3", tag)
      let own = NSPredicate(format: "%K == %@", Keys.mine, me)
      let query = CKQuery(recordType: "Recipe", predicate: NSCompoundPredicate(andPredicateWithSubpredicates: [old, own]))
      """#
    let bytes = Array(code.utf8)
    let found = check(code, Self.kitchen).findings.compactMap { $0.range?.offsets }
    #expect(found.map { String(decoding: bytes[$0], as: UTF8.self) } == ["servingCount", "Keys"])
    #expect(found.map { code.utf8.prefix($0.lowerBound).count { $0 == UInt8(ascii: "\n") } } == [2, 3])
  }

  @Test(
    "where a file is cut or is not Swift is a finding and undecided; what is right has none",
    arguments: [
      ("func a() {\n  b(", 14), ("let a = \"b\nlet c = 1", 8), ("let a = \"\"\"\nb", 8), ("/* a", 0),
      ("let a = 1 }", 10),
      ("", nil), ("let a = \"\u{0}\"", 9), ("let a = /\"[^\"]/\nlet b = a / c / d\nlet c = #/\"/#", nil),
      ("let a = \"\\(b(\"c\"))\" // }\n#if DEBUG\n{\n#endif", nil),
    ] as [(String, Int?)])
  func unread(code: String, place: Int?) {
    let uses = AppUses(swift: [SourceText(name: "a.swift", code)])
    #expect(
      uses.problems.compactMap { $0.range?.offsets.lowerBound } == [place].compactMap { $0 },
      "\(uses.problems)")
    #expect(uses.undecided.count == uses.problems.count)
    let bytes = AppUses(swift: [SourceText(name: "a.swift", bytes: [0x61, 0xFF])])
    #expect(bytes.problems.first?.range?.offsets.lowerBound == 1)
  }

  @Test("code that is cut at any place is read")
  func cut() {
    let bytes = Array(Self.app.utf8)
    for part in [
      "(a: CKRecord", "CKRecord; a]?[0].b", "CKRecord(recordType:", "record[", "case .a:", "for CKRecord in",
      "let record =",
      "CKQuery(recordType: \"A\", predicate: NSCompoundPredicate(andPredicateWithSubpredicates: [",
    ] { _ = AppUses(swift: [SourceText(name: "a", part)]) }
    for end in stride(from: 0, to: bytes.count, by: 7) {
      _ = AppUses(swift: [SourceText(name: "a", bytes: Array(bytes[..<end]))])
      _ = AppUses(swift: [SourceText(name: "a", bytes: Array(bytes[end...]))])
    }
  }
}
