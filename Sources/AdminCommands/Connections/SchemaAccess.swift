internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

extension Session {
  /// - Parameter canBeNew: a local container that is not there yet is an empty one, and made when written to.
  func schemaContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil
  ) async throws -> any SchemaContainer {
    guard let schema = try await schemaSide(writing: writing, canBeNew: canBeNew, environment) else {
      throw CommandFailure.noManagementToken
    }
    return schema
  }

  /// On CloudKit this needs the management token alone: who works on schemas may have no key for records.
  private func schemaSide(
    writing: Bool, canBeNew: Bool, _ environment: Environment?
  ) async throws -> (any SchemaContainer)? {
    guard case .cloudKit(let id) = try spec else {
      return try await handle(writing: writing, canBeNew: canBeNew, environment: environment).schema
    }
    return try managementContainer(id, try environment ?? self.environment)
  }

  /// The container's schema where it can be had; `nil` without a management token.
  func schemaIfAvailable() async throws -> Schema? {
    try await schemaSide(writing: false, canBeNew: false, nil)?.currentSchema()
  }

  /// Production's schema, to know what development may no longer drop: empty where there is no container yet.
  func productionSchema() async throws -> Schema? {
    guard try environment == .development else { return nil }
    return try await schemaContainer(canBeNew: true, environment: .production).currentSchema()
  }

  /// The query that a command line asks for. The schema is read once, and only where it has something to say.
  ///
  /// - Parameter fields: those wanted of each record.
  func query(
    _ recordType: String, filters: [String], sorts: [String] = [], fields: [String] = [],
    notation: QueryNotation = .own
  ) async throws -> Query {
    // What makes no sense in any schema is told without one.
    _ = try notation.query(recordType, sorts: sorts)
    let isPlain = filters.isEmpty && sorts.isEmpty && fields.isEmpty
    let declared = isPlain ? nil : try await declaredFields(of: recordType)
    let query = try notation.query(recordType, filters: filters, sorts: sorts, declared: declared)
    let named = query.filters.map(\.field) + query.sorts.map(\.field)
    for field in named.map(\.storedName) + fields { try refuse(field, unlessIn: declared, of: recordType) }
    return query
  }

  /// The declared types of a record type's fields, where the schema can be had. Throws for a type that it does not
  /// have.
  func declaredFields(of recordType: String) async throws -> [String: FieldType]? {
    guard let schema = try await schemaIfAvailable() else { return nil }
    guard let type = schema[recordType: recordType] else {
      let near = Suggestion.nearest(to: recordType, among: schema.recordTypes.map(\.name))
      throw CommandFailure.usage(
        "the container's schema has no record type '\(recordType)'",
        hint: near.map { "Did you mean '\($0)'?" })
    }
    return Dictionary(
      type.fields.map { ($0.name, FieldType($0.type)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Refuses a field that the record type does not have, where the schema is known. System fields every type has.
  func refuse(_ name: String, unlessIn declared: [String: FieldType]?, of recordType: String) throws {
    guard let declared, declared[name] == nil, !name.hasPrefix("___") else { return }
    let near = Suggestion.nearest(to: name, among: declared.keys.sorted())
    throw CommandFailure.usage(
      "\(recordType) has no field '\(name)'", hint: near.map { "Did you mean '\($0)'?" })
  }

  /// Every type of the schema that may be queried (Documentation/reference/web-services.md#query-refusals: Users may
  /// not).
  func queryableTypes() async throws -> [String] {
    guard let schema = try await schemaIfAvailable() else {
      throw CommandFailure.usage(
        "name the record types: without a management token the schema cannot be read")
    }
    return schema.recordTypes.map(\.name).filter { $0 != "Users" && $0 != "cloudkit.share" }
  }
}

extension CommandFailure {
  static let noManagementToken = CommandFailure(
    "schema access needs a management token; none is configured", code: "no-token",
    hint:
      "Make one in the CloudKit Console under your account's Settings, Tokens; then 'auth save-token', or "
      + "set CLOUDKIT_MANAGEMENT_TOKEN and CLOUDKIT_TEAM_ID.",
    status: .denied)
}
