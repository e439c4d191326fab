package import CloudKitModel
internal import GRDB
package import SchemaLanguage

extension LocalStore {
  /// The stored schema. It always contains `Users`, and it lists a system field only if the imported text declared
  /// it.
  package func schema(of environment: Environment) async throws -> Schema {
    try await read(environment) { _, layout in layout.schema.withUsers }
  }

  /// Replaces an environment's schema. Record types and fields that the new schema leaves out are deleted with
  /// their data.
  ///
  /// Throws ``ServerError`` for production, whose schema can only be deployed, and for a change that
  /// Documentation/reference/schema-language.md#allowed-changes forbids. Nothing is changed then.
  package func importSchema(_ schema: Schema, into environment: Environment) async throws {
    try Self.checkImportable(environment)
    try await writeBoth { db, development, production in
      try self.check(schema, development, production)
      try SchemaWriter(db: db, layout: development).replace(with: schema.withUsers)
    }
  }

  /// Checks whether an import would succeed, without changing anything. Throws what ``importSchema(_:into:)``
  /// would.
  package func validateSchema(_ schema: Schema, for environment: Environment) async throws {
    try Self.checkImportable(environment)
    try await read(.development) { db, development in
      try self.check(schema, development, try self.layout(db, .production))
    }
  }

  /// Makes development's schema equal production's and deletes all of development's records.
  package func resetDevelopment() async throws {
    try await writeBoth { db, development, production in
      try Self.clear(db, development, leaving: production.schema.withUsers)
    }
  }

  /// Deletes all records of an environment, including users, in one transaction. Keeps the schema.
  ///
  /// - Returns: the number of deleted records.
  package func removeAllRecords(in environment: Environment) async throws -> Int64 {
    try await writeBoth { db, development, production in
      let layout = environment == .development ? development : production
      let count = try layout.typeTables.reduce(Int64(0)) { sum, table in
        sum + (try db.number("SELECT count(*) FROM \(table.sql)"))
      }
      try Self.clear(db, layout, leaving: layout.schema)
      return count
    }
  }

  private static func clear(_ db: Database, _ layout: SchemaTables, leaving schema: Schema) throws {
    try SchemaWriter(db: db, layout: layout).replace(with: Schema())
    let empty = try SchemaTables.load(db, layout.environment)
    try SchemaWriter(db: db, layout: empty).replace(with: schema)
  }

  /// Deploys the schema, as the Console's Deploy Schema Changes does: adds to production the record types, fields,
  /// indexes and grants that only development has. Copies no records and removes nothing
  /// (Documentation/reference/schema-language.md#imports).
  ///
  /// Throws ``ServerError`` when a field has another type in production.
  package func deploySchema() async throws {
    try await writeBoth { db, development, production in
      // Production has the type Users already, even if nothing has been deployed.
      let merged = try production.schema.withUsers.adding(development.schema.withUsers)
      try SchemaWriter(db: db, layout: production).replace(with: merged)
    }
  }

  /// Imports the schema into an empty container; for production, imports it into development and deploys it. Does
  /// nothing if the container has this schema already. Throws the errors of ``needsInitializing(_:_:)``.
  package func initialize(_ schema: Schema, _ environment: Environment) async throws {
    guard try await needsInitializing(schema, environment) else { return }
    try await importSchema(schema, into: .development)
    if environment == .production { try await deploySchema() }
  }

  /// Whether the container is empty and can take this schema; false if it has this schema already. Throws
  /// `ContainerFailure` if the container has a different schema, ``ServerError`` if this schema cannot be imported.
  package func needsInitializing(_ schema: Schema, _ environment: Environment) async throws -> Bool {
    let present = try await self.schema(of: environment)
    guard present.isNew || present.normalized == schema.withUsers.normalized else {
      throw ContainerFailure(
        .storage, "\(name) already has a different schema",
        hint: "Run `schema plan` to see what your schema would change, and `schema apply` to change it.")
    }
    if present.isNew { try await validateSchema(schema, for: .development) }
    return present.isNew
  }

  private func check(_ schema: Schema, _ development: SchemaTables, _ production: SchemaTables) throws {
    try SchemaReplacementCheck(
      development: development.schema, production: production.schema, behavior: settings.behavior
    ).check(schema)
  }

  private static func checkImportable(_ environment: Environment) throws {
    guard environment == .production else { return }
    throw ServerError.importInProduction.explained(
      "a production schema cannot be imported; deploy it from development")
  }

  private func writeBoth<Value: Sendable>(
    _ body: @escaping @Sendable (Database, SchemaTables, SchemaTables) throws -> Value
  ) async throws -> Value {
    try await write(.development) { db, development in
      try body(db, development, try self.layout(db, .production))
    }
  }
}
