internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

extension CommandContext {
  /// The schema that a job uses: the container's own if it can be read, otherwise the configured file, otherwise
  /// the bundled schema whose main record type the container has.
  func schemaForJobs(_ handle: ContainerHandle) async throws -> Schema {
    if let schema = try await handle.schema?.currentSchema() { return schema }
    if let path = try settings[.schema] { return try await validSchema(in: path).schema }
    for bundled in BundledSchema.all where try await handle.container.answers(for: bundled.mainType) {
      return try Schema(parsing: bundled.text, name: bundled.name)
    }
    throw CommandFailure(
      "the container's schema cannot be read", code: "no-schema",
      hint: "Name its file in the configuration (CELESTRA_ADMIN_SCHEMA), or set a management token.")
  }
}

extension Container {
  fileprivate func answers(for recordType: String) async throws -> Bool {
    do {
      _ = try await query(QueryRequest(Query(recordType), desiredKeys: [], resultsLimit: 1))
      return true
    } catch let error as ServerError where error.code == .notFound || error.code == .badRequest {
      return false
    }
  }
}
