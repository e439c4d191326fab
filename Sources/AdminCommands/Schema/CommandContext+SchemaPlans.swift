internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

extension CommandContext {
  /// Plans the import of a schema file into the container.
  func schemaPlan(of file: String) async throws -> SchemaPlan {
    let wanted = try await validSchema(in: file).schema
    return SchemaPlan(
      target: try target, current: try await schemaContainer(canBeNew: true).currentSchema(), wanted: wanted,
      production: try await productionSchema())
  }

  /// Reads a saved plan. Throws if it was made for another container, or if the schema changed since.
  func savedSchemaPlan(_ path: String) async throws -> SchemaPlan {
    let current = try await schemaContainer(canBeNew: true).currentSchema()
    do {
      let saved = try SchemaPlan(
        parsing: InputFile.read(path), current: current, production: try await productionSchema())
      try saved.requireTarget(try target)
      return saved
    } catch let error as ChangeCodingError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
  }

  /// Keeps the schema that an import is about to replace, for `history RUN --schema`, if there is one. If it cannot
  /// be saved, as on a read-only disk, the import continues with a warning.
  func keepSchema(before plan: SchemaPlan) throws {
    guard !plan.isFirst else { return }
    do {
      let history = try RunHistory(in: StateFolder.open(stateDirectory, making: true))
      try history.keepSchema(
        before: plan, runID: RunID.make(at: now, random: .random(in: 0...UInt32.max)), at: now)
    } catch {
      warn("cannot save the schema before this import: \(CommandFailure(error).message)")
    }
  }
}
