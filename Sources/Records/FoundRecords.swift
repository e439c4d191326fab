package import CloudKitModel
package import Diagnostics
package import RecordChanges
internal import SchemaLanguage

/// The result of a query or lookup: the records, and the names that could not be read.
package struct FoundRecords: Report {
  package let records: [Record]
  package let isComplete: Bool
  /// The fields in the order wanted; `nil` for all fields, in alphabetical order.
  private var columns: [String]?
  /// Why a record that was asked for by name is not among the records.
  private var refused: [(recordName: String, error: ServerError)] = []
  /// Shows when and by which kind of user the records were made and changed; `nil` leaves that out.
  private var authors: ChangeAuthors?
  package private(set) var isConfirmation = false
  /// What to do about a missing record; `nil` for what its error says.
  package var hint: String?
  package var firstMissing: String? { refused.first { $0.error.code == .notFound }?.recordName }

  package init(_ records: [Record], isComplete: Bool = true, columns: [String]? = nil) {
    self.records = records
    self.isComplete = isComplete
    self.columns = columns
  }

  /// A record that was written: with `-q` it is not shown.
  package init(written record: Record) {
    self.init([record])
    isConfirmation = true
  }

  /// The first records of a query.
  package init(of query: Query, columns: [String]?, limit: Int?, in container: some Container) async throws {
    let keys = columns?.filter { !$0.hasPrefix("___") }
    let (records, isComplete) = try await container.firstRecords(query, desiredKeys: keys, limit: limit)
    self.init(records, isComplete: isComplete, columns: columns)
  }

  /// The default limit for a terminal; scripts get all records.
  package static func defaultLimit(for format: OutputFormat) -> Int? {
    format == .text || format == .table ? 50 : nil
  }

  /// What a lookup of these names returned.
  package init(of recordNames: [String], _ outcomes: [RecordOutcome], authors: ChangeAuthors? = nil) {
    self.authors = authors
    records = outcomes.compactMap(\.record)
    isComplete = true
    refused = zip(recordNames, outcomes).compactMap { name, outcome in outcome.error.map { (name, $0) } }
  }

  package var json: JSONValue {
    .object([
      "records": .array(records.map(json)), "count": records.count.json,
      "complete": .bool(isComplete && refused.isEmpty),
      "missing": refused.isEmpty ? nil : .array(refused.map(\.recordName.withoutUserRecordNames.json)),
    ])
  }

  /// An error that is more than an absent record decides the code and the status.
  package var failure: CommandFailure? {
    guard let first = refused.first(where: { $0.error.code != .notFound }) ?? refused.first else {
      return nil
    }
    var failure = CommandFailure(first.error)
    failure.hint = hint ?? failure.hint
    let total = records.count + refused.count
    failure.message = "\(refused.count) of \(total) records not read"
    if refused.count > 1 {
      failure.details = refused.map { "\($0.recordName): \($0.error)" }
    } else {
      failure.message += "; \(first.recordName): \(first.error)"
    }
    return failure
  }

  /// Blocks, a record each, also of one without values.
  package var body: ReportBody {
    for record in records {
      ReportBody.section(
        Section("\(record.recordType) \(record.recordName.shownAsName)") {
          fields(of: record)
          stamps(of: record)
        })
    }
    count
  }

  package func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText? {
    switch format {
    case .jsonl: PrintableText(document: records.map { json($0).text() + "\n" }.joined())
    case .table, .csv: tabular(for: format).rendered(as: format, style)
    default: nil
    }
  }

  /// The records as a table. In a terminal the cells are clipped; a file has whole values, and the type of each record.
  private func tabular(for format: OutputFormat) -> PlainReport {
    let names = columns ?? Set(records.flatMap(\.fields.keys)).sorted()
    let isFile = format == .csv
    var table = Table((["recordName"] + (isFile ? ["recordType"] : []) + names).map { .init($0) })
    table.rows = records.map { record in
      let values = names.map { name -> StyledText in
        let value = record.shownValue(of: name)
        guard !isFile, let text = value?.display, text.count > Self.maxWidth else {
          return StyledText((isFile ? value?.cell : value?.display) ?? "")
        }
        return StyledText(String(text.prefix(Self.maxWidth - 1)) + "…")
      }
      return Table.Row(
        [StyledText(isFile ? record.recordName : record.recordName.shownAsName)]
          + (isFile ? [StyledText(record.recordType)] : []) + values)
    }
    return PlainReport {
      table
      if !isFile { count }
    }
  }

  /// Characters of a cell that a terminal shows; the rest is cut off.
  private static let maxWidth = 60

  private func json(_ record: Record) -> JSONValue {
    guard let authors, var object = record.listingJSON.object else { return record.listingJSON }
    object["created"] = record.created.map(authors.json)
    object["modified"] = record.modified.map(authors.json)
    return .object(object)
  }

  private var count: StyledText {
    "\(counted(records.count, "record"))\(isComplete ? "" : "; there are more: raise --limit")"
  }

  private func fields(of record: Record) -> Table {
    Table(
      facts: (columns ?? record.fields.keys.sorted()).compactMap { name in
        record.shownValue(of: name).map { ("\(name)", "\($0.display)") }
      })
  }

  private func stamps(of record: Record) -> [StyledText] {
    guard let authors else { return [] }
    return [("created", record.created), ("changed", record.modified)].compactMap { word, stamp in
      stamp.map { StyledText("\(word) \(authors.text($0))", .dim) }
    }
  }
}

extension Record {
  /// The portable form with the change tag.
  package var listingJSON: JSONValue {
    guard case .object(var object) = portableJSON else { return portableJSON }
    object["recordChangeTag"] = changeTag?.json
    return .object(object)
  }
}

extension FieldValue {
  /// The value in one line for a person. A text that holds control characters is shown as JSON writes it.
  package var display: String {
    switch self {
    case .string(let text): text.isPrintableLine ? text : JSONValue.string(text).text()
    case .int64(let number): String(number)
    case .double(let number): String(number)
    case .timestamp(let timestamp): timestamp.iso8601
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .reference(let reference): "→ \(reference.recordName)"
    case .location(let location): "\(location.latitude), \(location.longitude)"
    case .asset(let asset): "asset of \(asset.size) bytes"
    case .list(_, let values): "[\(values.map(\.listElement).joined(separator: ", "))]"
    }
  }

  private var listElement: String { string?.asListElement ?? display }

  /// The value as a spreadsheet takes it: texts, names, base64, times and numbers as they are, lists and places as JSON.
  var cell: String {
    switch self {
    case .int64, .double: display
    default: Optional(self).readableJSON.string ?? Optional(self).readableJSON.text()
    }
  }
}

extension Record {
  /// The value of a field by its stored name, of a system field too. Who created or changed a record has none here:
  /// a user's record name is never shown.
  func shownValue(of field: String) -> FieldValue? {
    switch FieldName(field) {
    case .user(let name): fields[name]
    case .system(.recordName): .string(recordName)
    case .system(.createdTimestamp): created.map { .timestamp($0.timestamp) }
    case .system(.modifiedTimestamp): modified.map { .timestamp($0.timestamp) }
    case .system(.etag): changeTag.map(FieldValue.string)
    case .system(.createdUserRecordName), .system(.modifiedUserRecordName): nil
    }
  }
}
