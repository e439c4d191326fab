internal import CloudKitModel
package import Diagnostics

extension RecordChange {
  /// The change in a dry run. A new record is shown with its number of fields, any other change field by field.
  ///
  /// - Parameter slugs: the known names of the record and of those that it refers to, by record name.
  package func item(slugs: [String: String] = [:]) -> ListItem {
    let name = "\(recordType) \(SanitizedText.line(label ?? slugs[recordName] ?? recordName))"
    switch action {
    case .create: return ListItem(.created, "\(name) (\(counted(fields.count, "field")))")
    case .delete: return ListItem(.removed, "\(name)")
    case .update:
      let text = FieldChangeText(labels: slugs)
      let lines = fields.sorted { $0.key < $1.key }.map { StyledText(text.line($0.key, $0.value)) }
      return ListItem(.changed, "\(name)", details: lines)
    }
  }
}

extension ReportBody {
  /// Changes that a text shows.
  static let maxChanges = 200

  /// The first changes, and the number of the others.
  ///
  /// - Parameter total: when not all of them were kept.
  package static func changes(
    _ changes: [RecordChange], total: Int? = nil, slugs: [String: String] = [:]
  ) -> ReportBody {
    let items = merged(changes.map { ($0, $0.item(slugs: slugs)) })
    return first(maxChanges, of: items, total: total.map { $0 - changes.count + items.count }) { $0 }
  }

  /// From this number on, records that change in the same way are one item.
  private static let equalChanges = 5

  private static func merged(_ items: [(change: RecordChange, item: ListItem)]) -> [ListItem] {
    func key(_ change: RecordChange, _ item: ListItem) -> [StyledText]? {
      change.action == .update ? [StyledText(change.recordType)] + item.details : nil
    }
    let counts = items.reduce(into: [[StyledText]: Int]()) { counts, entry in
      if let key = key(entry.change, entry.item) { counts[key, default: 0] += 1 }
    }
    var shown: Set<[StyledText]> = []
    return items.compactMap { change, item in
      guard let key = key(change, item), let count = counts[key], count >= equalChanges else { return item }
      guard shown.insert(key).inserted else { return nil }
      return ListItem(.changed, "\(counted(count, "\(change.recordType) record"))", details: item.details)
    }
  }
}

extension RecordChange {
  /// The change as JSON for scripts: every field that it writes, before and after, with plain values.
  package func planJSON(slug: String? = nil) -> JSONObject {
    var json: JSONObject = [
      "action": .string(action.rawValue), "recordType": .string(recordType),
      "recordName": .string(recordName),
    ]
    json["slug"] = slug.map(JSONValue.string)
    json["fields"] = .object(
      JSONObject(
        fields.sorted { $0.key < $1.key }.map { name, change in
          (name, ["from": change.from.readableJSON, "to": change.to.readableJSON])
        }))
    return json
  }
}

extension FieldValue? {
  /// A plain JSON value: a reference is its record name, a time is ISO 8601 in UTC, and an absent value is `null`.
  fileprivate var readableJSON: JSONValue {
    switch self {
    case nil: .null
    case .reference(let reference)?: .string(reference.recordName)
    case .timestamp(let moment)?: .string(moment.iso8601)
    case .list(_, let elements)?: .array(elements.map { Optional($0).readableJSON })
    case let value?: value.plainJSON
    }
  }
}

/// Makes text from seeds and containers safe to print, so that a title cannot move the cursor or reverse the line
/// around it.
package enum SanitizedText {
  /// Control characters and bidirectional overrides are written as escapes.
  package static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      switch scalar {
      case "\n": line += "\\n"
      case "\t": line += "\\t"
      case _ where scalar.isUnprintable: line += "\\u{\(String(scalar.value, radix: 16))}"
      default: line.unicodeScalars.append(scalar)
      }
    }
  }

  package static func quoted(_ text: String) -> String { "\"\(line(text))\"" }

  /// Two long texts, cut down to where they differ, each at most about `length` characters.
  static func excerpts(_ old: String, _ new: String, length: Int = 80) -> (String, String) {
    guard old.count > length || new.count > length else { return (old, new) }
    let shared = zip(old, new).prefix { $0 == $1 }.count
    let start = max(0, shared - length / 4)
    return (excerpt(old, from: start, length: length), excerpt(new, from: start, length: length))
  }

  static func excerpt(_ text: String, from start: Int = 0, length: Int = 80) -> String {
    let rest = text.dropFirst(start)
    return (start > 0 ? "…" : "") + rest.prefix(length) + (rest.count > length ? "…" : "")
  }
}
