internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges

struct ContainerVerify: JobCommand, MonitoredCommand {
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check references and consistency of a container's records.",
    discussion: """
      Finds references to records that are not there, feeds with the same URL, orphaned metadata and articles, \
      subscriptions with malformed names, and live sessions that are public although they are marked private. \
      Reads every record of the types that have something to check once. Each finding names the command that corrects it.

      With --fix it deletes FeedMetadata without a feed and articles that repeat another one, and takes repeated feeds out \
      of collections. Nothing that has readers is changed. Deleting carries the named risk data-loss.

      Examples:
        celestra-admin container verify --fix --dry-run
        celestra-admin container verify -q --fail-on warning
      """)

  @Flag(
    help:
      "Correct what needs no decision: orphaned FeedMetadata, repeated articles, repeated feeds in collections."
  )
  var fix = false
  @OptionGroup var job: JobOptions
  @Option("End with status 3 from this severity on: error, warning or note (the default).", word: "severity")
  var failOn: Diagnostic.Severity = .note
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerVerify>

  func validate() throws {
    if !fix, mutation.isGiven {
      throw ValidationError("--dry-run, --yes and --accept-risk work only with --fix")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    // Verification knows the feeds of both shipped schemas.
    try context.noteOtherFeedType(known: [CatalogRecordType.publicFeed, CatalogRecordType.cloudFeed])
    let runner = try await JobRunner(context, writing: fix && !mutation.dryRun, lease: lease)
    if context.mirror != nil {
      if fix { try runner.handle.local?.store.checkWritable() }
      context.note(
        "note: references to record types that the mirror does not have were not followed; 'celestra-admin container verify' follows them"
      )
    }
    let schema = try await context.schemaForJobs(runner.handle)
    let now = try await context.now(by: runner.container)
    let verifier = CatalogVerifier(
      container: runner.container, schema: schema, now: now, isMirror: context.mirror != nil)
    let name = try context.target.name
    let job = WritingJob(ContainerVerify.title, lease: .seed)
    return try await runner.run(job, schema: schema) { writer -> any Report in
      let result = try await verifier.verify(correcting: fix)
      let loss = try runner.loss(of: result.fixes, by: job, schema, chosenBy: .command)
      guard let writer else {
        let report = result.report(of: name, failOn: failOn)
        guard fix else { return report }
        let risks = ChangeRisks(
          names: loss.risks(in: try context.target.environment), accepted: mutation.acceptRisk)
        return VerificationFixReport(report, changes: result.fixes, risks: risks)
      }
      if !result.fixes.isEmpty {
        try await context.confirm(
          "\(result.fixes.question("Correct")) in \(context.target.inWords).",
          details: .changes(result.fixes),
          deleting: loss, options: mutation)
      }
      let written = try await runner.apply(result.fixes, policy: .refuse, through: writer)
      let remaining = result.fixes.isEmpty ? result : try await verifier.verify(correcting: false)
      return VerificationFixReport(
        remaining.report(of: name, failOn: failOn), changes: result.fixes, written: written)
    }
  }
}

extension CatalogVerifier.Result {
  /// The report of `container verify`. Its status says whether a finding has at least the given severity.
  func report(of container: String, failOn severity: Diagnostic.Severity) -> FindingsReport {
    let total = read.reduce(0) { $0 + $1.count }
    let summary = "\(counted(total, "record")) of \(counted(read.count, "type"))"
    let names = unread.map(\.recordType).joined(separator: ", ")
    var report = FindingsReport(
      findings, inputs: [container], failOn: severity,
      summary: unread.isEmpty ? summary : "\(summary) (\(names) not read)",
      failure: unread.first.map { CommandFailure($0.refusal) })
    if !unread.isEmpty { report.details["unread"] = unread.map(\.json).json }
    return report
  }
}
