package import Diagnostics

/// The rules of `--select` and `--ignore`: codes such as `CK0203`, or the beginning of codes such as `CK03`.
package struct RuleSelection: Sendable, Hashable {
  private var selected: [String] = []
  private var ignored: [String] = []

  package init() {}

  /// Throws a usage error for a word that begins no code, and for ignoring what makes a file invalid.
  package init(select: [String], ignore: [String]) throws(CommandFailure) {
    selected = select.map { $0.uppercased() }
    ignored = ignore.map { $0.uppercased() }
    for word in selected + ignored
    where word.isEmpty || !SchemaRules.codes.contains(where: { $0.hasPrefix(word) }) {
      let near = SpellingSuggestion.nearest(to: word, among: SchemaRules.codes, upTo: 1)
      throw CommandFailure.usage(
        "no schema rule has the code '\(word)'",
        hint: near.map { "Did you mean '\($0)'?" } ?? "Documentation/Rules.md lists all codes.")
    }
    for word in ignored where SchemaRules.rule(word)?.isOfValidity == true {
      throw CommandFailure.usage(
        "\(word) cannot be ignored", hint: "The service refuses a schema with this error.")
    }
  }

  func selects(_ code: String) -> Bool { selected.contains { code.hasPrefix($0) } }

  /// A selection keeps the notes that errors are not listed, and which types the selected rules do not judge.
  func omits(_ code: String) -> Bool {
    ignored.contains { code.hasPrefix($0) }
      || !selected.isEmpty && !selects(code) && !["CK0114", "CK0207"].contains(code)
  }
}

/// The severities of rules, for all record types or for those that a pattern matches.
package struct RuleSeverities: Sendable, Hashable {
  package enum Level: String, Sendable, CaseIterable { case off, note, warning, error }

  private struct Entry: Hashable {
    let pattern: NamePattern
    let level: Level
  }

  private var levels: [String: [Entry]] = [:]

  func mentions(_ code: String) -> Bool { levels[code] != nil }

  package mutating func set(_ code: String, _ pattern: NamePattern, _ level: Level) {
    levels[code, default: []].append(Entry(pattern: pattern, level: level))
  }

  /// The level of the first matching pattern; `nil` keeps the rule's severity.
  package subscript(_ code: String, _ recordType: String) -> Level? {
    levels[code]?.first { $0.pattern.matches(recordType) }?.level
  }
}

extension LintOptions {
  /// Whether a rule is checked: a rule that is off by default needs `--select` or a severity in the settings.
  func isEnabled(_ code: String) -> Bool {
    !SchemaRules.offByDefault.contains(code) || selection.selects(code)
      || configuration.severities.mentions(code)
  }

  /// The findings with the configured severities, without those that the options or the settings turn off. Errors
  /// that make a file invalid are always kept.
  func apply(to found: [Diagnostic], in parsed: ParsedSchema) -> [Diagnostic] {
    found.compactMap { diagnostic in
      if SchemaRules.rule(diagnostic.code)?.isOfValidity == true { return diagnostic }
      if selection.omits(diagnostic.code) { return nil }
      guard configuration.severities.mentions(diagnostic.code) else { return diagnostic }
      let level = configuration.severities[diagnostic.code, parsed.subject(of: diagnostic).recordType]
      if let severity = level.flatMap({ Diagnostic.Severity(rawValue: $0.rawValue) }) {
        return copy(of: diagnostic) { $0.severity = severity }
      }
      let isOff = level == .off || SchemaRules.offByDefault.contains(diagnostic.code)
      return isOff && !selection.selects(diagnostic.code) ? nil : diagnostic
    }
  }
}
