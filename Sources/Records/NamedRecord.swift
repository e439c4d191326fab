package import CloudKitModel
package import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

package enum NamedRecord {
  package enum Command: String, Sendable {
    case get, delete, update
  }

  /// The names that the record of a type may have by its slug, where records do not store it.
  package typealias NamesOfSlug = (_ slug: String, _ recordType: String) -> [String]

  /// - Throws: ``CommandFailure`` when the type has no such record, or several with the slug.
  package static func find(
    _ name: String, _ type: KnownRecordType, namesOfSlug: NamesOfSlug = { _, _ in [] },
    in container: some Container
  ) async throws -> Record {
    let named = try await container.lookup(LookupRequest([name])).first?.found
    if let named, named.recordType == type.name { return named }
    let bySlug = try await records(called: name, type, namesOfSlug, in: container)
    if let record = bySlug.first, bySlug.count == 1 { return record }
    guard bySlug.isEmpty else {
      throw CommandFailure(
        "\(bySlug.count) \(type.name) records have the slug '\(name)'", details: bySlug.map(\.recordName),
        code: "bad-input", hint: "Give the name of one of them.")
    }
    if let named {
      throw CommandFailure(
        "record '\(name)' is of the type \(named.recordType), not \(type.name)", code: "bad-input")
    }
    let hasSlugs = mayHave("slug", type) || !namesOfSlug(name, type.name).isEmpty
    throw CommandFailure(
      "no \(type.name) record has the name\(hasSlugs ? " or the slug" : "") '\(name)'", code: "NOT_FOUND",
      hint: "List the names with 'records query \(type.name)'.")
  }

  /// The names of records: a name that no record has, and that is the slug or the address of one, becomes that record's.
  ///
  /// - Parameter types: those that may have slugs and addresses.
  /// - Throws: ``CommandFailure`` when several records have one of them, and for a name that is a record type.
  package static func names(
    _ given: [String], of types: [KnownRecordType], for command: Command, namesOfSlug: NamesOfSlug,
    in container: some Container
  ) async throws -> [String] {
    let outcomes = try await container.lookupAll(given, desiredKeys: [])
    var names: [String] = []
    for (name, outcome) in zip(given, outcomes) {
      guard outcome.error?.code == .notFound else {
        names.append(name)
        continue
      }
      if types.contains(where: { $0.name == name }) {
        throw isRecordType(name, beside: given.filter { $0 != name }, command)
      }
      var found: [Record] = []
      for type in types {
        found += try await records(called: name, type, namesOfSlug, in: container)
      }
      guard found.count < 2 else {
        throw CommandFailure(
          "\(found.count) records have the slug or the address '\(name)'",
          details: found.map { "\($0.recordType) \($0.recordName)" }, code: "bad-input",
          hint: "Give the name of one of them.")
      }
      names.append(found.first?.recordName ?? name)
    }
    return names
  }

  /// The failure for a record type in the place of a name.
  package static func isRecordType(
    _ type: String, beside others: [String], _ command: Command
  ) -> CommandFailure {
    let line = "celestra-admin records \(command.rawValue)"
    let rest = others.map(\.withoutUserRecordNames.shellWord).joined(separator: " ")
    let hint =
      switch command {
      case .update: "Type it first: \(line) \(type.shellWord) \(rest) …"
      case _ where !others.isEmpty: "Leave it out: \(line) \(rest)"
      case .get: "To print the records of the type: celestra-admin records query \(type.shellWord)"
      case .delete: "To delete records of the type, say which with --filter or --before."
      }
    let place =
      command == .update
      ? "stands where the name of a record is expected" : "'records \(command.rawValue)' takes only names"
    return .usage("'\(type)' is a record type, and \(place)", hint: hint)
  }

  /// `Did you mean 'hammer'?`, when one of the first records of the types has a name or a slug like it.
  ///
  /// - Parameter given: the names that were asked for: none of them was meant by another.
  package static func question(
    _ name: String, of types: [KnownRecordType], besides given: [String], in container: some Container
  ) async -> String? {
    var known: [String] = []
    for type in types where !PersonDigestPlaces.recordTypes.contains(type.name) {
      let keys = mayHave("slug", type) ? ["slug"] : []
      let page = try? await container.query(QueryRequest(Query(type.name), desiredKeys: keys))
      known += page?.records.flatMap { [$0.recordName, $0["slug"]?.string ?? $0.recordName] } ?? []
    }
    return SpellingSuggestion.question(name, among: known.filter { !given.contains($0) })
  }

  static func records(
    called name: String, _ type: KnownRecordType, _ namesOfSlug: NamesOfSlug, in container: some Container
  ) async throws -> [Record] {
    let named = try await container.lookupAll(namesOfSlug(name, type.name)).compactMap { try $0.found }
    if let record = named.first, record.recordType == type.name { return [record] }
    let field = name.contains("://") ? "feedURL" : "slug"
    guard mayHave(field, type) else { return [] }
    let query = Query(type.name, filters: [Filter(FieldName(field), equals: .string(name))])
    do { return try await container.allRecords(query) } catch let refusal as ServerError
      where refusal.code == .badRequest || refusal.code == .notFound
    {
      // The container has no such type or field, or the field has no index.
      return []
    }
  }

  /// Also where the schema is not known, as with a key alone.
  private static func mayHave(_ field: String, _ type: KnownRecordType) -> Bool {
    type.fields.map { $0[field] == .scalar(.string) } ?? true
  }
}
