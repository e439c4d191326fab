extension SchemaChange {
  /// The change in one line, without its record type.
  public var summary: String {
    switch kind {
    case .addRecordType: "new record type"
    case .removeRecordType: "record type removed"
    case .addField: "\(field ?? "") \(to ?? "")"
    case .removeField: "\(field ?? "") \(from ?? "")"
    case .changeFieldType: "\(field ?? "") \(from ?? "") -> \(to ?? "")"
    case .addIndex: "\(field ?? "") gains \(to ?? "")"
    case .removeIndex: "\(field ?? "") loses \(from ?? "")"
    case .addGrant: "GRANT \(to ?? "") TO \(shownRole)"
    case .removeGrant: "\(from ?? "") revoked from \(shownRole)"
    case .addRole: "CREATE ROLE \(shownRole)"
    case .removeRole: "role \(shownRole) removed"
    }
  }

  /// As a schema writes it.
  private var shownRole: String { CanonicalText().names.spelled(role ?? "") }

  /// `+` for what appears, `-` for what goes, `~` for what changes.
  public var sign: String {
    if kind.isRemoval { return "-" }
    return kind == .changeFieldType ? "~" : "+"
  }

  /// What stands out: a risk, a refusal, an answer that is not known. Empty for a plain addition.
  public var caution: String {
    var words: [String] = risk == .none ? [] : [risk.rawValue]
    if development != .allowed { words.append("development: \(development.rawValue)") }
    if production != .allowed { words.append("production: \(production.rawValue)") }
    return words.joined(separator: ", ")
  }

  /// What the change belongs under in a listing.
  public var heading: String { recordType.map { "record type \($0)" } ?? "roles" }

  /// A new type that opens itself to strangers by nothing but CREATE for `_icloud`
  /// (Documentation/reference/schema-language.md#roles-and-system-types).
  public var isRecommendedOpening: Bool {
    guard kind == .addRecordType, let whole else { return false }
    return whole.privileges(of: Role.world).isDisjoint(with: [.create, .write])
      && !whole.privileges(of: Role.icloud).contains(.write)
  }

  /// The members of a type that appears or goes, as a schema writes them.
  var members: [String] {
    guard let whole else { return [] }
    let text = CanonicalText()
    let width = text.columnWidth(whole.fields)
    return whole.fields.map { text.field($0, width: width) } + whole.grants.map(text.grant)
  }
}

/// One line of a listing: a change, or the options that one field gains or loses.
struct ChangeLine {
  let changes: [SchemaChange]

  var first: SchemaChange { changes[0] }

  /// `title gains QUERYABLE, SORTABLE`
  var summary: String {
    guard changes.count > 1 else { return first.summary }
    let isGain = first.kind == .addIndex
    let options = changes.compactMap { isGain ? $0.to : $0.from }.joined(separator: ", ")
    return "\(first.field ?? "") \(isGain ? "gains" : "loses") \(options)"
  }

  /// Neighbors that change the options of one field in the same way are one line.
  static func lines(of changes: some Sequence<SchemaChange>) -> [ChangeLine] {
    var lines: [[SchemaChange]] = []
    for change in changes {
      if let last = lines.last?.first, change.kind == last.kind, change.field == last.field,
        change.recordType == last.recordType, change.kind == .addIndex || change.kind == .removeIndex
      {
        lines[lines.count - 1].append(change)
      } else {
        lines.append([change])
      }
    }
    return lines.map(ChangeLine.init)
  }
}

extension Array where Element == SchemaChange {
  /// The changes under their headings, neighbors of the same heading together.
  public func grouped() -> [(heading: String, changes: ArraySlice<SchemaChange>)] {
    var groups: [(heading: String, changes: ArraySlice<SchemaChange>)] = []
    var start = startIndex
    while start < endIndex {
      let end = self[start...].firstIndex { $0.recordType != self[start].recordType } ?? endIndex
      groups.append((self[start].heading, self[start..<end]))
      start = end
    }
    return groups
  }

  public var refusedInDevelopment: Int { count { $0.development == .refused } }
  public var refusedInProduction: Int { count { $0.production == .refused } }

  /// The named risks that they carry, in the order of their names.
  public var risks: [String] {
    Set(map(\.risk)).intersection(SchemaChange.Risk.named).map(\.rawValue).sorted()
  }
}
