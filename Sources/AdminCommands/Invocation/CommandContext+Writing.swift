internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

extension CommandContext {
  /// The session through which a command writes.
  ///
  /// - Parameters:
  ///   - kind: what the history keeps: changes of a person, which can be undone, or the counts of a job.
  ///   - leases: the same container, when requests for the lease are not to be counted with the others.
  ///   - schema: the container's schema; without it, the run cannot be undone.
  ///   - lease: the lease that keeps other runs from writing; `nil` for single records.
  func writeSession(
    _ command: String, kind: RunRecord.Kind = .person, on container: any Container,
    leases: (any Container)? = nil, schema: Schema?,
    lease: LeaseName? = nil, terms: LeaseDurations? = nil
  ) throws -> WriteSession {
    WriteSession(
      WritingJob(command, kind: kind, lease: lease), container: container, leases: leases,
      dependencies: try writeDependencies(command, schema: schema, terms: terms))
  }

  /// Writes changes that were planned under the writer's lease, and prints how to undo the run.
  func apply(
    _ changes: [RecordChange], policy: ConflictPolicy, through writer: LeasedJobWriter
  ) async throws -> ChangeReport {
    let report = try await writer.apply(changes, policy: policy)
    if let run = report.undoableRun { note("To undo this run: celestra-admin undo \(run)") }
    return report
  }

  /// Writes changes of records that the user named, which need no lease.
  func apply(
    _ changes: [RecordChange], policy: ConflictPolicy, in session: WriteSession
  ) async throws -> ChangeReport {
    try await session.run { try await apply(changes, policy: policy, through: $0) }
  }

  /// The clock, state folder and other dependencies of write sessions.
  func writeDependencies(
    _ command: String, schema: Schema?, terms: LeaseDurations? = nil
  ) throws -> WriteSessionDependencies {
    let path = try stateDirectory
    var environment = WriteSessionDependencies(
      now: { now }, runID: RunID.make(at: now, random: .random(in: 0...UInt32.max)),
      schema: schema, stateFolder: { try StateFolder.open(path, making: true) }, wait: process.wait)
    environment.terms = try terms ?? leaseTerms()
    environment.note = note
    environment.waits = waits
    environment.workBegan = { [monitor] in monitor?.workBegan() }
    environment.progress = progress(of: command)
    return environment
  }

  /// The durations of leases; tests shorten them.
  func leaseTerms() throws -> LeaseDurations {
    guard let setting = try settings.lookup(.leaseLifetime) else { return LeaseDurations() }
    guard let lifetime = try? DurationParser.parse(setting.value) else {
      throw setting.refused(mustBe: "a time such as 3m")
    }
    return LeaseDurations(silence: lifetime)
  }

  /// Warns before a deletion that cannot be undone.
  func noteIrreversible(_ changes: [RecordChange], _ schema: Schema?) {
    let deletions = changes.filter { $0.action == .delete }
    for (type, count) in UserCreatedRecordTypes(schema).irreversible(deletions) {
      note(
        "Deleting \(counted(count, "\(type) record")) cannot be undone: users may create such records, so their values are not kept."
      )
    }
  }

  /// The schema for jobs; `nil` if it is unknown.
  func knownSchema(_ handle: ContainerHandle) async throws -> Schema? {
    do { return try await schemaForJobs(handle) } catch let failure as CommandFailure
      where failure.code == "no-schema"
    {
      return nil
    }
  }
}

extension CommandContext {
  /// Reads a saved plan. Throws if it was made by another command or for another container.
  func savedPlan(_ path: String, for command: String) throws -> PlanFile {
    let file: PlanFile
    do {
      file = try PlanFile(parsing: InputFile.read(path))
    } catch let error as ChangeCodingError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
    guard file.command == command else {
      throw CommandFailure(
        "the plan was made by '\(file.command) plan'; this command applies plans of '\(command) plan'",
        code: "bad-plan")
    }
    let target = try target
    guard file.target == target else {
      throw CommandFailure(
        "the plan was made for \(file.target.name) (\(file.target.environment.rawValue)), not for "
          + "\(target.name) (\(target.environment.rawValue))",
        code: "bad-plan")
    }
    return file
  }

  /// Throws if records of the plan changed since it was made, or the records that they refer to.
  func checkUnmoved(_ plan: PlanFile, in container: some Container) async throws {
    let drift = try await plan.drift(
      in: container, references: CatalogReferences.betweenSeeds, retirement: CatalogReferences.retirement)
    try require(unmoved: drift.map { "\($0.change.label ?? $0.change.recordName): \($0.reason)" })
  }

  /// Throws if anything that a saved plan depends on has changed.
  ///
  /// - Parameter changes: each as a sentence that begins with the record.
  func require(unmoved changes: [String]) throws {
    guard !changes.isEmpty else { return }
    throw CommandFailure(
      "the plan is out of date: these records changed since; nothing was written",
      details: Array(changes.prefix(5)),
      code: "plan-moved", hint: "Make the plan again and review it.")
  }
}
