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
      GRANT READ TO "_world"
    );
    RECORD TYPE Review (
      stars INT64,
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
        _ = record["missing"] // 1
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
        let plain = ["a": 1]; print(plain["b"] as Any, "\(record["unknown"] ?? "none") \"quoted\"")
      }
    }
    """##

  @Test("each gap is found, at its line, and nothing else; what the code does not show is undecided")
  func gaps() throws {
    let checked = check(Self.app, Self.kitchen)
    let lines = Self.app.split(separator: "\n", omittingEmptySubsequences: false)
    let planted = [
      ("AP0102", "'missing'"), ("AP0105", "servingCount"), ("AP0103", "author"), ("AP0104", "rating"),
      ("AP0102", "calories"), ("AP0103", "Review.___recordID"), ("AP0101", "Shop"), ("AP0103", "words"),
      ("AP0103", "place"),
    ]
    #expect(checked.findings.count == planted.count, "\(checked.findings.map(\.message))")
    for (finding, (code, word)) in zip(checked.findings, planted) {
      #expect(finding.code == code && finding.message.contains(word), "\(finding.code) \(finding.message)")
    }
    let places = checked.undecided.map { lines[$0.start.line - 1] }
    #expect(places.count == 1 && places[0].contains("unknown"), "\(places)")
  }

  @Test("a Core Data model needs its types, its attributes and its relations to one record")
  func model() throws {
    let model = SourceText(
      name: "contents",
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel">
        <entity name="Trip">
          <attribute name="title" optional="YES" attributeType="String"/>
          <attribute name="days" attributeType="Integer 16"/>
          <attribute name="note" attributeType="String" allowsCloudEncryption="YES"/>
          <attribute name="cache" transient="YES" attributeType="String"/>
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
        CD_note ENCRYPTED STRING
      );
      """
    let checked = AppCheck(
      try CoreDataModel.uses(in: model), against: SchemaParser.parse(SourceText(name: "a", schema)))
    #expect(checked.findings.map(\.code) == ["AP0105", "AP0102"])
    #expect(checked.findings.map { $0.range?.start.line } == [5, 8])
    #expect(checked.undecided.count == 1)
    #expect(throws: CoreDataModel.Failure.self) {
      try CoreDataModel.uses(in: SourceText(name: "a", "<plist/>"))
    }
    #expect(throws: CoreDataModel.Failure.self) {
      try CoreDataModel.uses(in: SourceText(name: "a", "not XML"))
    }
    let version = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>App 2.xcdatamodel</string></dict></plist>
      """
    #expect(CoreDataModel.currentVersion(in: SourceText(name: "v", version)) == "App 2.xcdatamodel")
  }

  @Test("code that is cut at any place is read")
  func cut() {
    let bytes = Array(Self.app.utf8)
    for end in stride(from: 0, to: bytes.count, by: 7) {
      _ = AppUses(swift: [SourceText(name: "a", bytes: Array(bytes[..<end]))])
      _ = AppUses(swift: [SourceText(name: "a", bytes: Array(bytes[end...]))])
    }
  }
}
