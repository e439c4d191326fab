package import Diagnostics
package import SchemaLanguage

/// Compares what an app's code says about records with a schema.
package struct AppCheck: Sendable {
  /// A use, and whether the schema has what it needs.
  package struct CheckedUse: Sendable {
    package let use: AppUse
    /// Whether the schema has the record type and the field.
    package let isDeclared: Bool
    /// Whether the field has the index of a filter or sort; `nil` for other uses, and where the field is missing.
    package let isIndexed: Bool?
  }

  package private(set) var uses: [CheckedUse] = []
  /// In the order of the code; each missing declaration once, at its first place.
  package private(set) var findings: [Diagnostic] = []
  /// Where only running the code shows a name, or which record type has a field.
  package private(set) var undecided: [SourceRange]

  private let types: [String: RecordTypeDeclaration]
  /// What the code shows of the types of fields, by record type and field, and by the field alone.
  private var shown: [String: DataType] = [:]
  private var reported: Set<String> = []

  package init(_ code: AppUses, against schema: ParsedSchema) {
    types = Dictionary(schema.recordTypes.map { ($0.name, $0) }) { first, _ in first }
    undecided = code.undecided
    for use in code.uses {
      guard let field = use.field, let type = use.dataType ?? use.castType else { continue }
      let declared = use.isEncrypted ? Self.encrypted(type) : type
      for name in ["\(use.recordType ?? "").\(field)", ".\(field)"] where shown[name] == nil {
        shown[name] = declared
      }
    }
    let uses = Dictionary(grouping: code.uses, by: \.recordType)
    // The fields that types lack for uses which show their type: these are reported there.
    let lacking = Set(
      code.uses.compactMap { use in
        use.recordType.flatMap { types[$0]?.indexes(of: use.field ?? "") } == nil && use.recordType != nil
          ? use.field : nil
      })
    for use in code.uses {
      guard let name = use.recordType else {
        checkAnyType(use, lacking)
        continue
      }
      if let type = types[name] {
        check(use, of: type)
      } else if !SystemNames.isManaged(name) {
        self.uses.append(CheckedUse(use: use, isDeclared: false, isIndexed: nil))
        reportMissing(name, use, uses[name] ?? [])
      }
    }
  }

  /// A field that no record type has is missing, whatever the type of its record.
  private mutating func checkAnyType(_ use: AppUse, _ lacking: Set<String>) {
    guard let name = use.field, !lacking.contains(name),
      !types.values.contains(where: { $0.indexes(of: name) != nil })
    else { return undecided.append(use.place) }
    uses.append(CheckedUse(use: use, isDeclared: false, isIndexed: nil))
    let near = SpellingSuggestion.nearest(
      to: name, among: Set(types.values.flatMap { $0.fields.map(\.name) }).sorted())
    report(
      .missingField, ".\(name)", use, "no record type has a field '\(name)'",
      help: near.map { "did you mean '\($0)'?" }
        ?? "declare it in the type of this record: \(name) \(typeText(of: name, in: "")). \(Self.canBeAdded("field"))"
    )
  }

  private mutating func check(_ use: AppUse, of type: RecordTypeDeclaration) {
    guard let name = use.field else {
      let isSearch = use.kind == .filter
      let searchable = type.fields.contains { $0.indexes.contains(.searchable) }
      uses.append(CheckedUse(use: use, isDeclared: true, isIndexed: isSearch ? searchable : nil))
      if isSearch, !searchable {
        report(
          .filterNeedsIndex, "\(type.name) *", use,
          "a search for words needs a SEARCHABLE field, and '\(type.name)' has none",
          help: "add SEARCHABLE to a field with text. \(Self.canBeAdded("index"))")
      }
      return
    }
    guard let indexes = type.indexes(of: name) else {
      uses.append(CheckedUse(use: use, isDeclared: false, isIndexed: nil))
      return reportMissing(name, of: type, use)
    }
    let isIndexed = checkIndex(indexes, name, type, use)
    uses.append(CheckedUse(use: use, isDeclared: true, isIndexed: isIndexed))
    if use.kind == .field { compareType(name, of: type, use) }
  }

  // MARK: What is missing

  private static func canBeAdded(_ what: String) -> String {
    "Production takes a new \(what) with the next deployment."
  }

  private mutating func reportMissing(_ name: String, _ use: AppUse, _ others: [AppUse]) {
    let near = SpellingSuggestion.nearest(to: name, among: types.keys.sorted())
    let fields = Set(others.compactMap(\.field).filter { SystemField(storedName: $0) == nil }).sorted()
    let lines = fields.map { "\($0) \(typeText(of: $0, in: name))" }
    report(
      .missingType, name, use, "the schema has no record type '\(name)'",
      help: near.map { "did you mean '\($0)'?" }
        ?? "declare it: RECORD TYPE \(name) (\((lines + [#"GRANT READ TO "_world""#]).joined(separator: ", "))). \(Self.canBeAdded("type"))"
    )
  }

  private mutating func reportMissing(_ name: String, of type: RecordTypeDeclaration, _ use: AppUse) {
    let near = SpellingSuggestion.nearest(to: name, among: type.fields.map(\.name))
    let words =
      [name, typeText(of: name, in: type.name)] + neededIndexes(of: use).prefix(1).map(\.rawValue)
    report(
      .missingField, "\(type.name).\(name)", use, "'\(type.name)' has no field '\(name)'",
      help: near.map { "did you mean '\($0)'?" }
        ?? "declare it: \(words.joined(separator: " ")). \(Self.canBeAdded("field"))"
    )
  }

  /// The type to declare a field with, or the word for one that the code does not show.
  private func typeText(of field: String, in type: String) -> String {
    (shown["\(type).\(field)"] ?? shown[".\(field)"])?.description ?? "TYPE"
  }

  private static func encrypted(_ type: DataType) -> DataType {
    guard case .scalar(.plain(let plain)) = type else { return type }
    return .scalar(.encrypted(plain))
  }

  private func neededIndexes(of use: AppUse) -> [Index] {
    switch use.kind {
    case .filter: use.comparator?.neededIndexes ?? []
    case .sort: NeededIndexes.ofSort
    case .field, .type: []
    }
  }

  private mutating func checkIndex(
    _ indexes: EnumSet<Index>, _ name: String, _ type: RecordTypeDeclaration, _ use: AppUse
  ) -> Bool? {
    let accepted = neededIndexes(of: use)
    guard let wanted = accepted.first else { return nil }
    guard indexes.isDisjoint(with: EnumSet(accepted)) else { return true }
    report(
      use.kind == .sort ? .sortNeedsIndex : .filterNeedsIndex, "\(type.name).\(name) \(wanted.rawValue)", use,
      "a \(use.kind.rawValue) needs a \(wanted.rawValue) index on '\(type.name).\(name)'",
      help:
        "declare it: \(type.line(of: name, adding: wanted).dropLast()). \(Self.canBeAdded("index"))"
    )
    return false
  }

  /// Only what the code states is compared: the type of an attribute, or of a literal.
  private mutating func compareType(_ name: String, of type: RecordTypeDeclaration, _ use: AppUse) {
    guard let declared = type.fields.first(where: { $0.name == name })?.type else { return }
    let wanted = use.dataType.flatMap { $0 == declared || Self.takes(declared, $0) ? nil : $0.description }
    let encrypts = use.isEncrypted && !declared.isEncrypted
    guard let wanted = wanted ?? (encrypts ? "an encrypted value" : nil) else { return }
    report(
      .otherType, "\(type.name).\(name)", use,
      "the code keeps \(wanted) in '\(type.name).\(name)', which is \(declared)",
      help:
        "change the code, or give the value a field of its own: a field's type cannot change once it is in Production."
    )
  }

  /// A whole number can be written to a DOUBLE, and an encrypted field takes what its type takes.
  private static func takes(_ declared: DataType, _ wanted: DataType) -> Bool {
    switch (declared.primitive, wanted.primitive) {
    case (.encrypted(let left), .plain(let right)): left == right
    case (.plain(.double), .plain(.int64)), (.number, .plain(.int64)), (.number, .plain(.double)): true
    default: false
    }
  }

  private mutating func report(
    _ rule: AppRule, _ subject: String, _ use: AppUse, _ message: String, help: String
  ) {
    guard reported.insert("\(rule.code) \(subject)").inserted else { return }
    findings.append(Diagnostic(rule, message, at: use.place, help: help))
  }
}

/// What `schema check-app` finds.
///
/// An example is Swift code, checked against `schema/celestra.ckdb`.
package enum AppRule: String, RuleCode {
  case missingType = "AP0101"
  case missingField = "AP0102"
  case filterNeedsIndex = "AP0103"
  case sortNeedsIndex = "AP0104"
  case otherType = "AP0105"

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
