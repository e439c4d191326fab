package import Diagnostics

/// What `schema check-app` finds.
///
/// An example is Swift code, checked against `schema/celestra.ckdb`.
package enum AppRule: String, RuleCode {
  case missingType = "AP0101"
  case missingField = "AP0102"
  case filterNeedsIndex = "AP0103"
  case sortNeedsIndex = "AP0104"
  case otherType = "AP0105"
  case filterComparison = "AP0106"

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
    case .filterNeedsIndex:
      rule(
        "app-filter-needs-index", .error, "A query of the app filters by a field without the index for it",
        why:
          "The service refuses such a query. An index that was added by hand in Development is missing in Production.",
        example:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(format: \"siteURL == %@\", site))",
        useInstead:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(format: \"feedURL == %@\", url))",
        source: Rule.reference("web-services", "comparators-and-indexes"))
    case .sortNeedsIndex:
      rule(
        "app-sort-needs-index", .error, "A query of the app sorts by a field without a SORTABLE index",
        why: "The service refuses such a query.",
        example:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(value: true))\nquery.sortDescriptors = [NSSortDescriptor(key: \"siteURL\", ascending: true)]",
        useInstead:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(value: true))\nquery.sortDescriptors = [NSSortDescriptor(key: \"title\", ascending: true)]",
        source: Rule.reference("web-services", "comparators-and-indexes"))
    case .filterComparison:
      rule(
        "app-filter-comparison", .error,
        "A query of the app compares a field in a way that its type does not allow",
        why:
          "The service refuses such a query. CONTAINS asks whether a list has a value: text is found by its value, its "
          + "beginning or its words.",
        example:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(format: \"title CONTAINS %@\", word))",
        useInstead:
          "let query = CKQuery(recordType: \"PublicFeed\", predicate: NSPredicate(format: \"self CONTAINS %@\", word))",
        source: Rule.reference("web-services", "comparators-and-indexes"))
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
