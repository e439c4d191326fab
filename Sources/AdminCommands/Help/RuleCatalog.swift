internal import Aggregates
internal import AppCode
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedParsing
internal import FeedState
internal import People
internal import Records
internal import SchemaLanguage

/// Every rule of the tool, for `explain`, for `Documentation/Rules.md` and for the test that compares them with the
/// codes in the sources.
enum RuleCatalog {
  static let groups = [
    RuleGroup(
      .schema,
      about: """
        What `schema validate` (CK01) and `schema lint` (all) find in a `.ckdb` file, and `schema diff` (CK0410, CK0411) \
        in two of them.
        """,
      examples: "An example is the text of the file.", rules: SchemaRules.all),
    RuleGroup(
      .seed, about: "What `seed validate`, and each command that reads seeds, finds in a seed directory.",
      examples: """
        The files of an example are added to a valid seed directory: `-- PATH --` begins a file, `-- PATH -> TARGET --` \
        is a symbolic link, and `{N × TEXT}` means TEXT repeated N times.
        """, rules: SeedRule.rules),
    RuleGroup(
      .curation,
      about: """
        What commands find in data that comes from outside the seeds. CU01 and CU02: `seed import`, in an OPML file and \
        its outlines. CU03: `seed pull` and `seed duplicates`, in a container. CU04: `schema rehearse`, \
        in a file of app queries. CU05: `seed import --check` and `seed add`, in the feeds.
        """,
      examples: """
        `{N × TEXT}` means TEXT repeated N times. The examples of CU01 and CU02 are imported into a catalog with the \
        category Technology and the feed https://six.example/feed.
        """, rules: CurationRule.rules),
    RuleGroup(
      .catalog, about: "What `container verify` finds in the records of a container.",
      examples: "An example is a file of records as `records export` writes it.",
      rules: VerificationCode.rules
    ),
    RuleGroup(
      .health,
      about: """
        Why `health check` does not call a feed healthy. FH01: no complete answer. FH02: an answer without the feed. \
        FH03: the document. FH04: how the feed is served. FH05: the history of the feed.
        """,
      examples: "An example shows the answers of the server to one check or to several in a row.",
      rules: HealthReason.rules),
    RuleGroup(
      .feed,
      about: """
        What `feed inspect` finds in a feed document. FP01: the document. FP02: its encoding. FP03: its content. FP04: \
        limits.
        """,
      examples: """
        An example is the document. A first line `Content-Type:` is the header it was served with, and `{N × TEXT}` \
        means TEXT repeated N times.
        """, rules: FeedRule.rules),
    RuleGroup(
      .aggregate,
      about: """
        AG01 and AG02: what `recount` finds in `aggregates.json`. AG03: what `recount audit` finds.
        """,
      examples: """
        An example of AG01 and AG02 is checked against `schema/celestra.ckdb`; one of AG03 is what happened to one feed.
        """, rules: AggregateRule.rules + SubscriptionAuditRule.rules),
    RuleGroup(
      .record, about: "What `records import` finds in a file of records.",
      examples: "In an example, a line that begins with `//` is a record that the container already has.",
      rules: RecordRule.rules),
    RuleGroup(
      .app, about: "What `schema check-app` finds in the code of an app.",
      examples: "An example is Swift code, checked against `schema/celestra.ckdb`.", rules: AppRule.rules),
    RuleGroup(
      .moderation,
      about: "What `moderation` finds in `moderation.json`, and lacks in the container's schema.",
      examples:
        "An example is the file, checked against the schema that `schema init --template sessions` writes.",
      rules: ModerationRule.rules),
    RuleGroup(
      .configuration, about: "Problems in a configuration file.", examples: "", rules: ConfigurationRule.rules
    ),
  ]

  static let all = groups.flatMap(\.rules)

  /// The rule with a code, in any letter case.
  static func rule(_ code: String) -> Rule? {
    let code = code.uppercased()
    return all.first { $0.code == code }
  }

  /// The code that a word probably means: by the name of its rule, or the nearest spelling.
  static func suggestion(for word: String) -> String? {
    if let rule = all.first(where: { $0.name == word.lowercased() }) { return rule.code }
    return SpellingSuggestion.nearest(toCode: word, among: all.map(\.code))
  }

  /// `Documentation/Rules.md`: a table of all codes.
  static var table: String {
    """
    # Rules

    Every finding has a code, and a code keeps its meaning. `celestra-admin explain CODE` prints why a rule matters, an \
    example, and what to do; `celestra-admin explain --all --format markdown` prints that of all rules.

    The severity is the usual one. Some rules report a milder case as a warning or a note. The rules in the sources make \
    this page, and a test runs each example.

    """ + groups.map(RuleDocumentation.table).joined()
  }

  /// What `explain` prints of all rules in Markdown.
  static var pages: String {
    """
    # Rules

    The severity is the usual one. Some rules report a milder case as a warning or a note.

    """ + groups.map(RuleDocumentation.sections).joined()
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
