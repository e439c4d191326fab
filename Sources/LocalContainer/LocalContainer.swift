public import CloudKitModel
internal import SchemaLanguage

/// One environment of a ``LocalStore`` as seen by one identity: the embedded container.
public struct LocalContainer: Container {
  public let store: LocalStore
  public let environment: Environment
  public let caller: Identity

  public init(store: LocalStore, environment: Environment = .development, identity: Identity = .serverKey) {
    self.store = store
    self.environment = environment
    caller = identity
  }

  /// Opens a container file, or makes one in memory.
  ///
  /// Throws `ContainerFailure` when the file is busy, damaged, not a container, of a newer version, or cannot be
  /// reached; nothing has been changed then.
  public static func open(
    _ location: LocalStore.Location, environment: Environment = .development, identity: Identity = .serverKey,
    access: LocalStore.Access = .readWriteOrNew, settings: LocalSettings = LocalSettings()
  ) throws -> LocalContainer {
    LocalContainer(
      store: try LocalStore(location, access: access, settings: settings), environment: environment,
      identity: identity)
  }

  public var identity: ContainerIdentity { ContainerIdentity(name: store.name, environment: environment) }

  public var grouping: (any GroupCounting)? { self }

  public func query(_ request: QueryRequest) async throws -> QueryPage {
    try await unexplained { try await store.query(request, in: environment, as: caller) }
  }

  public func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    try await unexplained { try await store.lookup(request, in: environment, as: caller).map(\.outcome) }
  }

  public func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    try await unexplained { try await store.modify(operations, in: environment, as: caller).map(\.outcome) }
  }

  /// The protocol has no place for an explanation: jobs get what the service would say.
  private func unexplained<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let refusal as Refusal { throw refusal.error }
  }
}

extension LocalContainer: SchemaContainer {
  public func exportSchema() async throws -> String {
    try await store.schema(of: environment).withSystemFields.canonicalText
  }

  public func validateSchema(_ text: String) async throws -> String? {
    do {
      try await store.validateSchema(Schema(parsing: text), for: environment)
      return nil
    } catch let error as SchemaError {
      return error.description
    } catch let refusal as Refusal {
      return refusal.error.reason
    }
  }

  public func importSchema(_ text: String) async throws {
    do {
      try await store.importSchema(Schema(parsing: text), into: environment)
    } catch let error as SchemaError {
      throw ServerError(.badRequest, error.description)
    } catch let refusal as Refusal {
      throw refusal.error
    }
  }

  public func resetSchema() async throws { try await store.resetDevelopment() }

  public func deploySchema() async throws {
    do { try await store.deploySchema() } catch let refusal as Refusal { throw refusal.error }
  }

  public var importsInOneStep: Bool { true }
}

extension Schema {
  /// With all six system fields of every type, as an export prints them
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
