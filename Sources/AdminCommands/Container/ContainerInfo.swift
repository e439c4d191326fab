internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Records

struct ContainerInfo: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the record types of a container, and how many records they have.",
    discussion: """
      A local container counts both environments at once. CloudKit cannot count: there the types are listed, and \
      --count reads all records, a request for every 200.

      With --check every page of a local container's file is read and checked, which takes some seconds for a \
      million records. Of a damaged file it says what is damaged, which types can still be read and what to do, and ends \
      with status 1.

      Examples:
        celestra-admin container info --count
        celestra-admin container info --check
      """)

  @Flag(help: "Count the records of a CloudKit container too.") var count = false
  @Flag(help: "Check the whole file of a local container for damage.") var check = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerInfo>

  func perform(in context: CommandContext) async throws -> any Report {
    guard try context.hasLocalContainer else {
      if check { throw CommandFailure.usage("--check works on local containers only") }
      let types = try await context.queryableTypes()
      let container = try await context.container()
      var counts: [(recordType: String, records: Int?)] = []
      for type in types {
        counts.append(
          (type, count ? try await RecordCount(of: Query(type), by: nil, in: container).total : nil))
      }
      return PlainReport(counts, in: try context.environment)
    }
    if check, case .local(let path) = try context.location {
      let found = try await ContainerFileCheck(of: path)
      if !found.problems.isEmpty { return found.report(of: path) }
    }
    let store = try context.localContainer().store
    return try await store.info().report(of: store, isChecked: check)
  }
}

extension ContainerFileInfo {
  /// - Parameter isChecked: whether the file was checked, and no damage found.
  func report(of store: LocalStore, isChecked: Bool) -> PlainReport {
    let types = counts.map { $0.isWhole ? $0.json : $0.json.adding(["records": JSONValue.null]) }
    let json: JSONValue = [
      "recordTypes": types.json, "sizeBytes": size.json, "layoutVersion": layoutVersion.json,
      "sqliteVersion": sqliteVersion.json, "checked": isChecked.json, "problems": [], "id": store.id.json,
      "incarnation": store.incarnation.json,
    ]
    return PlainReport(json: json, isConfirmation: isChecked) {
      Table(counts, "records", .right) { $0.isWhole ? "\($0.records)" : "not read" }
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
