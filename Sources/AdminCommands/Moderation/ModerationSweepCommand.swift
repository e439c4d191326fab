internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

/// The command `moderation sweep`.
struct ModerationSweepCommand: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Enforce decisions: hide what blocked people write, and what was shown again.",
    discussion: """
      For cron. Hides new records of blocked people, hides again what was shown, opens reports that an app wrote without \
      isOpen, and completes commands that were interrupted. It reads what was made and changed since the last sweep, and \
      once a day all that decisions hide; every time, if a type has no QUERYABLE index on ___modTime.

      Example: celestra-admin moderation sweep --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationSweepCommand>

  var isDryRun: Bool { mutation.dryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let moderation = try await context.moderation(of: runner.handle)
    let sweep = ModerationSweep(moderation, settle: try context.settleTime(), id: context.makeRunID())
    try await context.confirmJob(
      "Hide in \(context.target.name) what decisions say is hidden.", options: mutation)
    var job = WritingJob(Self.title, kind: .job, lease: .moderation)
    job.knowsTotal = false
    return try await runner.run(job, schema: moderation.schema) { writer in
      try await moderation.namingRole { try await sweep.run(through: writer) }
    }
  }
}
