internal import CloudKitModel
internal import Diagnostics

/// Records for a person: a block each, fields in alphabetical order.
struct RecordListing {
  let text: PrintableText

  init(_ found: FoundRecords, _ style: Style) {
    var text = found.records.map { RecordListing.block($0, style) }.joined(separator: "\n")
    let count = found.records.count
    text += count == 0 ? "" : "\n"
    text += "\(counted(count, "record"))"
    text += found.isComplete ? "\n" : "; there are more\n"
    self.text = text
  }

  private static func block(_ record: Record, _ style: Style) -> PrintableText {
    let width = record.fields.keys.map(\.count).max() ?? 0
    let fields = record.fields.sorted { $0.key < $1.key }.map { name, value -> PrintableText in
      "  \(name.padded(to: width))  \(value.display)\n"
    }
    return "\(style.bold("\(record.recordType)")) \(record.recordName)\n" + fields.joined()
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
