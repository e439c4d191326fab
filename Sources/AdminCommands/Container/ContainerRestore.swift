internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges

struct ContainerRestore: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace a local container's content by a backup's.",
    discussion: """
      Replaces both environments, schemas included, in one step. A container that does not exist yet is created. The \
      backup is checked first; a damaged one, or a mirror whose first copy was stopped, changes nothing. The container \
      keeps its id, so that its history remains. No job may run meanwhile: their leases are held, and those that the \
      backup contains are released. The named risk is data-loss, when the container has records, or types or fields \
      that the backup lacks, in either environment.

      Example: celestra-admin container restore before.sqlite --container local:catalog.sqlite
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @Argument(help: "The file that 'container backup' wrote.", completion: .file()) var path: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerRestore>

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "a backup is a database")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let backup = try context.containerFile(path).store
    try await backup.requireSound()
    if let mirror = backup.mirror, mirror.isPartial {
      throw CommandFailure(
        "\(path) is \(mirror.gap ?? "incomplete")", code: "incomplete-backup",
        hint: "Continue the copy, then restore it: \(mirror.update(path))")
    }
    let isNew = try context.isContainerMissing
    let local = try context.localContainer(writing: !mutation.dryRun && !isNew, canBeNew: true)
    let store = local.store
    guard !mutation.dryRun else {
      var report = try await RestoreReport(path: path, of: backup, into: store, isNew: isNew, isDryRun: true)
      report.accepted = mutation.acceptRisk
      return report
    }
    func confirmed() async throws -> RestoreReport {
      let report = try await RestoreReport(path: path, of: backup, into: store, isNew: isNew, isDryRun: false)
      // A new file replaces nothing. Of another one both environments are replaced, whichever is configured.
      var target = try context.target
      if isNew {
        target.environment = .development
      } else if report.replacesProduction {
        target.environment = .production
      }
      try await context.confirm(
        "Replace \(report.replacement) in \(context.target.name).", deleting: report.loss,
        loss: "replaces \(report.replacement)", options: mutation, target: target)
      return report
    }
    // What is refused here leaves no locks behind. No job can write to a container that does not exist.
    let early = try await isNew || mutation.yes || !context.canAsk ? confirmed() : nil
    let runner = JobRunner(context, ContainerHandle(container: local), writing: true, lease: lease)
    let jobs = try await runner.allJobsLease(Self.title, store)
    return try await jobs.run { check in
      let report = if isNew, let early { early } else { try await confirmed() }
      try await check()
      guard try !isNew || context.isContainerMissing else {
        throw CommandFailure(
          "\(store.name) was made by another command meanwhile; nothing was replaced",
          code: "container-exists",
          hint: "Run it again: it says what it would replace.")
      }
      // A refused restore leaves no new file behind.
      let opened = isNew ? try context.localContainer(writing: true, canBeNew: true).store : store
      try await opened.restore(
        from: path, setting: [LeaseRecord.recordType: LeaseRecord.releasedFields])
      return report
    }
  }
}
