internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges

/// The command `container restore`.
struct ContainerRestore: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace a local container's content by a backup's.",
    discussion: """
      Replaces both environments, schemas included, in one step. A container that does not exist yet is created. The \
      backup is checked first; a damaged one changes nothing. The container keeps its id, so that its history remains. \
      No job may run meanwhile: their leases are held, and those that the backup contains are released. The named risk, \
      in production, is data-loss.

      Example: celestra-admin container restore before.sqlite --container local:catalog.sqlite
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Argument(help: "The file that 'container backup' wrote.", completion: .file()) var path: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerRestore>

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "a backup is a database")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let backup = try LocalStore(.file(path), access: .readOnly, settings: LocalContainerSettings())
    context.warn(about: backup)
    let content = try await backup.info()
    let local = try context.localContainer(writing: !mutation.dryRun, canBeNew: true)
    let store = local.store
    guard !mutation.dryRun else {
      return RestoreReport(path: path, before: try await store.info(), after: content, isDryRun: true)
    }
    let runner = JobRunner(context, ContainerHandle(container: local), writing: true, lease: lease)
    let jobs = try await runner.allJobsLease(Self.title, store)
    return try await jobs.run { check in
      let report = RestoreReport(path: path, before: try await store.info(), after: content, isDryRun: false)
      let isRisky = try context.target.environment == .production && report.before.recordCount > 0
      try await context.confirm(
        "Replace \(counted(report.before.recordCount, "record")) in \(store.name).",
        risks: isRisky ? ["data-loss"] : [], options: mutation)
      try await check()
      try await store.restore(
        from: path, setting: [LeaseRecord.recordType: LeaseRecord.releasedFields])
      return report
    }
  }
}
