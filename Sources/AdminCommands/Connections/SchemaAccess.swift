internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import Records
internal import SchemaLanguage

extension CommandContext {
  /// - Parameter canBeNew: a missing local container is treated as empty, and created by the first write.
  func schemaContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil
  ) async throws -> any SchemaManager {
    guard let schema = try await schemaSide(writing: writing, canBeNew: canBeNew, environment) else {
      throw CommandFailure.noManagementToken
    }
    noteTypesLeftOut()
    return schema
  }

  /// Says which types of the service the schema of a mirror does not show.
  func noteTypesLeftOut() {
    guard let mirror, !mirror.leftOut.isEmpty else { return }
    let names = mirror.leftOut.sorted().joined(separator: ", ")
    noteOnce("note: the mirror's schema lacks the service's record types that are not copied: \(names)")
  }

  /// Opens the schema operations. On CloudKit this needs only the management token, not a key for records.
  private func schemaSide(
    writing: Bool, canBeNew: Bool, _ environment: Environment?
  ) async throws -> (any SchemaManager)? {
    guard let id = try location.cloudKitID else {
      return try await openContainer(writing: writing, canBeNew: canBeNew, environment: environment).schema
    }
    return try managementContainer(id, try environment ?? self.environment)
  }

  /// The container's schema; `nil` without a management token that works.
  func schemaIfAvailable() async throws -> Schema? {
    try await readable(schemaSide(writing: false, canBeNew: false, nil))
  }

  /// The schema, or `nil` with a warning if the service refuses the management token: records do not need it.
  private func readable(_ manager: (any SchemaManager)?) async throws -> Schema? {
    do { return try await manager?.currentSchema() } catch let refusal as ServerError
      where refusal.isFromManagement
    {
      warn(
        "the service refuses the management token, so the schema is not read from it. "
          + (refusal.advice ?? ""))
      return nil
    }
  }

  /// Builds the query from command-line arguments. Reads the schema only if the query needs it.
  ///
  /// - Parameters:
  ///   - fields: the fields to return; `nil` for all.
  ///   - clock: of a container from which the records are deleted. A time that counts from now must then be certain.
  func query(
    _ recordType: String, filters: [String] = [], sorts: [String] = [], fields: [String] = [],
    deletingBy clock: ContainerClock? = nil
  ) async throws -> Query {
    // Report invalid sort syntax before the schema is read.
    _ = try QueryNotation.query(recordType, sorts: sorts, now: now)
    let isPlain = filters.isEmpty && sorts.isEmpty && fields.isEmpty
    let schema = try isPlain && usesService ? nil : await schemaIfAvailable()
    let type: KnownRecordType
    do {
      type = try KnownRecordType(recordType, in: schema)
    } catch let failure as CommandFailure {
      // A plain query gets the error that the service returns for an unknown record type.
      var shown = isPlain ? CommandFailure(failure.message, code: "NOT_FOUND") : failure
      shown.hint = schema.map { hint(for: recordType, in: $0) }
      throw shown
    }
    let conditions = filters.compactMap { try? FilterExpression($0) }
    for value in conditions.compactMap(\.valueWithBlanks) {
      noteOnce("note: '\(value)' is one value: commas separate the values of a list, double quotes hold one")
    }
    var now = now
    if conditions.contains(where: \.countsFromNow) {
      if let clock {
        now = try await clock.certainTime()
      } else {
        now = try await self.now(by: openContainer().container)
      }
    }
    return try type.query(filters: filters, sorts: sorts, printed: fields, now: now)
  }

  private func hint(for recordType: String, in schema: Schema) -> String {
    SpellingSuggestion.question(recordType, among: schema.recordTypes.map(\.name))
      ?? mirror?.advice(toCopy: [recordType]) ?? KnownRecordType.hint(for: recordType, in: schema)
  }

  /// Does what asks for a record type. Where the container does not know the type, the failure names the nearest one.
  func asking<Result>(_ recordType: String, _ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let refusal as ServerError where refusal.code == .notFound {
      var failure = CommandFailure(refusal)
      if let schema = try? await schemaIfAvailable() {
        failure.hint =
          schema[recordType: recordType] == nil
          ? hint(for: recordType, in: schema)
          : "The schema has this type. Check CLOUDKIT_BASE_URL: is CloudKit at that address?"
      }
      throw failure
    }
  }

  /// The record types of the schema that can be queried (Documentation/reference/web-services.md#query-refusals:
  /// Users may not).
  func queryableTypes() async throws -> [String] {
    guard let schema = try await schemaIfAvailable() else {
      throw CommandFailure.usage(
        "give the names of the record types, because the schema cannot be read without a management token")
    }
    return schema.recordTypes.map(\.name).filter { !SystemNames.isManaged($0) }
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

extension CommandContext {
  /// The schema that a job uses: the container's own if it can be read, otherwise the configured file, otherwise
  /// the bundled schema whose main record type the container has; `nil` if it has none of them.
  func knownSchema(_ handle: ContainerHandle) async throws -> Schema? {
    if let schema = try await readable(handle.schema) { return schema }
    if let path = try settings[.schema] { return try await validSchema(in: path).schema }
    for bundled in BundledSchema.all where try await handle.container.hasRecordType(bundled.mainType) {
      return try bundled.schema
    }
    return nil
  }

  /// What to do when ``knownSchema(_:)`` lacks something; `nil` unless it is a bundled one, which the container's may exceed.
  func hintAboutAssumedSchema(_ handle: ContainerHandle) throws -> String? {
    guard handle.schema == nil, try settings[.schema] == nil else { return nil }
    return
      "Without a management token the schema of this tool is compared. Name yours with CELESTRA_ADMIN_SCHEMA."
  }

  func schemaForJobs(_ handle: ContainerHandle) async throws -> Schema {
    if let schema = try await knownSchema(handle) { return schema }
    throw CommandFailure(
      "the container's schema cannot be read", code: "no-schema",
      hint: "Name its file in the configuration (CELESTRA_ADMIN_SCHEMA), or set a management token.")
  }

  /// The same without the types that the settings, or the comments of the project's schemas, assign to the private database.
  func schemaOfPublicTypes(_ handle: ContainerHandle) async throws -> Schema {
    var schema = try await schemaForJobs(handle)
    var named: [ParsedSchema] = []
    if let path = try settings[.schema] { named.append(try await validSchema(in: path)) }
    let privateTypes = try privateTypes(ofContainer: schema, named)
    schema.recordTypes.removeAll { privateTypes.contains($0.name) }
    return schema
  }

  /// The types of a container's schema, which has no comments, that the settings, or the comments of the project's schemas,
  /// assign to the private database.
  ///
  /// - Parameter first: schemas whose comments count before those of the others.
  func privateTypes(ofContainer schema: Schema, _ first: [ParsedSchema] = []) throws -> Set<String> {
    let options = try projectOptions()
    let known = first + (otherSchemas(than: []) ?? []) + [schema.parsed]
    let privateTypes = known.map { options.privateTypes(in: $0) }
    let names = schema.recordTypes.map(\.name).filter { name in
      let place = known.firstIndex { $0.recordTypes.contains { $0.name == name } }
      return place.map { privateTypes[$0].contains(name) } ?? false
    }
    return Set(names)
  }
}

/// A schema of this project, embedded in the binary from the files of `schema/` (through the links in `Resources`).
struct BundledSchema {
  let name: String
  /// The record type by which a container with this schema is recognized.
  let mainType: String
  let text: String

  static let all = [
    BundledSchema("celestra.ckdb", mainType: CatalogRecordType.publicFeed, PackageResources.celestra_ckdb),
    BundledSchema(
      "celestra-feed.ckdb", mainType: CatalogRecordType.cloudFeed, PackageResources.celestra_feed_ckdb),
    BundledSchema(
      "live-sessions.ckdb", mainType: LiveSessionRecordType.session, PackageResources.live_sessions_ckdb),
  ]

  static func parsed() throws -> [Schema] { try all.map { try $0.schema } }

  var schema: Schema { get throws { try Schema(parsing: text, name: name) } }

  private init(_ name: String, mainType: String, _ bytes: [UInt8]) {
    self.name = name
    self.mainType = mainType
    text = String(decoding: bytes, as: UTF8.self)
  }
}
