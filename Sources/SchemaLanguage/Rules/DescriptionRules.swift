import Diagnostics

extension SchemaRule {
  static let missingDescription = SchemaRule(
    Rule(
      "CK0405", "missing-description", .note,
      summary: "A record type has no comment that describes it",
      rationale:
        "`schema docs` prints the comment above a type, and generated code carries it. An export has no comments, so "
        + "the rule is off until the settings or `--select CK0405` turn it on.",
      example: example(),
      useInstead: example(above: "// A feed that readers can subscribe to."),
      source: "Documentation/Schemas.md#a-page-about-a-schema", isOffByDefault: true),
    in: .lint
  ) { context, findings in
    let comments = CommentAttachment(context.parsed)
    for (place, type) in context.parsed.recordTypes.enumerated() where !SystemNames.isManaged(type.name) {
      guard CommentText.words(comments[.opening(place)]).isEmpty else { continue }
      findings.report(
        "no comment describes the record type '\(type.name)'", at: type.nameRange,
        help: "write a comment above it: what one record is")
    }
  }
}
