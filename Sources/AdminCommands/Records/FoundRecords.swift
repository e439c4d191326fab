internal import CloudKitModel
internal import Diagnostics

/// Records that a query or a lookup returned, and those it could not return.
struct FoundRecords: Report {
  var records: [Record]
  var isComplete: Bool
  /// Why a record that was asked for by name is not among the records.
  private(set) var refused: [(recordName: String, error: ServerError)] = []

  var json: JSONValue {
    var object: JSONObject = [
      "records": .array(records.map(\.listingJSON)), "count": .integer(Int64(records.count)),
      "complete": .bool(isComplete && refused.isEmpty),
    ]
    if !refused.isEmpty { object["missing"] = .array(refused.map { .string($0.recordName) }) }
    return .object(object)
  }

  /// An error that is more than an absent record is named first.
  var failure: CommandFailure? {
    guard let first = refused.first(where: { $0.error.code != .notFound }) ?? refused.first else {
      return nil
    }
    var failure = CommandFailure(first.error)
    let total = records.count + refused.count
    failure.message = "\(refused.count) of \(total) records not read; \(first.recordName): \(first.error)"
    if refused.count > 1 { failure.details = refused.map { "\($0.recordName): \($0.error)" } }
    return failure
  }

  /// Blocks, a record each, fields in alphabetical order.
  func text(_ style: Style) -> PrintableText {
    var text = records.map { FoundRecords.block($0, style) }.joined(separator: "\n")
    text += records.isEmpty ? "" : "\n"
    text += "\(counted(records.count, "record"))"
    text += isComplete ? "\n" : "; there are more\n"
    return text
  }

  func rendered(as format: OutputFormat, _ style: Style) -> PrintableText {
    format == .jsonl
      ? PrintableText(document: records.map { $0.listingJSON.text() + "\n" }.joined()) : text(style)
  }

  private static func block(_ record: Record, _ style: Style) -> PrintableText {
    let width = record.fields.keys.map(\.count).max() ?? 0
    let fields = record.fields.sorted { $0.key < $1.key }.map { name, value -> PrintableText in
      "  \(name.padded(to: width))  \(value.display)\n"
    }
    return "\(style.bold("\(record.recordType)")) \(record.recordName)\n" + fields.joined()
  }
}

extension FoundRecords {
  /// What a lookup of these names returned.
  init(of recordNames: [String], _ outcomes: [RecordOutcome]) {
    records = outcomes.compactMap(\.record)
    isComplete = true
    refused = zip(recordNames, outcomes).compactMap { name, outcome in outcome.error.map { (name, $0) } }
  }
}

extension Record {
  /// The portable form with the change tag.
  var listingJSON: JSONValue {
    guard case .object(var object) = portableJSON else { return portableJSON }
    object["recordChangeTag"] = changeTag.map(JSONValue.string)
    return .object(object)
  }
}

extension FieldValue {
  /// The value in one line for a person. A text that holds control characters is shown as JSON writes it.
  var display: String {
    switch self {
    case .string(let text): text == text.printableLine ? text : JSONValue.string(text).text()
    case .int64(let number): String(number)
    case .double(let number): String(number)
    case .timestamp(let timestamp): timestamp.iso8601
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .reference(let reference): "→ \(reference.recordName)"
    case .location(let location): "\(location.latitude), \(location.longitude)"
    case .asset(let asset): "asset of \(asset.size) bytes"
    case .list(_, let values): "[\(values.map(\.display).joined(separator: ", "))]"
    }
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
  func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
