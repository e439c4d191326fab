internal import CloudKitModel
package import Diagnostics

extension RecordChange {
  /// The fields that are cleared before a deletion, a line each.
  package var clearedFirst: [StyledText] {
    action == .delete
      ? shownFields.map {
        "'\($0.key)' is cleared first: records that refer to each other in a circle keep each other"
      } : []
  }

  /// The change in a dry run. A new record is shown with its number of fields, any other change field by field.
  ///
  /// - Parameters:
  ///   - shown: the record's type and name in the list of which the item is one.
  ///   - slugs: the known names of the record and of those that it refers to, by record name.
  package func item(named shown: String? = nil, slugs: [String: String] = [:]) -> ListItem {
    let name = shown ?? "\(recordType) \(self.name(slugs))"
    switch action {
    case .create: return ListItem(action.mark, "\(name) (\(counted(fields.count, "field")))")
    case .delete: return ListItem(action.mark, "\(name)", details: clearedFirst)
    case .update:
      let text = FieldChangeText(labels: slugs)
      return ListItem(
        action.mark, "\(name)", details: shownFields.map { StyledText(text.line($0.key, $0.value)) })
    }
  }

  fileprivate func name(_ slugs: [String: String]) -> String {
    label ?? slugs[recordName] ?? shownName ?? "record"
  }

  /// The change as JSON for scripts: every field that it writes, before and after, with plain values. Digests of persons are
  /// left out.
  package func planJSON(slug: String? = nil) -> JSONObject {
    let fields = shownFields.map { name, change -> (key: String, value: JSONValue) in
      (name, ["from": change.from.readableJSON, "to": change.to.readableJSON])
    }
    return [
      "action": action.rawValue.json, "recordType": recordType.json,
      "recordName": isNamedByPerson ? nil : recordName.json, "slug": slug?.json,
      "fields": .object(JSONObject(fields)),
    ]
  }
}

extension [RecordChange] {
  /// What the lines of a list call the records, so that no two have one name.
  ///
  /// - Parameters:
  ///   - slugs: the known names of records, by record name.
  ///   - typed: whether a line begins with the record type, as `PublicFeed hacker-news`.
  package func shownNames(slugs: [String: String] = [:], typed: Bool = true) -> [String] {
    let names = map { "\(typed ? "\($0.recordType) " : "")\($0.name(slugs))" }
    let records = zip(self, names).reduce(into: [String: Set<String>]()) {
      $0[$1.1, default: []].insert($1.0.recordName)
    }
    return zip(self, names).map { change, name in
      change.isNamedByPerson || records[name]?.count == 1 ? name : name.distinguished(by: change.recordName)
    }
  }
}

extension [String: String] {
  /// Of what records are called, by record name: a name that several of them have is followed by the record name.
  package var distinguished: [String: String] {
    let counts = values.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    return reduce(into: self) { names, entry in
      if counts[entry.value] != 1 { names[entry.key] = entry.value.distinguished(by: entry.key) }
    }
  }
}

extension String {
  /// `The Verge (a)`: followed by the record name, which must not join a person's own name to that of a user record.
  fileprivate func distinguished(by recordName: String) -> String {
    recordName.containsUserRecordName ? self : "\(self) (\(recordName.shownAsName))"
  }

  /// As the name of a record in a line: between quotes where it has characters that do not show.
  package var shownAsName: String { isPrintableLine ? self : quoted }

  /// The text between double quotes. Escapes them, line breaks, and characters that look like a space or like nothing.
  package var quoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case " ", "\u{3000}": text.unicodeScalars.append(scalar)
      case "\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}": text += scalar.escaped(asASCII: true)
      case _ where scalar.isUnprintable || scalar.properties.isWhitespace:
        text += scalar.escaped(asASCII: true)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension RecordChange.Action {
  fileprivate var mark: ListItem.Mark {
    switch self {
    case .create: .created
    case .delete: .removed
    case .update: .changed
    }
  }
}

extension ReportBody {
  /// Changes that a text shows.
  static let maxChanges = 200

  /// The first changes, and the number of the others.
  ///
  /// - Parameters:
  ///   - total: when not all of them were kept.
  ///   - isSorted: by type and by what is shown, and not in the order in which they are written.
  package static func changes(
    _ changes: [RecordChange], total: Int? = nil, slugs: [String: String] = [:], isSorted: Bool = false
  ) -> ReportBody {
    let names = changes.shownNames(slugs: slugs)
    var entries = merged(zip(changes, names).map { ($0, $1, $0.item(named: $1, slugs: slugs)) })
    if isSorted { entries = entries.map { ($0, order($0)) }.sorted { $0.1 < $1.1 }.map(\.0) }
    return first(maxChanges, of: entries, total: total.map { $0 - changes.count + entries.count }) { $0.item }
  }

  /// From this number on, records that change in the same way are one item; those without a name that is shown always are.
  private static let equalChanges = 5

  /// What is shown of a change, or of several equal ones, which have no name.
  private typealias Entry = (change: RecordChange, name: String?, item: ListItem)

  private static func merged(_ entries: [Entry]) -> [Entry] {
    func key(_ entry: Entry) -> [StyledText]? {
      entry.change.action == .update || entry.change.shownName == nil
        ? [StyledText(entry.change.action.rawValue), StyledText(entry.change.recordType)] + entry.item.details
        : nil
    }
    let counts = entries.reduce(into: [[StyledText]: Int]()) { counts, entry in
      if let key = key(entry) { counts[key, default: 0] += 1 }
    }
    var shown: Set<[StyledText]> = []
    return entries.compactMap { entry in
      let (change, details) = (entry.change, entry.item.details)
      guard let key = key(entry), let count = counts[key], count >= equalChanges || change.shownName == nil
      else { return entry }
      guard shown.insert(key).inserted else { return nil }
      let words: StyledText = "\(counted(count, "\(change.recordType) record"))"
      let group: Entry = (change, nil, ListItem(change.action.mark, words, details: details))
      return group
    }
  }

  /// Records with a name come first; numbers in equal texts stand by their size.
  private static func order(_ entry: Entry) -> (String, Int, String, Int, String) {
    let text = entry.name ?? entry.item.details.map(\.plain).joined(separator: "\n")
    let words = text.filter { !$0.isNumber }.lowercased()
    return (entry.change.recordType, entry.name == nil ? 1 : 0, words, text.count, text)
  }
}

extension FieldValue? {
  /// A plain JSON value: a reference is its record name, a time is ISO 8601 in UTC, and an absent value is `null`.
  package var readableJSON: JSONValue {
    switch self {
    case nil: .null
    case .reference(let reference)?: .string(reference.recordName)
    case .timestamp(let moment)?: .string(moment.iso8601)
    case .list(_, let elements)?: .array(elements.map { Optional($0).readableJSON })
    case let value?: value.plainJSON
    }
  }
}
