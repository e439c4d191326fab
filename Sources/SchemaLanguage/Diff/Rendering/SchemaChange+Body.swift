package import Diagnostics

extension [SchemaChange] {
  @ReportBodyBuilder package func body(_ policy: SchemaPolicy = .none) -> ReportBody {
    for group in grouped() {
      Section("\(group.heading)", folds: true) {
        for line in SchemaChangeLine.lines(of: group.changes) { line.item(policy) }
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
  private func verdicts(_ environment: KeyPath<SchemaChange, SchemaChange.Verdict>) -> String {
    let (refused, unknown) = (count(of: .refused, environment), count(of: .unknown, environment))
    if unknown == 0 { return "\(refused) refused" }
    return refused == 0 ? "\(unknown) unknown" : "\(refused) refused and \(unknown) unknown"
  }
}

extension SchemaChangeLine {
  fileprivate func item(_ policy: SchemaPolicy) -> ListItem {
    let caution = first.caution.isEmpty ? "" : "   (\(first.caution))"
    return ListItem(
      ListItem.Mark(rawValue: first.sign), StyledText("\(summary)\(caution)", style),
      details: first.members.map { StyledText($0, .code) } + policy.remarks(on: first).map { StyledText($0) })
  }

  private var style: StyledText.Style {
    if first.risk == .dataLoss || first.production == .refused { return .bad }
    return first.risk == .none && !first.kind.isRemoval ? .good : .caution
  }
}
