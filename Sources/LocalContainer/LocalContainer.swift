package import CloudKitModel
internal import SchemaLanguage

/// A CloudKit container in one SQLite file: one environment of a ``LocalStore``, with the access rights of one
/// identity.
package struct LocalContainer: Container {
  package let store: LocalStore
  package let environment: Environment
  /// The user or key that every request is made as.
  package let caller: CallerIdentity

  package init(
    store: LocalStore, environment: Environment = .development, identity: CallerIdentity = .serverKey
  ) {
    self.store = store
    self.environment = environment
    caller = identity
  }

  /// Opens a container file, or creates a container in memory. Throws `ContainerFailure` when the file is busy,
  /// damaged, not a container, of a newer version, or cannot be reached. The file is unchanged after a failure.
  package static func open(
    _ location: LocalStore.Location, environment: Environment = .development,
    identity: CallerIdentity = .serverKey,
    access: LocalStore.Access = .readWriteOrNew, settings: LocalContainerSettings = LocalContainerSettings()
  ) throws -> LocalContainer {
    LocalContainer(
      store: try LocalStore(location, access: access, settings: settings), environment: environment,
      identity: identity)
  }

  package var identity: ContainerIdentity {
    ContainerIdentity(name: store.name, environment: environment, id: store.isOfMissingFile ? nil : id)
  }

  package var id: String { store.id }

  package var grouping: (any GroupCountingContainer)? { self }
  /// A mirror has digests in place of the service's users, and none of them is its caller.
  package var callerRecordName: String? { store.mirror == nil ? caller.userRecordName : nil }
  package var simulatedUsers: (any SimulatedUsersContainer)? { self }
  /// A mirror's clock stands at the moment for which it speaks.
  package var clock: ContainerClock {
    guard let moment = store.mirror?.asOf else { return ContainerClock(local: store.settings.now) }
    return ContainerClock(local: { moment })
  }

  /// One page of a query, with at most ``LocalContainerSettings/pageSize`` records.
  package func query(_ request: QueryRequest) async throws -> QueryPage {
    try checkMirrored(request.query.recordType)
    do { return try await reading { try $0.page(request) } } catch let refusal as ServerError {
      throw refusal.ofQuery(of: request.query.recordType)
    }
  }

  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (QueryRunner) throws -> Value
  ) async throws -> Value {
    try await store.read(environment) { [store, caller] db, layout in
      try body(
        QueryRunner(db: db, layout: layout, identity: caller, settings: store.settings, lag: store.lag))
    }
  }

  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try checkMirrored(request.recordType)
    try store.checkCount(request.recordNames.count)
    return try await store.read(environment) { [settings = store.settings, caller] db, layout in
      var reader = RecordReader(db, layout, deviceID: settings.deviceID, desiredKeys: request.desiredKeys)
      return try reader.outcomes(
        request.recordNames, Permissions(identity: caller, behavior: settings.behavior))
    }
  }

  /// Refuses assets as the service does: nothing can be uploaded here, so no receipt is valid
  /// (Documentation/reference/web-services.md#assets).
  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    let accepted = operations.filter { !$0.writesAsset }
    var outcomes = try await write(accepted)[...]
    guard accepted.count < operations.count else { return Array(outcomes) }
    return operations.compactMap {
      $0.writesAsset ? .failed(recordName: $0.recordName, .badReceipt) : outcomes.popFirst()
    }
  }

  /// Applies the operations in one transaction; each operation has its own outcome. If the process is killed,
  /// either all accepted operations are stored or none. Throws ``ServerError`` for more than 200 operations, or without
  /// a signed-in user or key.
  package func write(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try store.checkCount(operations.count)
    guard caller.userRecordName != nil else {
      throw ServerError(
        .authenticationRequired, "request needs authorization", "writing needs a signed-in user or a key")
    }
    let (outcomes, deleted) = try await store.write(environment) {
      [settings = store.settings, caller] db, layout in
      let runner = try ModifyRunner(db, layout, caller, settings)
      return (try runner.apply(operations), runner.deleted)
    }
    store.lag.add(deleted, in: environment, at: store.settings.now())
    return outcomes
  }

  /// Refuses to say anything about a record type that the service has and the mirror does not.
  func checkMirrored(_ recordType: String?) throws {
    guard let recordType, case .file(let path) = store.location,
      let remedy = store.mirror?.remedy(forLackOf: recordType, in: path)
    else { return }
    throw ServerError.notMirrored(recordType, copying: remedy)
  }
}

extension RecordOperation {
  fileprivate var writesAsset: Bool { fields.values.contains { $0?.assets.isEmpty == false } }
}

extension LocalContainer: SimulatedUsersContainer {
  /// The users have no custom role.
  package func create(_ operations: [RecordOperation], as creators: [String]) async throws -> [RecordOutcome]
  {
    var outcomes: [RecordOutcome] = []
    while outcomes.count < operations.count {
      let creator = creators[outcomes.count]
      let count = creators[outcomes.count...].prefix { $0 == creator }.count
      let part = Array(operations[outcomes.count...].prefix(count))
      let user = LocalContainer(
        store: store, environment: environment, identity: CallerIdentity(userRecordName: creator))
      outcomes += try await user.write(part)
    }
    return outcomes
  }
}

extension LocalContainer: SchemaManager {
  package func exportSchema() async throws -> String {
    try await store.schema(of: environment).withSystemFields.canonicalText
  }

  package func validateSchema(_ text: String) async throws -> String? {
    do {
      try await store.validateSchema(Schema(parsing: text), for: environment)
      return nil
    } catch let error as SchemaError {
      return error.description
    } catch let refusal as ServerError {
      return refusal.reason
    }
  }

  package func importSchema(_ text: String) async throws {
    do {
      try await store.importSchema(Schema(parsing: text), into: environment)
    } catch let error as SchemaError {
      throw ServerError(.badRequest, error.description)
    }
  }

  package func resetSchema() async throws { try await store.resetDevelopment() }

  package func deploySchema() async throws { try await store.deploySchema() }

  package var importsInOneStep: Bool { true }
}

extension Schema {
  /// The schema with all six system fields in every type, as an export prints it
  /// (Documentation/reference/schema-language.md#system-fields).
  fileprivate var withSystemFields: Schema {
    var schema = self
    for index in schema.recordTypes.indices {
      for field in SystemField.allCases where schema.recordTypes[index][field: field.storedName] == nil {
        schema.recordTypes[index].fields.append(Field(field.storedName, field.dataType))
      }
    }
    return schema
  }
}

extension ServerError {
  /// The service's only text for a request that makes no sense.
  static func malformed(_ explanation: String) -> ServerError {
    ServerError(.badRequest, "BadRequestException: Unexpected input", explanation)
  }
}
