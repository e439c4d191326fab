internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

extension CommandContext {
  /// Reads a saved plan. Throws if the container's records have changed since, or if its schema lacks what the plan
  /// writes.
  func plannedSeeds(savedAt path: String, in container: RequestCountingContainer, _ handle: ContainerHandle)
    async throws -> SeedPlan
  {
    if try !hasCloudFeeds { try noteOtherFeedType() }
    let file = try savedPlan(path)
    if let schema = try await handle.schema?.currentSchema() {
      do { try SeedSchemaCheck.check(schema, for: file) } catch { throw try failure(of: error) }
    }
    let comparison = try await file.compared(
      with: container, references: CatalogReferences.betweenSeeds, unique: CatalogUniqueFields.all,
      retirement: CatalogReferences.retirement)
    try require(unmoved: comparison.drift.map { "\($0.change.label ?? $0.change.recordName): \($0.reason)" })
    var plan = try await SeedPlan(saved: file, in: container)
    plan.done = comparison.done
    try require(unmoved: plan.gainedReaders(since: file))
    return plan
  }

  /// Reads a saved plan. Throws if it was made by another command or for another container.
  private func savedPlan(_ path: String) throws -> PlanFile {
    let file: PlanFile
    do {
      file = try PlanFile(parsing: InputFile.read(path))
    } catch let error as FileFormError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
    guard file.command == "seed" else {
      throw CommandFailure(
        "the plan was made by '\(file.command) plan'; this command applies plans of 'seed plan'",
        code: "bad-plan")
    }
    try file.target.requirePlanTarget(try target)
    return file
  }

  /// Throws if anything that a saved plan depends on has changed.
  ///
  /// - Parameter changes: each as a sentence that begins with the record.
  private func require(unmoved changes: [String]) throws {
    guard !changes.isEmpty else { return }
    throw CommandFailure(
      "the plan is out of date: these records changed since; nothing was written",
      details: Array(changes.prefix(5)),
      code: "plan-moved", hint: "Make the plan again and review it.")
  }
}
