package import Diagnostics

/// The question that a file leaves open: which of its record types belong to the private database. It stands beside
/// the findings and never fails a check.
package struct DatabaseNotice: Sendable {
  /// The types that look private, each with the reason.
  let candidates: [(name: String, evidence: PrivateEvidence)]
  /// The number of the file's types, without those that CloudKit manages.
  let typeCount: Int
  /// The place of DEFINE SCHEMA.
  let place: SourceRange

  init?(_ parsed: ParsedSchema, _ databases: RecordTypeDatabases) {
    let types = parsed.recordTypes.filter { !SystemNames.isManaged($0.name) }
    candidates = types.compactMap { type in
      databases.evidence[type.name].map { (type.name, $0) }
    }
    guard !candidates.isEmpty else { return nil }
    typeCount = types.count
    place = parsed.source.range(parsed.headerRange)
  }

  static let answer =
    "set schema.database to public or private in celestra-admin.json, and the exceptions in schema.privateTypes or "
    + "schema.publicTypes; or write // celestra:private or // celestra:public above the type"

  /// Whether a finding is the notice, and not made a finding by the settings.
  static func isNotice(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.code == SchemaCode.databaseUnknown.code && diagnostic.severity == .note
  }

  /// Whether an older version of the file left the same question open.
  func asksNothingNew(since older: DatabaseNotice) -> Bool {
    Set(candidates.map { $0.name }).isSubset(of: older.candidates.map { $0.name })
  }

  /// How many types look private, why, what is not judged for it, and what to write.
  package var diagnostic: Diagnostic {
    let reasons = PrivateEvidence.allCases.compactMap { evidence -> String? in
      let names = candidates.filter { $0.evidence == evidence }.map { $0.name }
      return names.isEmpty
        ? nil : "\(listed(names, upTo: 3)) because \(evidence.words(isOne: names.count == 1))"
    }
    let verb = candidates.count == 1 ? "looks" : "look"
    let isWeak = candidates.contains { !$0.evidence.isStrong }
    return Diagnostic(
      SchemaCode.databaseUnknown,
      "\(candidates.count) of \(counted(typeCount, "record type")) \(verb) private: "
        + reasons.joined(separator: "; ")
        + (isWeak ? "; whether apps can list them is not judged" : ""),
      at: place, help: Self.answer)
  }

  var json: JSONValue {
    [
      "file": .string(place.source.name),
      "recordTypes": .array(
        candidates.map { ["name": .string($0.name), "reason": .string($0.evidence.rawValue)] }),
    ]
  }
}

extension [DatabaseNotice] {
  /// `result.databaseNotice`: `{"message", "help", "files": [{"file", "recordTypes": [{"name", "reason"}]}]}`.
  package var json: JSONValue? {
    guard let first else { return nil }
    let message =
      count == 1
      ? first.diagnostic.message
      : "\(reduce(0) { $0 + $1.candidates.count }) of \(reduce(0) { $0 + $1.typeCount }) record types in \(count) files look private"
    return [
      "message": .string(message), "help": .string(DatabaseNotice.answer), "files": .array(map(\.json)),
    ]
  }
}
