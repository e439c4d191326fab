package import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

/// Finds one record of a type by its name, or by its slug where the type has slugs.
package enum NamedRecord {
  /// - Throws: ``CommandFailure`` when the type has no such record, or several with the slug.
  package static func find(
    _ name: String, _ type: KnownRecordType, in container: some Container
  ) async throws -> Record {
    let named = try await container.lookup(LookupRequest([name])).first?.found
    if let named, named.recordType == type.name { return named }
    let bySlug = try await records(withSlug: name, type, in: container)
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
    let hasSlugs = mayHaveSlugs(type)
    throw CommandFailure(
      "no \(type.name) record has the name\(hasSlugs ? " or the slug" : "") '\(name)'", code: "NOT_FOUND",
      hint: hasSlugs
        ? "List the names with 'records query \(type.name)'." : "Create it with 'records create'.")
  }

  private static func records(
    withSlug slug: String, _ type: KnownRecordType, in container: some Container
  ) async throws -> [Record] {
    guard mayHaveSlugs(type) else { return [] }
    let query = Query(type.name, filters: [Filter("slug", equals: .string(slug))])
    do { return try await container.allRecords(query) } catch let refusal as ServerError
      where refusal.code == .badRequest
    {
      // The type has no such field, or it has no index.
      return []
    }
  }

  /// Also where the schema is not known, as with a key alone.
  private static func mayHaveSlugs(_ type: KnownRecordType) -> Bool {
    type.fields.map { $0["slug"] == .scalar(.string) } ?? true
  }
}
