internal import Aggregates
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import Records
internal import SchemaLanguage

/// Runs the jobs of a command: opens the container, takes the lease, builds the one write session, and shows progress.
///
/// A dry run does the same without a writer, on a container that refuses writes. Monitoring learns here that the work
/// began; `CommandRunner` reports how it ended.
struct JobRunner: Sendable {
  let handle: ContainerHandle
  let context: CommandContext
  private let writes: Bool
  private let lease: LeaseOptions?

  /// - Parameters:
  ///   - writing: false for a dry run.
  ///   - lease: what to do when another run of the job is in progress.
  init(_ context: CommandContext, writing: Bool, lease: LeaseOptions? = nil) async throws {
    try await self.init(context, context.openContainer(writing: writing), writing: writing, lease: lease)
  }

  init(_ context: CommandContext, _ handle: ContainerHandle, writing: Bool, lease: LeaseOptions? = nil) {
    self.handle = handle
    self.context = context
    self.writes = writing
    self.lease = lease
  }

  var container: any Container { handle.container }

  /// Runs a job with a writer, or without one in a dry run. The schema is read if the job writes.
  func run<Result>(
    _ job: WritingJob, on target: (any Container)? = nil, progress: ProgressFunction? = nil,
    _ body: (JobWriter?) async throws -> Result
  ) async throws -> Result {
    let schema = writes ? try await context.knownSchema(handle) : nil
    return try await run(job, schema: schema, on: target, progress: progress, body)
  }

  /// Runs a job with a writer, or without one in a dry run. See ``write(_:schema:on:progress:_:)``.
  func run<Result>(
    _ job: WritingJob, schema: Schema?, on target: (any Container)? = nil, progress: ProgressFunction? = nil,
    _ body: (JobWriter?) async throws -> Result
  ) async throws -> Result {
    guard writes else {
      context.monitor?.workBegan()
      return try await body(nil)
    }
    return try await write(job, schema: schema, on: target, progress: progress, body)
  }

  /// Runs a job with a writer.
  ///
  /// - Parameters:
  ///   - schema: the container's; `nil` if it is unknown.
  ///   - target: where the records are written, if it wraps the container. Requests for the lease do not pass it.
  ///   - progress: `nil` counts the written records.
  func write<Result>(
    _ job: WritingJob, schema: Schema?, on target: (any Container)? = nil, progress: ProgressFunction? = nil,
    _ body: (JobWriter) async throws -> Result
  ) async throws -> Result {
    let session = try writeSession(job, schema, progress)
    return try await (target.map(session.through) ?? session).run(body)
  }

  /// The session in which a library runs a job itself; `nil` in a dry run.
  func session(_ job: WritingJob, schema: Schema, progress: @escaping ProgressFunction) throws
    -> WriteSession?
  {
    writes ? try writeSession(job, schema, progress) : nil
  }

  private func writeSession(
    _ job: WritingJob, _ schema: Schema?, _ progress: ProgressFunction?
  ) throws -> WriteSession {
    var dependencies = try dependencies(of: job.command, schema)
    if let progress { dependencies.progress = progress }
    return WriteSession(try withCatalogTypes(job), container: container, dependencies: dependencies)
  }

  func loss(
    of changes: [RecordChange], by job: WritingJob, _ schema: Schema?, chosenBy choice: DeletionLoss.Choice
  ) throws -> DeletionLoss {
    DeletionLoss(changes, by: try withCatalogTypes(job), schema: schema, chosenBy: choice)
  }

  /// Users of celestra-cloud's apps may create such records, but the fields that seeds write belong to the catalog.
  private func withCatalogTypes(_ job: WritingJob) throws -> WritingJob {
    guard job.lease == .seed, try context.hasCloudFeeds else { return job }
    return copy(of: job) { $0.catalogTypes = [CatalogRecordType.cloudFeed] }
  }

  /// Runs a purge, and asks for confirmation before if it finds something.
  ///
  /// - Parameter records: what it deletes: `expired articles`.
  func run(
    _ purge: some Purge, of records: String, limit: Int?, _ command: String, _ options: MutationOptions
  ) async throws -> PurgeResult {
    try await purge.check()
    var limit = limit
    if !options.dryRun, !options.yes || !options.acceptRisk.contains(DeletionLoss.risk) {
      if try await purge.run(through: nil, limit: 1).planned > 0 {
        try await context.confirm(
          "Delete \(records) from \(context.target.inWords).", deleting: .permanent, options: options)
      } else {
        // What it would find later was not confirmed.
        limit = 0
      }
    }
    let job = WritingJob(command, kind: .job, lease: LeaseName(command), knowsTotal: false)
    return try await run(job) { [limit] in try await purge.run(through: $0, limit: limit) }
  }

  /// Called with what is done, and with all there is to do if that is known.
  typealias ProgressFunction = @Sendable (_ done: Int, _ total: Int?) -> Void

  func dependencies(of command: String, _ schema: Schema?) throws -> WriteSessionDependencies {
    let path = try context.stateDirectory
    let context = context
    var dependencies = WriteSessionDependencies(
      now: { context.now }, runID: context.makeRunID(), schema: schema,
      stateFolder: { try StateFolder.open(path, making: true) }, wait: context.process.wait)
    dependencies.lease = try lease?.terms(context) ?? context.leaseTerms()
    dependencies.note = context.noteOnce
    dependencies.warn = context.warn
    dependencies.waits = context.waits
    dependencies.workBegan = { context.monitor?.workBegan() }
    dependencies.progress = context.progress(of: command)
    return dependencies
  }

  /// Writes changes, and prints how to undo the run.
  func apply(
    _ changes: [RecordChange], policy: ConflictPolicy, through writer: JobWriter
  ) async throws -> ChangeReport {
    let report = try await writer.apply(changes, policy: policy)
    // No later command reaches the container of 'emulator exec'.
    if let run = report.undoableRun, !context.isInEmulatorExec {
      context.noteOnce("To undo this run: celestra-admin undo \(run)")
    }
    return report
  }

  /// Writes one record, which needs no lease, and reads it back. Throws ``CommandFailure`` if it could not be written.
  func save(_ edit: RecordEdit, _ command: String) async throws -> FoundRecords {
    let schema = try await context.knownSchema(handle)
    let report = try await write(WritingJob(command), schema: schema) {
      try await apply([edit.change], policy: .refuse, through: $0)
    }
    let record = try await edit.record(after: report, in: container)
    if report.alreadyApplied > 0 { context.note("\(edit.alreadyWritten(in: record))") }
    return FoundRecords(written: record)
  }

  /// The locks and leases of every job in both environments of a local container.
  func allJobsLease(_ command: String, _ store: LocalStore) async throws -> AllJobsLease {
    var places: [(container: any Container, schema: Schema)] = []
    for environment in Environment.allCases {
      let container = LocalContainer(store: store, environment: environment)
      places.append((container, try await store.schema(of: environment)))
    }
    return try allJobsLease(command, in: places)
  }

  /// The locks and leases of every job in these environments of a container.
  func allJobsLease(
    _ command: String, in environments: [(container: any Container, schema: Schema)]
  ) throws -> AllJobsLease {
    let aggregates = try context.aggregateFile(nil)
    var jobs: Set<LeaseName> = []
    var places: [AllJobsLease.Place] = []
    for (container, schema) in environments {
      jobs.formUnion(try context.aggregates(aggregates, in: schema).leases)
      var dependencies = try dependencies(of: command, schema)
      // Nothing runs in an environment without records to write.
      if schema.recordTypes.allSatisfy({ $0.name == SystemNames.users }) { dependencies.note = { _ in } }
      places.append((container, dependencies))
    }
    return AllJobsLease(command, jobs: jobs, in: places)
  }
}
