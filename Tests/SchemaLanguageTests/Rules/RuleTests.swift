import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Rules") struct RuleTests {
  @Test("every rule's example triggers it and the text to use instead does not", arguments: SchemaRules.all)
  func example(rule: Rule) {
    guard !rule.example.isEmpty else { return }
    #expect(
      codes(of: rule.example).contains(rule.code),
      "the example of \(rule.code) found \(codes(of: rule.example))")
    #expect(
      !codes(of: rule.useInstead).contains(rule.code), "the fixed text of \(rule.code) still triggers it")
  }

  @Test("every finding has the severity its rule says", arguments: SchemaRules.all)
  func severity(rule: Rule) {
    for finding in findings(in: rule.example) where finding.code == rule.code {
      #expect(finding.severity == rule.severity)
    }
  }

  @Test("codes and names are unique, and the codes in order")
  func unique() {
    let codes = SchemaRules.all.map(\.code)
    #expect(codes == codes.sorted() && Set(codes).count == codes.count)
    #expect(Set(SchemaRules.all.map(\.name)).count == codes.count)
  }

  @Test("a text with syntax errors is not judged further than its declarations")
  func brokenText() {
    let found = SchemaLinter.diagnostics(
      parse(
        """
        DEFINE SCHEMA
        CREATE ROL Mods;
        RECORD TYPE T ( a STRING, a STRING, b UUID, GRANT WRITE TO Mods, GRANT WRITE TO "_icloud" );
        """))
    expectNoDifference(found.codes.sorted(), ["CK0104", "CK0107", "CK0121"])
  }

  @Test("over-wide grants are explained in plain words")
  func plainWords() {
    let found = SchemaLinter.diagnostics(
      parse(schema("\"___recordID\" REFERENCE QUERYABLE,\nGRANT READ, CREATE, WRITE TO \"_icloud\"")))
    expectNoDifference(found.map(\.message), ["any signed-in person can change and delete every T"])
  }

  @Test(
    "options are refused on the types that cannot take them and only there",
    arguments: [
      ("ENCRYPTED STRING", "QUERYABLE", true), ("LIST<ENCRYPTED STRING>", "SEARCHABLE", true),
      ("ASSET", "QUERYABLE", true), ("LIST<ASSET>", "SORTABLE", true), ("INT64", "SEARCHABLE", true),
      ("REFERENCE", "SEARCHABLE", true), ("LIST<INT64>", "SEARCHABLE", true),
      ("STRING", "SEARCHABLE", false), ("LIST<STRING>", "SEARCHABLE", false), ("BYTES", "SORTABLE", false),
      ("LOCATION", "SORTABLE", false), ("LIST<ENCRYPTED STRING>", "", false),
      ("TIMESTAMP", "SORTABLE", false),
    ])
  func options(type: String, option: String, isRefused: Bool) {
    let found = SchemaValidator.diagnostics(parse(schema("f \(type) \(option)")))
    expectNoDifference(found.codes, isRefused ? ["CK0124"] : [])
  }

  @Test("a misspelt role is suggested, an unknown one is to be created")
  func roles() {
    let near = SchemaValidator.diagnostics(parse(schema("f STRING,\nGRANT READ TO \"_wrold\"")))
    expectNoDifference(near.map(\.help), ["did you mean \"_world\"?"])
    let far = SchemaValidator.diagnostics(parse(schema("f STRING,\nGRANT READ TO Editors")))
    expectNoDifference(far.map(\.help), ["create it first: CREATE ROLE Editors;"])
  }

  @Test(
    "a type that says who did what is recognized however it is spelt",
    arguments: [
      "FeedSubscription", "feed_subscriptions", "SubscriptionRecord", "UserSubscribedFeed", "FeedSubscriber",
      "Bookmark", "article_likes", "UserFavorites", "LiveSessionParticipant", "EventAttendance", "ReadStatus",
      "GroupMembers", "BookmarkRecord", "ArticleLikeEntity", "SignUp", "CourseEnrollment",
    ])
  func memberships(name: String) {
    func codes(_ role: String) -> [String] {
      let members =
        "\"___recordID\" REFERENCE QUERYABLE, a STRING, GRANT CREATE TO \"_icloud\", GRANT READ TO \(role)"
      let text = "DEFINE SCHEMA CREATE ROLE Counter; RECORD TYPE \(name) ( \(members) );"
      return SchemaLinter.diagnostics(parse(text)).codes.filter { $0 != "CK0403" }
    }
    expectNoDifference(codes("\"_world\""), ["CK0305"])
    expectNoDifference(codes("\"_icloud\""), ["CK0305"])
    expectNoDifference(codes("Counter"), [])
  }

  @Test(
    "a word that means something else in a CloudKit app is no membership",
    arguments: [
      ("TeamMember", "a STRING"), ("CastMember", "a STRING"), ("UnitMember", "a STRING"),
      ("RKBlock", "a STRING"),
      ("ContentBlock", "a STRING"), ("SubscriptionPlan", "a STRING"), ("ReportTemplate", "a STRING"),
      ("CrashReport", "a STRING"), ("PriceHistory", "a STRING"), ("AgeRating", "a STRING"),
      ("Subscription", "monthlyPrice DOUBLE"), ("CD_Subscription", "a STRING"), ("Unlikely", "a STRING"),
    ])
  func noMemberships(name: String, field: String) {
    let members =
      "\"___recordID\" REFERENCE QUERYABLE, \(field), GRANT CREATE TO \"_icloud\", GRANT READ TO \"_world\""
    expectNoDifference(
      SchemaLinter.diagnostics(parse("DEFINE SCHEMA RECORD TYPE \(name) ( \(members) );")).codes, [])
  }

  @Test(
    "a field that says who somebody is is recognized however it is spelt",
    arguments: [
      ("userId STRING", true), ("user_ids LIST<STRING>", true), ("userRecordName STRING", true),
      ("UserID INT64", true),
      ("ownerUUID STRING", true), ("createdBy REFERENCE", true), ("author REFERENCE", true),
      ("members LIST<REFERENCE>", true),
      ("subscriberRecordNames LIST<STRING>", true), ("uid STRING", true), ("contact_email STRING", true),
      ("deviceIdentifier STRING", true), ("recipientRef STRING", true),
      ("organizerId STRING", true), ("leader_id STRING", true), ("organizer REFERENCE", true),
      ("userName STRING", false), ("author STRING", false), ("organizer STRING QUERYABLE", false),
      ("feedRecordName STRING", false),
      ("guid STRING", false),
      ("feedReference REFERENCE", false), ("status STRING", false), ("liquid STRING", false),
      ("\"___createdBy\" REFERENCE", false), ("\"___modifiedBy\" REFERENCE QUERYABLE", false),
      ("ghostID STRING", false), ("userid STRING", true),
      ("accountID STRING", true),
    ])
  func identifiers(field: String, isFound: Bool) {
    let members =
      "\"___recordID\" REFERENCE QUERYABLE,\n\(field),\nGRANT CREATE TO \"_icloud\",\nGRANT READ TO "
    expectNoDifference(
      SchemaLinter.diagnostics(parse(schema(members + "\"_world\""))).codes, isFound ? ["CK0306"] : [])
    expectNoDifference(SchemaLinter.diagnostics(parse(schema(members + "\"_creator\""))).codes, [])
  }

  // MARK: Fixtures

  private func codes(of text: String) -> Set<String> { Set(findings(in: text).codes) }

  /// Lints a rule's text. A comment `// {…}` in it is a query of the app, `// older: …` what it takes the place of.
  private func findings(in text: String) -> [Diagnostic] {
    let comments = text.split(separator: "\n").filter { $0.hasPrefix("// ") }.map { $0.dropFirst(3) }
    let queries = comments.first { $0.hasPrefix("{") }.map {
      QueryManifest(parsing: SourceText(name: "queries.json", "[\($0)]"))
    }
    let older = comments.first { $0.hasPrefix("older: ") }.map { line in
      let text = line.dropFirst("older: ".count)
      return text.hasPrefix("RECORD TYPE")
        ? "DEFINE SCHEMA \(text) ( roles LIST<INT64> );" : "DEFINE SCHEMA RECORD TYPE Feed ( \(text) );"
    }
    let parsed = parse(text)
    var options = LintOptions(queries: queries)
    options.older = older.map { (parse($0), nil) }
    options.selection = Self.everyRule
    let result = SchemaLinter.check(parsed, options)
    return result.diagnostics + [result.notices.first?.diagnostic].compactMap(\.self)
  }

  /// Includes the rules that are off by default.
  private static let everyRule = (try? RuleSelection(select: ["CK"], ignore: [])) ?? RuleSelection()
}
