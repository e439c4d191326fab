public import CloudKitModel
internal import GRDB
public import SchemaLanguage

extension LocalStore {
  /// The schema as it is kept: `Users` always among its types, system fields only where they were written.
  public func schema(of environment: Environment) async throws -> Schema {
    try await read(environment) { _, layout in layout.schema.withUsers }
  }

  /// Replaces an environment's schema: what it leaves out is deleted with its records.
  ///
  /// Throws ``Refusal`` for production, which takes no import whatever it holds, and for a change that
  /// Documentation/reference/schema-language.md#allowed-changes forbids. Nothing has been changed then.
  public func importSchema(_ schema: Schema, into environment: Environment) async throws {
    try Self.checkImportable(environment)
    try await writeBoth { db, development, production in
      let schema = schema.withUsers
      try self.check(schema, development, production)
      try SchemaWriter(db: db, layout: development).replace(with: schema)
    }
  }

  /// Throws what ``importSchema(_:into:)`` would, and changes nothing.
  public func validateSchema(_ schema: Schema, for environment: Environment) async throws {
    try Self.checkImportable(environment)
    try await read(.development) { db, development in
      try self.check(schema.withUsers, development, try self.layout(db, .production))
    }
  }

  /// Makes development's schema equal production's and deletes all of development's records.
  public func resetDevelopment() async throws {
    try await writeBoth { db, development, production in
      try SchemaWriter(db: db, layout: development).replace(with: Schema())
      let empty = try TableLayout.load(db, .development)
      try SchemaWriter(db: db, layout: empty).replace(with: production.schema.withUsers)
    }
  }

  /// Deletes every record of an environment, users included, in one step. The schema stays.
  ///
  /// - Returns: how many records there were.
  public func removeAllRecords(in environment: Environment) async throws -> Int64 {
    try await writeBoth { db, development, production in
      let layout = environment == .development ? development : production
      let count = try layout.typeTables.reduce(Int64(0)) { sum, table in
        sum + (try db.first("SELECT count(*) FROM \(table.sql)") { $0.integer(0) } ?? 0)
      }
      try SchemaWriter(db: db, layout: layout).replace(with: Schema())
      let empty = try TableLayout.load(db, environment)
      try SchemaWriter(db: db, layout: empty).replace(with: layout.schema)
      return count
    }
  }

  /// What the Console's Deploy Schema Changes does: adds to production what development has and it lacks. Records
  /// are not copied, nothing is taken away (Documentation/reference/schema-language.md#imports).
  ///
  /// Throws ``Refusal`` when a field has another type in production.
  public func deploySchema() async throws {
    try await writeBoth { db, development, production in
      let merged = try production.schema.adding(development.schema.withUsers)
      try SchemaWriter(db: db, layout: production).replace(with: merged)
    }
  }

  /// Gives a container that has no record types yet its schema, in production deployed from development.
  ///
  /// Throws what ``needsInitialising(_:_:)`` does.
  public func initialise(_ schema: Schema, _ environment: Environment) async throws {
    guard try await needsInitialising(schema, environment) else { return }
    try await importSchema(schema, into: .development)
    if environment == .production { try await deploySchema() }
  }

  /// False for a container that has this schema already.
  ///
  /// Throws `ContainerFailure` when there is a schema and it is another one, ``Refusal`` when it cannot have this one.
  public func needsInitialising(_ schema: Schema, _ environment: Environment) async throws -> Bool {
    let present = try await self.schema(of: environment)
    let isFresh = present.recordTypes.allSatisfy { $0.name == "Users" } && present.roles.isEmpty
    guard isFresh || present.normalized == schema.withUsers.normalized else {
      throw ContainerFailure(
        .storage, "\(name) has a schema already",
        hint: "`schema plan` shows what another one would change; `schema apply` does it.")
    }
    if isFresh { try await validateSchema(schema, for: .development) }
    return isFresh
  }

  private func check(_ schema: Schema, _ development: TableLayout, _ production: TableLayout) throws {
    try SchemaRules(
      development: development.schema, production: production.schema, behaviour: settings.behaviour
    ).check(schema)
  }

  private static func checkImportable(_ environment: Environment) throws {
    guard environment == .production else { return }
    throw Refusal(
      .badRequest, "BadRequestException: endpoint not applicable in the environment 'production'",
      "production's schema is deployed from development, never imported")
  }

  private func writeBoth<Value: Sendable>(
    _ body: @escaping @Sendable (Database, TableLayout, TableLayout) throws -> Value
  ) async throws -> Value {
    try await write(.development) { db, development in
      try body(db, development, try self.layout(db, .production))
    }
  }
}
