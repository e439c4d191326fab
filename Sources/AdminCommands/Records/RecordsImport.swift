internal import ArgumentParser
internal import CloudKitModel
internal import Diagnostics
internal import PositionedJSON
internal import RecordChanges

struct RecordsImport: AdminCommand {
  static let title = "records import"
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make records equal to the lines 'records export' wrote.",
    discussion: """
      Records that are equal already are not written; fields a line does not name are left alone. A name that two \
      lines give is refused before anything is written.

      Example: celestra-admin records import catalog.ndjson --dry-run
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The file; - reads standard input.") var file: String

  func perform(in session: Session) async throws -> CommandResult {
    let records = try RecordLines.read(file)
    let container = try await session.container(writing: !mutation.dryRun)
    let existing = try await container.lookupAll(records.map(\.recordName))
    let changes = zip(records, existing).compactMap { record, outcome in
      RecordChange.toward(
        record.fields.mapValues { $0 }, recordType: record.recordType, recordName: record.recordName,
        existing: outcome.record)
    }
    guard !mutation.dryRun else { return result(records.count, changes, nil) }
    try session.confirm(
      "Write \(changes.count) of \(counted(records.count, "record")) to \(session.target.name).",
      options: mutation)
    let report = try await session.apply(
      changes, to: container, policy: .reapply, command: RecordsImport.title)
    return result(records.count, changes, report)
  }

  private func result(_ read: Int, _ changes: [RecordChange], _ report: ChangeReport?) -> CommandResult {
    let done = report.map { $0.results.filter { $0.outcome == .applied }.map(\.change) } ?? changes
    let creates = done.count { $0.action == .create }
    let updates = done.count - creates
    let unchanged = read - changes.count + (report?.alreadyApplied ?? 0)
    var json: JSONObject = [
      "read": .integer(Int64(read)), "create": .integer(Int64(creates)),
      "update": .integer(Int64(updates)), "unchanged": .integer(Int64(unchanged)),
      "written": .integer(Int64(report?.applied ?? 0)), "remaining": report?.remainingJSON ?? [],
    ]
    if report == nil { json["changes"] = .array(changes.map { .object($0.planJSON()) }) }
    return CommandResult(
      of: report ?? ChangeReport(), isConfirmation: report != nil || changes.isEmpty, json: .object(json)
    ) { _, style in
      let counts = "\(creates) new, \(updates) changed, \(unchanged) unchanged"
      guard let report else {
        return ChangeText.lines(of: changes) + "would import \(counted(read, "record")): \(counts)\n"
      }
      let there = report.isComplete ? "" : "\(done.count + unchanged) of "
      return "imported \(there)\(counted(read, "record")): \(counts)\n" + report.remainingText(style)
    }
  }
}

/// A file of records, a JSON object a line.
enum RecordLines {
  /// Reads all lines; throws a failure that shows every line that is not a record, or is one that an earlier line
  /// is: records of all types share their names.
  static func read(_ path: String) throws -> [Record] {
    let source = try InputFile.source(path)
    var records: [Record] = []
    var diagnostics: [Diagnostic] = []
    var places: [String: Int] = [:]
    var start = 0
    for line in source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      defer { start += line.count + 1 }
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      do {
        let record = try Record(portableJSON: JSONValue(parsing: line))
        if let first = places[record.recordName] {
          let range = start..<start + line.count
          diagnostics.append(
            repetition(of: record, at: source.range(range), first: source.range(first..<first)))
        } else {
          places[record.recordName] = start
        }
        records.append(record)
      } catch let error as JSONSyntaxError {
        let range = start + error.range.lowerBound..<start + error.range.upperBound
        diagnostics.append(Diagnostic("RC0101", .error, error.message, at: source.range(range)))
      } catch let error as FieldValueError {
        diagnostics.append(
          Diagnostic("RC0102", .error, error.reason, at: source.range(start..<start + line.count)))
      }
    }
    guard diagnostics.isEmpty else {
      throw CommandFailure("nothing was imported", code: "bad-input", diagnostics: diagnostics)
    }
    return records
  }

  private static func repetition(of record: Record, at place: SourceRange, first: SourceRange) -> Diagnostic {
    Diagnostic(
      "RC0103", .error, "record '\(record.recordName)' is in line \(first.start.line) already", at: place,
      help:
        "A record has one line: leave out the one at \(first.source.name):\(first.start.line), or this one.")
  }
}
