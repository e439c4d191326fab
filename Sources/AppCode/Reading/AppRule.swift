package import Diagnostics

/// What `schema check-app` finds, beside what it finds of queries, which has the codes of `schema lint --queries`.
///
/// An example is Swift code, checked against `schema/celestra.ckdb`.
package enum AppRule: String, RuleCode {
  case missingType = "AP0101"
  case missingField = "AP0102"
  case otherType = "AP0105"
  case refusedPredicate = "AP0106"
  case unreadCode = "AP0107"

  package var rule: Rule {
    switch self {
    case .missingType:
      rule(
        "app-type-missing", .error, "The app uses a record type that the schema does not have",
        why:
          "Development makes a type when an app saves its first record, so the developers see nothing. In Production the "
          + "service refuses each record and each query of the type.",
        example: "let record = CKRecord(recordType: \"PublicFeedd\")",
        useInstead: "let record = CKRecord(recordType: \"PublicFeed\")",
        source: Rule.reference("web-services", "query-refusals"))
    case .missingField:
      rule(
        "app-field-missing", .error, "The app uses a field that its record type does not have",
        why:
          "Development makes a field when an app saves the first value. In Production the service refuses the record.",
        example: "let feed = CKRecord(recordType: \"PublicFeed\")\nfeed[\"byline\"] = \"News\"",
        useInstead: "let feed = CKRecord(recordType: \"PublicFeed\")\nfeed[\"title\"] = \"News\"",
        source: Rule.reference("web-services", "query-refusals"))
    case .refusedPredicate:
      rule(
        "app-predicate-refused", .error, "A query's predicate has a part that CloudKit does not take",
        why:
          "A query takes fewer predicates than Foundation and Core Data do: no OR, ALL, LIKE, MATCHES, ENDSWITH, SUBQUERY or "
          + "block, no field of another record, and NOT only before a single comparison. It fails when it is run.",
        example:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(format: \"title == 'a' OR title == 'b'\"))",
        useInstead:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(format: \"title IN {'a', 'b'}\"))",
        source: Rule.reference("web-services", "native-predicates"))
    case .unreadCode:
      rule(
        "app-code-unread", .error, "A file is cut or cannot be read from a place on",
        why:
          "What follows a text, a comment or a bracket that is not closed may be read wrong, so names in it may be "
          + "missed, and a check that misses them has not passed. The place counts as undecided.",
        example: "func load() {\n  print(\"News\")", useInstead: "func load() {\n  print(\"News\")\n}",
        source: Rule.reference("web-services", "query-refusals"))
    case .otherType:
      rule(
        "app-other-type", .error, "The app keeps values of another type in a field",
        why:
          "The service refuses the record. A Core Data attribute whose type changed after the first deployment is of this "
          + "kind: its field keeps the type that it has.",
        example: "let feed = CKRecord(recordType: \"PublicFeed\")\nfeed[\"title\"] = 1",
        useInstead: "let feed = CKRecord(recordType: \"PublicFeed\")\nfeed[\"title\"] = \"News\"",
        source: Rule.reference("web-services", "query-refusals"))
    }
  }
}
