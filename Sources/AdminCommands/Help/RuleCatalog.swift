internal import Aggregates
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedParsing
internal import FeedState
internal import Records
internal import SchemaLanguage

/// Every rule of the tool, for `explain`, for `Documentation/Rules.md` and for the test that compares them with the
/// codes in the sources.
enum RuleCatalog {
  static let families: [(family: RuleFamily, about: String, rules: [Rule])] = [
    (.schema, SchemaRules.introduction, SchemaRules.all),
    (
      .seed,
      """
      What `seed validate`, and each command that reads seeds, finds in a seed directory. The files of an example \
      are added to a valid seed directory: `-- PATH --` begins a file, `-- PATH -> TARGET --` is a symbolic link, and \
      `{N × TEXT}` means TEXT repeated N times.
      """, SeedRules.all
    ),
    (.curation, CurationRules.introduction, CurationRules.all),
    (
      .catalog,
      """
      What `container verify` finds in the records of a container. An example is a file of records as `records export` \
      writes it.
      """, VerificationRules.all
    ),
    (
      .health,
      """
      Why `health check` does not call a feed healthy. FH01: no complete answer. FH02: an answer without the feed. \
      FH03: the document. FH04: how the feed is served. FH05: the history of the feed. An example shows the \
      answers of the server to one check or to several in a row.
      """, HealthRules.all
    ),
    (
      .feed,
      """
      What `feed inspect` finds in a feed document. FP01: the document. FP02: its encoding. FP03: its content. FP04: \
      limits. An example is the document. A first line `Content-Type:` is the header it was served with, and \
      `{N × TEXT}` means TEXT repeated N times.
      """, FeedRule.rules
    ),
    (
      .aggregate,
      """
      AG01 and AG02: what `recount` finds in `aggregates.json`. An example is checked against `schema/celestra.ckdb`. AG03: \
      what `audit subscriptions` finds. An example is what happened to one feed.
      """,
      AggregateRule.rules + SubscriptionAuditRule.rules
    ),
    (
      .record,
      """
      What `records import` finds in a file of records. In an example, a line that begins with `//` is a record that the container already has.
      """, RecordRule.rules
    ),
    (.configuration, "Problems in a configuration file.", ConfigurationRule.rules),
  ]

  static let all = families.flatMap(\.rules)

  /// The rule with a code, in any letter case.
  static func rule(_ code: String) -> Rule? {
    let code = code.uppercased()
    return all.first { $0.code == code }
  }

  /// The code that a word probably means: by the name of its rule, or the nearest spelling.
  static func suggestion(for word: String) -> String? {
    if let rule = all.first(where: { $0.name == word.lowercased() }) { return rule.code }
    return SpellingSuggestion.nearest(to: word, among: all.map(\.code))
  }

  /// The page that documents all rules, `Documentation/Rules.md`.
  static var documentation: String {
    RuleDocumentation.page(
      title: "Rules",
      introduction: """
        Every finding has a code, and a code keeps its meaning. `celestra-admin explain CODE` prints one of the \
        sections below. This page is generated from the rules in the sources. A test compares the two and runs each \
        example.

        The severity given here is the usual one. Some rules report a milder case as a warning or a note.
        """,
      families: families)
  }
}

extension FindingsReport {
  /// A report of findings, with the documentation of this tool's rules.
  init(
    _ diagnostics: [Diagnostic], inputs: [String], rules: [Rule] = RuleCatalog.all, status: ExitStatus,
    summary: String? = nil, failure: CommandFailure? = nil
  ) {
    let report = DiagnosticReport(
      tool: ("celestra-admin", AdminTool.version), inputs: inputs, diagnostics: diagnostics, rules: rules)
    self.init(report, status: status, summary: summary, failure: failure)
  }
}
