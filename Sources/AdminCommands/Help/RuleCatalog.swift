internal import Aggregates
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedHealth
internal import FeedParsing
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
      What `seed validate`, and each command that reads seeds, finds in a seed directory. An example is laid over a \
      sound seed directory: `-- PATH --` begins a file, `-- PATH -> TARGET --` is a symbolic link, and `{N × TEXT}` \
      stands for N times the text.
      """, SeedRules.all
    ),
    (.curation, CurationRules.introduction, CurationRules.all),
    (
      .catalog,
      """
      What `container verify` finds in the records of a container. An example is records as `records export` writes \
      them.
      """, VerificationRules.all
    ),
    (
      .health,
      """
      Why `health check` does not call a feed healthy. FH01: no complete answer. FH02: an answer without the feed. \
      FH03: the document. FH04: how the feed is served. FH05: the history of the feed. An example is one check or \
      several, with what the earlier ones left behind.
      """, HealthRules.all
    ),
    (
      .feed,
      """
      What `feed inspect` finds in a feed document. FP01: the document. FP02: its encoding. FP03: its content. FP04: \
      limits. An example is the document; a first line `Content-Type:` is the header it was served with, and \
      `{N × TEXT}` stands for N times the text.
      """, FeedRules.all
    ),
    (
      .aggregate,
      "What `recount` finds in `aggregates.json`. An example is checked against `schema/celestra.ckdb`.",
      AggregateRules.all
    ),
    (
      .record,
      """
      What `records import` finds in a file of records. A line with `//` is a record that the container has already.
      """, RecordRules.all
    ),
    (.configuration, "What is wrong with a configuration file.", ConfigurationRules.all),
  ]

  static let all = families.flatMap(\.rules)

  /// The rule that a code, or a code of an earlier version, stands for; upper and lower case are the same.
  static func rule(_ code: String) -> Rule? {
    let code = code.uppercased()
    return all.first { $0.code == code } ?? all.first { $0.aliases.contains(code) }
  }

  /// The code that a word probably means: by the name of its rule, or the nearest spelling.
  static func suggestion(for word: String) -> String? {
    if let rule = all.first(where: { $0.name == word.lowercased() }) { return rule.code }
    return Suggestion.nearest(to: word, among: all.map(\.code))
  }

  /// The page that documents all rules, `Documentation/Rules.md`.
  static var documentation: String {
    RuleDocumentation.page(
      title: "Rules",
      introduction: """
        Every finding has a code, and a code keeps its meaning. `celestra-admin explain CODE` prints one of the \
        sections below. This page is generated from the rules in the sources; a test compares the two, and feeds each \
        example to the program.

        The severity is that of most findings of the rule. Some rules report a milder case as a warning or a note.
        """,
      families: families)
  }
}
