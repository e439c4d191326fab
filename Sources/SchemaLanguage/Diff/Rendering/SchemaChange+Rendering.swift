package import Diagnostics

extension SchemaChange {
  /// The change in one line, without its record type.
  package var summary: String {
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

  /// What changes: `Note.title`, `Note._world`, `Note` or a role.
  package var subject: String { [recordType, field ?? role].compactMap(\.self).joined(separator: ".") }

  /// What a removal takes away: `Note`, `Note.title SORTABLE`, `GRANT READ TO "_world" of Note`.
  package var removed: String {
    guard kind != .removeGrant else { return "GRANT \(from ?? "") TO \(shownRole) of \(recordType ?? "")" }
    return [subject, from].compactMap(\.self).joined(separator: " ")
  }

  private var shownRole: String { Schema.spelled(role ?? "") }

  /// `+` for an addition, `-` for a removal, `~` for a change.
  package var sign: String {
    if kind.isRemoval { return "-" }
    return kind == .changeFieldType ? "~" : "+"
  }

  /// The risk, refusal or unknown verdict of the change. Empty for a simple addition.
  package var caution: String {
    var words: [String] = risk == .none ? [] : [risk.rawValue]
    if development != .allowed { words.append("development: \(development.rawValue)") }
    if production != .allowed { words.append("production: \(production.rawValue)") }
    return words.joined(separator: ", ")
  }

  package var heading: String { recordType.map { "record type \($0)" } ?? "roles" }

  /// The fields and grants of an added or removed type, as a schema lists them. Each type has the system fields, so that
  /// only their indexes are part of a change.
  var members: [String] {
    guard let whole else { return [] }
    let fields = whole.fields.filter { !$0.isSystem || !$0.indexes.isEmpty }
    let width = fields.columnWidth
    return fields.map { $0.text(width: width) } + whole.grants.map(\.text)
  }
}

/// One line of a list of changes: a change, or all options that one field gains or loses.
struct SchemaChangeLine {
  /// At least one.
  let changes: [SchemaChange]

  var first: SchemaChange { changes[0] }

  /// `title gains QUERYABLE, SORTABLE`
  var summary: String {
    guard changes.count > 1 else { return first.summary }
    let isGain = first.kind == .addIndex
    let options = changes.compactMap { isGain ? $0.to : $0.from }.joined(separator: ", ")
    return "\(first.field ?? "") \(isGain ? "gains" : "loses") \(options)"
  }

  /// Combines the changes that add or remove options of the same field, with one verdict, into one line.
  static func lines(of changes: [SchemaChange], _ policy: SchemaPolicy) -> [SchemaChangeLine] {
    changes.groups { change -> [String?]? in
      let isOfOption = change.kind == .addIndex || change.kind == .removeIndex
      return isOfOption
        ? [
          change.kind.rawValue, change.recordType, change.field, change.production.rawValue,
          policy.correction(of: change),
        ] : nil
    }.map { SchemaChangeLine(changes: $0) }
  }
}

extension [SchemaChange] {
  func count(
    of verdict: SchemaChange.Verdict, _ environment: (SchemaChange) -> SchemaChange.Verdict
  ) -> Int { count { environment($0) == verdict } }

  package var risks: [String] {
    Set(map(\.risk)).intersection(SchemaChange.Risk.named).map(\.rawValue).sorted()
  }

  @ReportBodyBuilder package func body(_ policy: SchemaPolicy = .none) -> ReportBody {
    for group in groups(by: { $0.recordType ?? "" }) {
      Section("\(group[0].heading)", folds: true) {
        for line in SchemaChangeLine.lines(of: group, policy) { line.item(policy) }
      }
    }
  }

  /// How many changes there are, and how many an import or a deployment would refuse, or may.
  package var verdict: StyledText {
    guard !isEmpty else { return "No differences." }
    return
      "\(counted(count, "change")), \(verdicts(\.development)) in development, \(verdicts(\.production)) in production"
  }

  /// `1 refused`, `1 unknown`, `1 refused and 2 unknown`
  private func verdicts(_ environment: (SchemaChange) -> SchemaChange.Verdict) -> String {
    let (refused, unknown) = (count(of: .refused, environment), count(of: .unknown, environment))
    if unknown == 0 { return "\(refused) refused" }
    return refused == 0 ? "\(unknown) unknown" : "\(refused) refused and \(unknown) unknown"
  }
}

extension SchemaChangeLine {
  fileprivate func item(_ policy: SchemaPolicy) -> ListItem {
    let (caution, mark) = (first.caution, ListItem.Mark(rawValue: first.sign))
    return ListItem(
      mark, StyledText(caution.isEmpty ? summary : "\(summary)   (\(caution))", style),
      details: first.members.map { StyledText($0, .code) } + policy.remarks(on: first).map { StyledText($0) })
  }

  private var style: StyledText.Style {
    if first.risk == .dataLoss || first.production == .refused { return .bad }
    return first.risk == .none && !first.kind.isRemoval ? .good : .caution
  }
}
