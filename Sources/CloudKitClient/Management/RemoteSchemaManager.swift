package import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage
package import WebServicesWire

/// The schema operations that need a management token, through the API or Apple's tool.
package protocol RemoteSchemaManager: SchemaManager {
  func teams() async throws -> [TeamsReply.Team]
}

/// The interval and the number of attempts for comparing an export with the imported schema.
package struct SchemaImportPolling: Sendable {
  package var interval: Duration
  package var polls: Int

  package init(interval: Duration = .seconds(2), polls: Int = 15) {
    self.interval = interval
    self.polls = polls
  }

  /// Waits until an export has the imported schema. The service replies before it has applied a schema, and has no
  /// call for its progress (Documentation/reference/schema-language.md#management-operations).
  ///
  /// Throws ``UnreadSchemaImport`` if an export fails, and ``UnseenSchemaImport`` after the last attempt.
  func waitUntil(
    _ container: some SchemaManager, says text: String, time: any ClientClocks, waits: WaitReporter
  ) async throws {
    let wanted = try? Schema(parsing: text)
    let ended = waits.begin(Wait("waiting for the imported schema", limit: interval * (polls - 1)))
    defer { ended() }
    for poll in 0..<polls {
      if poll > 0 { try await time.sleep(for: interval) }
      let exported: String
      do { exported = try await container.exportSchema() } catch { throw UnreadSchemaImport(error) }
      if exported == text || Self.says(exported, what: wanted) { return }
    }
    throw UnseenSchemaImport(interval)
  }

  /// Whether an export has the imported schema. An export also lists system fields and the types that the service
  /// manages.
  private static func says(_ exported: String, what wanted: Schema?) -> Bool {
    guard let wanted, let current = try? Schema(parsing: exported) else { return false }
    let completed = wanted.completedForImport(replacing: current).schema
    return SchemaDiff.changes(from: current, to: completed).isEmpty
  }
}

extension ContainerFailure {
  /// Apple's service can only be deployed in the Console (Documentation/reference/schema-language.md#imports).
  static let consoleDeploys = ContainerFailure(
    .storage, "CloudKit's schema is deployed in the CloudKit Console, not by this tool",
    hint: "'schema plan FILE --environment production' prints the steps.")
}
