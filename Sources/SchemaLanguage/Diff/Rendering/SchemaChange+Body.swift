package import Diagnostics

extension [SchemaChange] {
  /// The changes, grouped by record type.
  @ReportBodyBuilder package func body(_ policy: SchemaPolicy = .none) -> ReportBody {
    for group in grouped() {
      Section("\(group.heading)", folds: true) {
        for line in SchemaChangeLine.lines(of: group.changes) { line.item(policy) }
      }
    }
  }

  /// How many changes there are, and how many an import or a deployment would refuse.
  package var verdict: StyledText {
    guard !isEmpty else { return "No differences." }
    return
      "\(counted(count, "change")), \(refusedInDevelopment) refused in development, \(refusedInProduction) refused in production"
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
