public import CloudKitModel
public import Diagnostics
public import RecordChanges

/// The result of a query or lookup: the records, and the names that could not be read.
public struct FoundRecords: Report {
  public let records: [Record]
  /// Whether these are all records that match.
  public let isComplete: Bool
  /// The fields in the order wanted; `nil` for all fields, in alphabetical order.
  private let columns: [String]?
  /// Why a record that was asked for by name is not among the records.
  private let refused: [(recordName: String, error: ServerError)]
  /// Shows when and by which kind of user the records were made and changed; `nil` leaves that out.
  private let authors: ChangeAuthors?
  public private(set) var isConfirmation = false

  public init(_ records: [Record], isComplete: Bool = true, columns: [String]? = nil) {
    self.records = records
    self.isComplete = isComplete
    self.columns = columns
    refused = []
    authors = nil
  }

  /// A record that was written: with `-q` it is not shown.
  public init(written record: Record) {
    self.init([record])
    isConfirmation = true
  }

  /// The first records of a query.
  ///
  /// - Parameters:
  ///   - columns: the fields to read and show; those that the query sorts by are shown too.
  ///   - limit: from 1 up; `nil` for all.
  public init(of query: Query, columns: [String]?, limit: Int?, in container: some Container) async throws {
    var columns = columns
    for sort in query.sorts.map(\.field.storedName) where columns?.contains(sort) == false {
      columns?.append(sort)
    }
    let keys = columns?.filter { !$0.hasPrefix("___") }
    let (records, isComplete) = try await container.firstRecords(query, desiredKeys: keys, limit: limit)
    self.init(records, isComplete: isComplete, columns: columns)
  }

  /// The default limit for a terminal; scripts get all records.
  public static func defaultLimit(for format: OutputFormat) -> Int? {
    format == .text || format == .table ? 50 : nil
  }

  /// What a lookup of these names returned.
  ///
  /// - Parameter authors: to also show when the records were made and changed, and whether this key did it.
  public init(of recordNames: [String], _ outcomes: [RecordOutcome], authors: ChangeAuthors? = nil) {
    self.authors = authors
    records = outcomes.compactMap(\.record)
    isComplete = true
    columns = nil
    refused = zip(recordNames, outcomes).compactMap { name, outcome in outcome.error.map { (name, $0) } }
  }

  public var json: JSONValue {
    .object([
      "records": .array(records.map(json)), "count": JSONValue(records.count),
      "complete": .bool(isComplete && refused.isEmpty),
      "missing": refused.isEmpty ? nil : .array(refused.map { .string($0.recordName) }),
    ])
  }

  /// An error that is more than an absent record is named first.
  public var failure: CommandFailure? {
    guard let first = refused.first(where: { $0.error.code != .notFound }) ?? refused.first else {
      return nil
    }
    var failure = CommandFailure(first.error)
    let total = records.count + refused.count
    failure.message = "\(refused.count) of \(total) records not read; \(first.recordName): \(first.error)"
    if refused.count > 1 { failure.details = refused.map { "\($0.recordName): \($0.error)" } }
    return failure
  }

  /// Blocks, a record each.
  public func text(_ style: TerminalStyle) -> PrintableText {
    records.map { block($0, style) }.joined(separator: "\n") + (records.isEmpty ? "" : "\n") + count
  }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .jsonl: PrintableText(document: records.map { json($0).text() + "\n" }.joined())
    case .table: RecordTable(records, columns).text(style) + count
    case .csv: PrintableText(document: RecordTable(records, columns).csv)
    default: text(style)
    }
  }

  private func json(_ record: Record) -> JSONValue {
    guard let authors, var object = record.listingJSON.object else { return record.listingJSON }
    object["created"] = record.created.map(authors.json)
    object["modified"] = record.modified.map(authors.json)
    return .object(object)
  }

  private var count: PrintableText {
    "\(counted(records.count, "record"))\(isComplete ? "" : "; there are more: raise --limit")\n"
  }

  private func block(_ record: Record, _ style: TerminalStyle) -> PrintableText {
    let names = columns ?? record.fields.keys.sorted()
    let width = names.map(\.count).max() ?? 0
    let fields = names.compactMap { name in
      record.shownValue(of: name).map { (name, $0) }
    }
    let lines = fields.map { name, value -> PrintableText in "  \(name.padded(to: width))  \(value.display)\n"
    }
    return "\(style.bold("\(record.recordType)")) \(record.recordName)\n" + lines.joined()
      + style.dim("\(stamps(of: record))")
  }
}

extension FoundRecords {
  private func stamps(of record: Record) -> PrintableText {
    guard let authors else { return "" }
    return [("created", record.created), ("changed", record.modified)].compactMap { word, stamp in
      stamp.map { "  \(word) \(authors.text($0))\n" as PrintableText }
    }.joined()
  }
}

extension Record {
  /// The portable form with the change tag.
  public var listingJSON: JSONValue {
    guard case .object(var object) = portableJSON else { return portableJSON }
    object["recordChangeTag"] = changeTag.map(JSONValue.string)
    return .object(object)
  }
}
