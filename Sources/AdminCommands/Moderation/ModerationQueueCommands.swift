internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

struct ModerationList: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the reported records that wait for a decision.",
    discussion: """
      A line for each record, with all its reports: how many, by how many people, how old the oldest is, and \
      signals: declared words, most of three or more reports by one account or all by accounts with 20 or more open \
      ones (one-account), a report that names no record, a record that is a report, is of another type, is hidden \
      already or is not found. What is still shown comes first; of that, what is not one-account, then what has \
      waited for a day, then what has declared words, then what most people reported.

      Example: celestra-admin moderation list --before 20h --fail-on waiting
      """)

  enum FailLevel: String, ExpressibleByArgument, CaseIterable, Sendable { case waiting }

  @Option(
    "Only records with a report from before this time, or older than this age, such as 20h.", value: "time",
    transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @Option("End with status 3 when a record is listed.", value: "state") var failOn: FailLevel?
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationList>

  var isDryRun: Bool { false }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: false)
    return try await runner.run(WritingJob(Self.title)) { _ in
      let moderation = try await context.moderation(of: runner.handle, reading: [])
      let now = try await context.now(by: runner.container)
      var queue = try await moderation.namingRole {
        try await ModerationQueue(of: moderation, before: before, at: now)
      }
      queue.failsOnWaiting = failOn != nil
      return queue
    }
  }
}

struct ModerationShow: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a reported record with its context, reports and decisions.",
    discussion: """
      Shows the record's texts, the last records of its thread, the reports, whose authors are numbered, the decisions \
      with their ids, whether the author is new here, and how much the author wrote lately.

      Example: celestra-admin moderation show NAME
      """)

  @Argument(help: "The record's name.") var name: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationShow>

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.openContainer()
    let moderation = try await context.moderation(
      of: handle, reading: [ModerationRecordType.decision])
    return try await moderation.namingRole {
      try await ModerationCaseDetails(
        of: name, in: moderation, at: try await context.now(by: handle.container))
    }
  }
}

struct ModerationSweepCommand: JobCommand, MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Enforce decisions: hide what blocked people write, and what was shown again.",
    discussion: """
      For cron. Hides new records of blocked people and decides the reports about them, hides again what was shown, \
      opens reports that an app wrote without isOpen, and completes a block that was interrupted; run other commands \
      again. It reads what was made and changed since the last sweep, and once a day all that decisions hide; every \
      time, if a type has no QUERYABLE index on ___modTime.

      Example: celestra-admin moderation sweep --yes
      """)

  @OptionGroup var job: JobOptions
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationSweepCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let moderation = try await context.moderation(of: runner.handle)
    let settle = try context.settleTime()
    try await context.confirmJob(
      "Hide in \(context.target.inWords) what decisions say is hidden.", options: mutation)
    let job = WritingJob(Self.title, kind: .job, lease: .moderation, knowsTotal: false)
    return try await runner.run(job, schema: moderation.schema) { writer in
      let id = writer?.runID ?? context.makeRunID()
      return try await moderation.namingRole {
        try await ModerationSweep(moderation.findingLastDecisions(), settle: settle, id: id).run(
          through: writer)
      }
    }
  }
}
