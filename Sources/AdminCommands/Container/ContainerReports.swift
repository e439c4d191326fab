internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

extension ContainerFileInfo {
  /// - Parameter isChecked: whether the file was checked, and no damage found.
  func report(of store: LocalStore, isChecked: Bool) -> PlainReport {
    let json: JSONValue = [
      "recordTypes": counts.map(\.json).json, "sizeBytes": size.json, "layoutVersion": layoutVersion.json,
      "sqliteVersion": sqliteVersion.json, "checked": isChecked.json, "problems": [], "id": store.id.json,
      "incarnation": store.incarnation.json,
    ]
    return PlainReport(json: json, isConfirmation: isChecked) {
      Table(counts, "records", .right) { "\($0.records)" }
      "\(size) bytes, layout \(layoutVersion), SQLite \(sqliteVersion)"
      "id \(store.id)"
      if isChecked { "no damage was found" }
    }
  }
}

extension Table {
  fileprivate init(
    _ counts: [ContainerFileInfo.Count], _ title: String, _ alignment: Column.Alignment = .left,
    _ records: (ContainerFileInfo.Count) -> StyledText
  ) {
    self.init(
      [.init("record type"), .init("environment"), .init(title, alignment)],
      rows: counts.map { Row(["\($0.recordType)", "\($0.environment.rawValue)", records($0)]) })
  }
}

extension ContainerFileCheck {
  private static let maxShown = 20

  func report(of path: String) -> PlainReport {
    let failure = CommandFailure(
      "local:\(path) is damaged; "
        + (readable.isEmpty ? "no command can read it" : "what can be read is listed"),
      code: "storage", hint: advice(about: path) + rescue(of: path))
    let types = readable.map { $0.json.adding(["whole": $0.isWhole.json]) }
    return PlainReport(
      json: ["checked": true, "problems": problems.json, "recordTypes": types.json], failure: failure
    ) {
      ReportBody.first(Self.maxShown, of: problems) { ListItem(.bad, "\($0)") }
      Table(readable.filter { $0.records > 0 || !$0.isWhole }, "can be read") {
        "\($0.isWhole ? "all" : "only") \($0.records)"
      }
    }
  }

  private func advice(about path: String) -> String {
    guard let mirror else { return "\(replacing.prefix(1).uppercased())\(replacing.dropFirst())" }
    return
      "Copy the service again: move the file and those beside it (-wal, -shm) away, and run "
      + mirror.update(path, asNew: true)
  }

  /// How to keep what can be read of a container without a backup.
  private func rescue(of path: String) -> String {
    let whole = readable.filter { $0.isWhole && $0.records > 0 }
    guard mirror == nil, let first = whole.first else { return "" }
    let types = whole.filter { $0.environment == first.environment }.map(\.recordType).joined(separator: " ")
    let environment = first.environment == .production ? " --environment production" : ""
    return
      "; without a backup, keep what can be read: celestra-admin records export \(types) --container "
      + "\("local:\(path)".shellWord)\(environment) --output kept.ndjson"
  }
}

extension ContainerFileInfo.Count {
  var json: JSONValue {
    [
      "environment": environment.rawValue.json, "recordType": recordType.json, "records": records.json,
    ]
  }
}

extension PlainReport {
  /// - Parameter entries: the records are `nil` when they were not counted: of all types, or of none.
  init(_ entries: [(recordType: String, records: Int?)], in environment: Environment) {
    let list = entries.map { entry in
      JSONValue.object([
        "environment": environment.rawValue.json, "recordType": entry.recordType.json,
        "records": entry.records?.json,
      ])
    }
    let isCounted = entries.contains { $0.records != nil }
    var table = Table(
      [.init("record type"), .init("environment")] + (isCounted ? [.init("records", .right)] : []))
    table.rows = entries.map { entry in
      let count: [StyledText?] = entry.records.map { ["\($0)"] } ?? []
      return Table.Row(["\(entry.recordType)", "\(environment.rawValue)"] + count)
    }
    self.init(json: ["recordTypes": .array(list)]) {
      table
      if !isCounted, !entries.isEmpty { "\("--count", .code) counts them: a request for every 200 records" }
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
  /// Whether production has records, or its schema loses something or gets other permissions.
  let replacesProduction: Bool
  /// Permanent when the container has records, or types or fields that the backup lacks.
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
        from: try await store.schema(of: environment), to: try await backup.schema(of: environment))
      let losses = changes.filter { $0.risk == .dataLoss }
      dropped.formUnion(losses.map { [$0.recordType, $0.field].compactMap(\.self).joined(separator: ".") })
      let hasRecords = before.records(in: environment) > 0
      losesData = losesData || hasRecords || !losses.isEmpty
      if environment == .production {
        replacesProduction =
          hasRecords || changes.contains { $0.risk != .none && $0.kind != .addRecordType }
      }
    }
    self.dropped = dropped.sorted()
    self.replacesProduction = replacesProduction
    loss = losesData ? .permanent : .none
  }

  private var risks: Set<String> { loss.risks(in: replacesProduction ? .production : .development) }

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
