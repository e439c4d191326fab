internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import People
internal import RecordChanges
internal import SchemaLanguage
internal import WebConsole

extension CommandContext {
  /// The options of a console for a local container.
  ///
  /// - Parameter containerID: the id by which apps know the container; `nil` for the configured one.
  func consoleOptions(
    of container: LocalContainer, containerID: String? = nil, isReadOnly: Bool
  ) async throws -> LocalConsole.Options {
    LocalConsole.Options(
      environment: container.environment, isReadOnly: isReadOnly, stateFolder: try stateDirectory,
      mapping: try FeedRecordSettings.mapping(settings),
      moderation: try await consoleModeration(of: container, containerID), now: { Timestamp(process.now()) })
  }

  /// The queue of reports in a container; `nil` where the schema has no reports.
  private func consoleModeration(
    of container: LocalContainer, _ containerID: String?
  ) async throws -> ConsoleModeration? {
    let declaration = try moderationDeclaration()
    let schema = try await container.currentSchema()
    guard schema[recordType: declaration.reports.recordType] != nil else { return nil }
    let handle = ContainerHandle(container: container, schema: container, local: container)
    let moderation: Moderation
    do {
      moderation = try Moderation(
        declaration, in: container, schema,
        containerID: containerID ?? appContainerID)
    } catch {
      note("The console has no queue of reports: \(CommandFailure(error).message).")
      return nil
    }
    let runner = JobRunner(self, handle, writing: true)
    return ConsoleModeration(moderation) { action, reason in
      try await runner.write(WritingJob("console", kind: .job, lease: .moderation), schema: schema) {
        writer in
        let plan = try await moderation.plan(action, reason: reason, id: makeRunID())
        return try await moderation.carryOut(plan, through: writer)
      }
    }
  }
}
