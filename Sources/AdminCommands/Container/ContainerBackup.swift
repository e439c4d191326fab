internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

struct ContainerBackup: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a container to a file, or update the copy of a CloudKit container.",
    discussion: """
      A local container is copied to a new file while others use it, with both environments as they were at one moment. \
      The file is checked first, as 'container info --check' does; a damaged file is not copied.

      Of a CloudKit container the file becomes a mirror: a local container that every reading command takes, and that no \
      command writes to. A run that is stopped is continued by the next one, which reads only what changed since. Once a \
      day, or with --deletions, a run also finds what was deleted. Copied are the types that users cannot create, and \
      PublicArticle. What names a person becomes a digest, whose key is beside the file (FILE.key). With --assets the file \
      also gets the files of assets, each once; one whose size or checksum is not as its record says is left out.

      Examples:
        celestra-admin container backup before-import.sqlite
        celestra-admin container backup catalog.sqlite --container cloudkit:iCloud.com.example.App
      """)

  @Argument(help: "The file to write: a new one, or a mirror of the same container.", completion: .file())
  var path: String
  @Option(
    "The record types of a mirror, separated by commas. Later runs keep them.", value: "names",
    completion: CompletionValues.recordTypes)
  var types: String?
  @Flag(help: "Also find what was deleted in a CloudKit container, by reading the names of all records.")
  var deletions = false
  @Option(
    "Accept the risk mass-deletion: delete what the service does not have, even more than half of a type.",
    value: "name", completion: .list([MirrorRun.riskOfMassDeletion]))
  var acceptRisk: [String] = []
  @Option(
    "The schema of a CloudKit container, for use without a management token.", value: "file",
    completion: .schemaFile)
  var schema: String?
  @Flag(help: "Also copy the files of assets of a CloudKit container.") var assets = false
  @Option("With --assets: the most bytes of all files together. Default: 10000000000.", value: "n")
  var maxBytes: Int64?
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerBackup>

  var isDryRun: Bool { false }

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "the copy is a database")
    guard acceptRisk.allSatisfy({ $0 == MirrorRun.riskOfMassDeletion }) else {
      throw ValidationError("--accept-risk takes \(MirrorRun.riskOfMassDeletion) here")
    }
    guard maxBytes == nil || assets, maxBytes ?? 0 >= 0 else {
      throw ValidationError("--max-bytes takes a number from 0 up, and works only with --assets")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    if let id = try context.location.cloudKitID { return try await mirror(id, context) }
    guard types == nil, schema == nil, !deletions, acceptRisk.isEmpty, !assets else {
      throw CommandFailure.usage(
        "--types, --schema, --deletions, --accept-risk and --assets are for CloudKit containers")
    }
    context.monitor?.workBegan()
    try await context.localContainer().store.backup(to: path)
    return PlainReport(json: ["path": path.json], isConfirmation: true) { "backed up to \(path)" }
  }
}

struct MirrorReport: Report {
  let path: String
  let result: MirrorResult
  let requests: RequestCounts
  /// Nothing was copied, and the file that the run made is not there any more.
  let isGone: Bool

  private var types: [MirroredType] { result.mark?.types ?? [] }
  private var asOf: Timestamp? { result.mark?.asOf }
  private var behind: [MirroredType] { types.filter { $0.delay != nil } }
  private var isComplete: Bool { behind.isEmpty && (result.files?.missing ?? 0) == 0 }
  var isConfirmation: Bool { isComplete }
  var urgent: ReportBody? { body.troubles }
  var status: ExitStatus { failure?.status ?? (isComplete ? .done : .partial) }

  /// What the service did not show, if nothing else is missing and the key lacks the right to it, because then no run with
  /// this key completes the mirror; or if nothing was copied.
  var failure: CommandFailure? {
    let refusals = behind.compactMap { result.refusals[$0.name] }
    let isDenied =
      refusals.allSatisfy { $0.code == .accessDenied } && refusals.count == behind.count
      && (result.files?.missing ?? 0) == 0
    guard let first = refusals.first, isGone || isDenied else { return nil }
    var failure = CommandFailure(first)
    let which = refusals.count == 1 ? "" : "\(counted(refusals.count, "type")) cannot be read: "
    failure.message = which + failure.message + (isGone ? "; no file was written" : "")
    return failure
  }

  var tally: Tally? { "\(result.read) read, \(result.changed) changed, \(result.deleted) deleted" }

  var metrics: [Metric] {
    let records = MetricFamily(
      "mirror_records", "Records that the last run of a mirror read, changed and deleted")
    let behind = MetricFamily(
      "mirror_types_behind", "Record types that the last run of a mirror could not bring up to date")
    let moment = MetricFamily(
      "mirror_as_of_timestamp_seconds", "The moment before which a mirror lacks no change")
    let missing = MetricFamily(
      "mirror_missing_files", "Files of assets that a mirror lacks after a run with --assets")
    let counts = [("read", result.read), ("changed", result.changed), ("deleted", result.deleted)]
    var metrics = counts.map { Metric(records, [.init("action", $0.0)], $0.1) }
    metrics.append(Metric(behind, self.behind.count))
    if let asOf { metrics.append(Metric(moment, Double(asOf.milliseconds) / 1000)) }
    if let files = result.files { metrics.append(Metric(missing, files.missing)) }
    return metrics
  }

  var json: JSONValue {
    .object([
      "path": path.json, "read": result.read.json, "changed": result.changed.json,
      "deleted": result.deleted.json, "asOf": JSONValue(orNull: asOf?.iso8601),
      "complete": isComplete.json, "types": types.map(\.json).json,
      "aside": .array(
        result.aside.map { aside in
          [
            "recordType": aside.recordType.json, "field": aside.field.json, "values": aside.values.json,
          ]
        }),
      "unindexed": result.unindexed.json, "assets": result.files?.json,
      "requests": ["query": requests.query.json, "lookup": requests.lookup.json],
    ])
  }

  var body: ReportBody {
    let state = isGone ? "nothing to keep" : asOf.map { "as of \($0.iso8601)" } ?? "incomplete"
    "\(path): \(result.read) read, \(result.changed) changed, \(result.deleted) deleted, \(state)"
    for delay in behind.compactMap(\.delay) { ListItem(.caution, "\(delay)") }
    if let files = result.files {
      "\(counted(files.fetched, "file")) of assets fetched (\(files.bytes) bytes), \(files.missing) missing"
      if let reason = files.interruption { ListItem(.caution, "no further file was fetched: \(reason)") }
      for problem in files.problems {
        ListItem(.caution, "\(problem.recordType) \(problem.recordName): \(problem.reason)")
      }
    }
    for aside in result.aside {
      ListItem(
        .caution,
        "\(counted(aside.values, "value")) of \(aside.recordType).\(aside.field) kept aside: the schema does not fit them"
      )
    }
    if !result.unindexed.isEmpty {
      StyledText(
        "Without an index on the time of changes, the names of all records are read: add \"___modTime\" TIMESTAMP "
          + "QUERYABLE to \(result.unindexed.joined(separator: ", ")).", .dim)
    }
  }
}

extension MirroredFiles {
  fileprivate var json: JSONValue {
    .object([
      "fetched": fetched.json, "bytes": bytes.json, "missing": missing.json,
      "interruption": interruption?.json,
      "problems": .array(
        problems.map { problem in
          [
            "recordType": problem.recordType.json, "recordName": problem.recordName.json,
            "reason": problem.reason.json,
          ]
        }),
    ])
  }
}

extension MirroredType {
  var json: JSONValue {
    .object([
      "recordType": name.json, "asOf": asOf?.iso8601.json,
      "deletionsAsOf": deletionsAsOf?.iso8601.json, "behind": behind?.json,
    ])
  }
}
