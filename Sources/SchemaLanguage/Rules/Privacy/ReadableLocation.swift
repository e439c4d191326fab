import Diagnostics

extension SchemaRule {
  static let readableLocation = SchemaRule(
    Rule(
      "CK0309", "readable-location", .warning,
      summary: "Strangers can read where a person is",
      rationale:
        "A LOCATION in a record that a person creates shows where this person lives, works or is, together "
        + "with the creator's user record name. The rule skips types that only a role of your own creates, "
        + "and types named after places.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Walker (
            "___recordID" REFERENCE QUERYABLE,
            home LOCATION,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Walker (
            "___recordID" REFERENCE QUERYABLE,
            region STRING,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where type.isReadByStrangers && type.mayBeAPersons {
      let isPlace = IdentifierWords(type.name).contains(places)
      for field in type.fields where field.type?.primitive == .plain(.location) {
        let name = IdentifierWords(field.name)
        // A generic name such as `g_01` has no meaning.
        guard name.words.contains(where: { $0.count > 2 }) else { continue }
        guard !isPlace || name.contains(whereabouts) else { continue }
        findings.report(
          "'\(type.name).\(field.name)' may be where a person is, and strangers can read it",
          at: field.nameRange,
          help: "store a coarse area, keep it in the private database, or grant READ to fewer roles")
      }
    }
  }

  private static let places: Set<String> = [
    "place", "venue", "store", "shop", "restaurant", "cafe", "bar", "hotel", "station", "stop", "airport",
    "city", "country", "town", "landmark", "poi", "spot", "trail", "route", "park", "beach", "museum",
    "school", "building", "site", "address", "region", "location", "map", "marker", "geofence",
  ]

  /// Words for a person's own places.
  private static let whereabouts: Set<String> = ["home", "work", "current", "last", "live", "user", "my"]
}

extension RecordTypeDeclaration {
  /// Whether users may create records of the type, not only custom roles.
  fileprivate var mayBeAPersons: Bool {
    let creators = grants.filter { $0.grant.privileges.contains(.create) }.map(\.grant.role)
    return creators.isEmpty || creators.contains { SystemNames.roles.contains($0) }
  }
}
