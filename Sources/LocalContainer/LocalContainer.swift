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

  package func query(_ request: QueryRequest) async throws -> QueryPage {
    try checkMirrored(request.query.recordType)
    return try await unexplained(queryOf: request.query.recordType) {
      try await store.query(request, in: environment, as: caller)
    }
  }

  package func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try checkMirrored(request.recordType)
    return try await unexplained {
      try await store.lookup(request, in: environment, as: caller).map(\.outcome)
    }
  }

  /// Refuses assets as the service does: nothing can be uploaded here, so no receipt is valid
  /// (Documentation/reference/web-services.md#assets).
  package func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    let accepted = operations.filter { !$0.writesAsset }
    var outcomes = try await unexplained {
      try await store.modify(accepted, in: environment, as: caller).map(\.outcome)[...]
    }
    guard accepted.count < operations.count else { return Array(outcomes) }
    return operations.compactMap {
      $0.writesAsset ? .failed(recordName: $0.recordName, .badReceipt) : outcomes.popFirst()
    }
  }

  /// Refuses to say anything about a record type that the service has and the mirror does not.
  func checkMirrored(_ recordType: String?) throws {
    guard let recordType, case .file(let path) = store.location,
      let remedy = store.mirror?.remedy(forLackOf: recordType, in: path)
    else { return }
    throw ServerError.notMirrored(recordType, copying: remedy)
  }

  /// Throws only the error that the service would return: `Container` has no place for the explanation of a
  /// ``ServiceRefusal``.
  func unexplained<Value>(
    queryOf recordType: String? = nil, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let refusal as ServiceRefusal {
      throw recordType.map(refusal.error.ofQuery) ?? refusal.error
    }
  }
}

extension RecordOperation {
  fileprivate var writesAsset: Bool { fields.values.contains { $0?.assets.isEmpty == false } }
}

extension LocalContainer: SimulatedUsersContainer {
  package func create(_ operations: [RecordOperation], as creators: [String]) async throws -> [RecordOutcome]
  {
    try await unexplained {
      try await store.create(operations, as: creators, in: environment).map(\.outcome)
    }
  }
}

extension LocalStore {
  /// Applies the operations, each as the user at its place in `creators`, who has no custom role.
  package func create(
    _ operations: [RecordOperation], as creators: [String], in environment: Environment
  ) async throws -> [RequestEntryOutcome] {
    var outcomes: [RequestEntryOutcome] = []
    while outcomes.count < operations.count {
      let creator = creators[outcomes.count]
      let count = creators[outcomes.count...].prefix { $0 == creator }.count
      let part = Array(operations[outcomes.count...].prefix(count))
      outcomes += try await modify(part, in: environment, as: CallerIdentity(userRecordName: creator))
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
    } catch let refusal as ServiceRefusal {
      return refusal.error.reason
    }
  }

  package func importSchema(_ text: String) async throws {
    do {
      try await unexplained { try await store.importSchema(Schema(parsing: text), into: environment) }
    } catch let error as SchemaError {
      throw ServerError(.badRequest, error.description)
    }
  }

  package func resetSchema() async throws { try await store.resetDevelopment() }

  package func deploySchema() async throws {
    try await unexplained { try await store.deploySchema() }
  }

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

/// A refused request: the error that the service would return, with an explanation that the service does not give.
package struct ServiceRefusal: Error, Sendable, Hashable {
  package var error: ServerError
  /// The role, index, change tag or field that caused the refusal. Contains no user record name.
  package var explanation: String

  package init(_ error: ServerError, _ explanation: String) {
    self.error = error
    self.explanation = explanation
  }

  package init(_ code: ServerError.Code, _ reason: String, _ explanation: String) {
    self.init(ServerError(code, reason), explanation)
  }

  /// The service's only text for a request that makes no sense.
  static func malformed(_ explanation: String) -> ServiceRefusal {
    ServiceRefusal(.badRequest, "BadRequestException: Unexpected input", explanation)
  }
}

/// The result of one name of a lookup or of one operation of a modify request.
package enum RequestEntryOutcome: Sendable, Hashable {
  case record(Record)
  case deleted(recordName: String)
  case refused(recordName: String?, ServiceRefusal)

  /// The result without the explanation, as jobs see it.
  package var outcome: RecordOutcome {
    switch self {
    case .record(let record): .record(record)
    case .deleted(let name): .deleted(recordName: name)
    case .refused(let name, let refusal): .failed(recordName: name, refusal.error)
    }
  }
}
