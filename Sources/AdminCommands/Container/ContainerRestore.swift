internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

struct ContainerRestore: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace a local container's content by a backup's.",
    discussion: """
      Replaces both environments, schemas included, in one step. A container that does not exist yet is created. The \
      backup is checked first; a damaged one, or a mirror whose first copy was stopped, changes nothing. The container \
      keeps its id, so that its history remains. No job may run meanwhile: their leases are held, and those that the \
      backup contains are released. The named risk is data-loss, when the container has records, values, types or \
      fields that the backup lacks, in either environment, or is damaged.

      Example: celestra-admin container restore before.sqlite --container local:catalog.sqlite
      """)

  @OptionGroup var job: JobOptions
  @Argument(help: "The file that 'container backup' wrote.", completion: .file()) var path: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerRestore>

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "a backup is a database")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let backup = try context.containerFile(path).store
    let isNew = try context.isContainerMissing
    if !isNew, case .local(let own) = try context.location,
      try FileKind.resolvedPath(own) == FileKind.resolvedPath(path)
    {
      throw CommandFailure.usage(
        "\(path) is the container itself", hint: "Give another file: one that 'container backup' wrote.")
    }
    try await backup.requireSound()
    if let mirror = backup.mirror, mirror.isPartial {
      throw CommandFailure(
        "\(path) is \(mirror.gap ?? "incomplete")", code: "incomplete-backup",
        hint: "Continue the copy, then restore it: \(mirror.update(path))")
    }
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
      guard !mutation.yes, context.canAsk, !isNew else { return report }
      // Apps and commands that write single records hold no lease.
      let now = try await RestoreReport(path: path, of: backup, into: store, isNew: false, isDryRun: false)
      guard now.replacement == report.replacement, now.risks == report.risks else {
        throw CommandFailure(
          "\(store.name) was changed while the question waited; nothing was replaced",
          code: "container-changed", hint: "Run it again: it says what it would replace.")
      }
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

/// The report of `container restore`: record counts before and after, without the leases, which a restore writes itself.
struct RestoreReport: Report {
  private let path: String
  /// The name of the container that the restore makes; `nil` where it replaces one.
  private let made: String?
  private let before: [ContainerFileInfo.Count]
  private let after: [ContainerFileInfo.Count]
  private let isDryRun: Bool
  /// The types of a mirror that are not up to date, or that the service did not show.
  private let behind: [MirroredType]
  var accepted: [String] = []
  /// Whether production loses records or values, or its schema loses something or gets other permissions.
  let replacesProduction: Bool
  /// Permanent when the container has records, values, types or fields that the backup lacks, or is damaged.
  let loss: DeletionLoss
  /// The record types and fields of the container that the backup lacks, or has with another type.
  private let dropped: [String]

  /// Reads what the backup and the container hold. Throws the errors of both.
  init(path: String, of backup: LocalStore, into store: LocalStore, isNew: Bool, isDryRun: Bool) async throws
  {
    self.path = path
    made = isNew ? store.name : nil
    self.isDryRun = isDryRun
    behind = backup.mirror?.types.filter { $0.delay != nil } ?? []
    before = try await store.info().countsWithoutLeases
    after = try await backup.info().countsWithoutLeases
    var losesData = false
    var replacesProduction = false
    var dropped: Set<String> = []
    for environment in Environment.allCases {
      let changes = SchemaDiff.changes(
        from: try await store.schema(of: environment), to: try await backup.schema(of: environment),
        isImport: false)
      let losses = changes.filter { $0.risk == .dataLoss }
      dropped.formUnion(losses.map { [$0.recordType, $0.field].compactMap(\.self).joined(separator: ".") })
      let differences = try await ContainerDifferences(
        from: LocalContainer(store: store, environment: environment),
        to: LocalContainer(store: backup, environment: environment), except: [LeaseRecord.recordType])
      let loses = try await losses.isEmpty ? differences.mayLoseRecords : true
      losesData = losesData || loses
      if environment == .production {
        replacesProduction =
          loses || changes.contains { $0.risk != .none && $0.kind != .addRecordType }
      }
    }
    self.dropped = dropped.sorted()
    self.replacesProduction = replacesProduction
    loss = losesData ? .permanent : .none
  }

  fileprivate var risks: Set<String> { loss.risks(in: replacesProduction ? .production : .development) }

  var isConfirmation: Bool { !isDryRun && behind.isEmpty }
  var urgent: ReportBody? { isDryRun ? nil : body.troubles }

  /// `7 records (4 in development, 3 in production) by the 2 records (2 in development, 0 in production) of old.sqlite,
  /// without Note, PublicFeed.tags`
  var replacement: String {
    let lost = dropped.isEmpty ? "" : ", without \(dropped.joined(separator: ", "))"
    return "\(before.words) by the \(after.words) of \(path)\(lost)"
  }

  var json: JSONValue {
    .object([
      "path": path.json, "dryRun": isDryRun.json, "before": before.map(\.json).json,
      "after": after.map(\.json).json, "risks": risks.sorted().json,
      "behind": behind.isEmpty ? nil : behind.map(\.json).json,
    ])
  }

  var body: ReportBody {
    if let made {
      "\(isDryRun ? "would make" : "made") \(made) with the \(after.words) of \(path)"
    } else {
      "\(isDryRun ? "would replace" : "replaced") \(replacement)"
    }
    for delay in behind.compactMap(\.delay) { ListItem(.caution, "\(delay)") }
    if isDryRun { RiskOptions(risks, accepted: accepted).items }
  }
}

extension ContainerFileInfo {
  fileprivate var countsWithoutLeases: [Count] { counts.filter { $0.recordType != LeaseRecord.recordType } }
}

extension [ContainerFileInfo.Count] {
  fileprivate func records(in environment: Environment) -> Int64 {
    reduce(0) { $0 + ($1.environment == environment ? $1.records : 0) }
  }

  fileprivate var words: String {
    let parts = Environment.allCases.map { "\(records(in: $0)) in \($0.rawValue)" }
    return "\(counted(reduce(0) { $0 + $1.records }, "record")) (\(parts.joined(separator: ", ")))"
  }
}
