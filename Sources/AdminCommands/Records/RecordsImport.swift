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
      Records that are equal already are not written; fields a line does not name are left alone.

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
      "Write \(changes.count) of \(records.count) records to \(session.target.name).", options: mutation)
    let report = try await session.apply(
      changes, to: container, policy: .reapply, command: RecordsImport.title)
    return result(records.count, changes, report)
  }

  private func result(_ read: Int, _ changes: [RecordChange], _ report: ChangeReport?) -> CommandResult {
    let creates = changes.count { $0.action == .create }
    let json: JSONValue = [
      "read": .integer(Int64(read)), "create": .integer(Int64(creates)),
      "update": .integer(Int64(changes.count - creates)), "unchanged": .integer(Int64(read - changes.count)),
      "written": .integer(Int64(report?.applied ?? 0)), "remaining": report?.remainingJSON ?? [],
    ]
    return CommandResult(of: report ?? ChangeReport(), json: json) { _, style in
      let counts = "\(creates) new, \(changes.count - creates) changed, \(read - changes.count) unchanged"
      guard let report else { return "would import \(read) records: \(counts)\n" }
      return "imported \(read) records: \(counts)\n" + report.remainingText(style)
    }
  }
}

/// A file of records, a JSON object a line.
enum RecordLines {
  /// Reads all lines; throws a failure that shows every line that is not a record.
  static func read(_ path: String) throws -> [Record] {
    let source = try InputFile.source(path)
    var records: [Record] = []
    var diagnostics: [Diagnostic] = []
    var start = 0
    for line in source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      defer { start += line.count + 1 }
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      do {
        records.append(try Record(portableJSON: JSONValue(parsing: line)))
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
}
