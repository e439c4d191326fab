internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

extension CommandContext {
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

  /// The query that a command line asks for. The schema is read once, and only where the query needs it.
  ///
  /// - Parameter fields: those wanted of each record.
  func query(
    _ recordType: String, filters: [String], sorts: [String] = [], fields: [String] = [],
    notation: QueryNotation = .own
  ) async throws -> Query {
    // A sort that no schema can make sense of is refused before the schema is read.
    _ = try notation.query(recordType, sorts: sorts, now: now)
    let isPlain = filters.isEmpty && sorts.isEmpty && fields.isEmpty
    let isLocal = try hasLocalContainer
    let schema = isPlain && !isLocal ? nil : try await schemaIfAvailable()
    let type: KnownRecordType
    do {
      type = try KnownRecordType(recordType, in: schema)
    } catch let failure as CommandFailure where isPlain {
      // What the service answers to a query of a type that it does not have.
      throw CommandFailure(
        failure.message, code: "NOT_FOUND", hint: failure.hint ?? "Compare schemas with 'schema diff'.")
    }
    return try type.query(filters: filters, sorts: sorts, printed: fields, notation: notation, now: now)
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
