import Diagnostics

extension SchemaRule {
  static let missingDescription = SchemaRule("CK0405", in: .lint) { context, findings in
    let comments = CommentAttachment(context.parsed)
    for (place, type) in context.parsed.recordTypes.enumerated() where !SystemNames.isManaged(type.name) {
      guard CommentText.words(comments[.opening(place)]).isEmpty else { continue }
      findings.report(
        "no comment describes the record type '\(type.name)'", at: type.nameRange,
        help: "write a comment above it: what one record is")
    }
  }
}
