/// The documentation of a diagnostic code, for `explain CODE`, `Documentation/Rules.md` and SARIF's rule table.
package struct Rule: Sendable, Hashable {
  /// `CK0203`
  package let code: String
  /// A short name in kebab case: `missing-record-id-index`.
  package let name: String
  package let severity: Diagnostic.Severity
  /// One sentence: what is found.
  package let summary: String
  /// Why it matters.
  package let rationale: String
  /// Input that triggers the rule; empty for a rule that no short input can trigger.
  package let example: String
  /// The same input without the finding.
  package let useInstead: String
  /// What to do about a finding; empty if the examples show it.
  package let help: String
  /// The source of the rule, such as `Documentation/reference/catalog.md#slugs`.
  package let source: String
  /// Whether the rule is only checked when the settings or an option ask for it.
  package let isOffByDefault: Bool

  package init(
    _ code: String, _ name: String, _ severity: Diagnostic.Severity, summary: String, rationale: String,
    example: String, useInstead: String, help: String = "", source: String, isOffByDefault: Bool = false
  ) {
    self.code = code
    self.name = name
    self.severity = severity
    self.summary = summary
    self.rationale = rationale
    self.example = example
    self.useInstead = useInstead
    self.help = help
    self.source = source
    self.isOffByDefault = isOffByDefault
  }

  /// The severity in words, as documentation prints it.
  var level: String { severity.rawValue + (isOffByDefault ? ", off by default" : "") }

  /// The source of a rule: a section of a document in `Documentation/reference`.
  package static func reference(_ document: String, _ section: String) -> String {
    "Documentation/reference/\(document).md#\(section)"
  }
}

/// The codes of one family of rules: an enum whose raw values are the codes. A code is never given to another rule.
package protocol RuleCode: RawRepresentable<String>, CaseIterable, Sendable {
  /// The documentation of the code.
  var rule: Rule { get }
}

extension RuleCode {
  /// `SE0301`
  package var code: String { rawValue }

  /// The rules of the family, in the order of their codes.
  package static var rules: [Rule] { allCases.map(\.rule) }

  /// One row of a family's table.
  package func rule(
    _ name: String, _ severity: Diagnostic.Severity, _ summary: String, why rationale: String,
    example: String = "", useInstead: String = "", help: String = "", source: String
  ) -> Rule {
    Rule(
      rawValue, name, severity, summary: summary, rationale: rationale, example: example,
      useInstead: useInstead, help: help, source: source)
  }
}

/// A page in Markdown that documents the rules of a family, which their module has among its resources.
///
/// A section begins with the heading `### CODE name (severity): summary` and one line that says why it matters. Then follow,
/// where the rule has them, two blocks of code under `Example:` and `Use instead:`, a line `What to do: …`, and a line
/// `Source: …`.
package struct RulePage: Sendable {
  private let rules: [String: Rule]

  package init(_ page: [UInt8]) {
    var sections: [[Substring]] = []
    let lines = String(decoding: page, as: UTF8.self).utf8
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    for line in lines {
      if line.hasPrefix("### ") { sections.append([]) }
      if !sections.isEmpty { sections[sections.count - 1].append(line) }
    }
    rules = Dictionary(uniqueKeysWithValues: sections.map { Rule(section: $0) }.map { ($0.code, $0) })
  }

  /// The rule with a code. A code without a section is a mistake of this program, and ends it.
  package subscript(code: some RuleCode) -> Rule {
    guard let rule = rules[code.rawValue] else { preconditionFailure("No page documents \(code.rawValue)") }
    return rule
  }
}

extension Rule {
  fileprivate init(section: [Substring]) {
    let heading = section[0].split(separator: " ", maxSplits: 4)
    guard heading.count == 5,
      let severity = Diagnostic.Severity(rawValue: String(heading[3].dropFirst().dropLast(2)))
    else { preconditionFailure("Not the heading of a rule: \(section[0])") }
    let fences = section.indices.filter { section[$0] == "```" }
    func block(_ label: Substring) -> String {
      guard let start = fences.first(where: { section[$0 - 1] == label }),
        let end = fences.first(where: { $0 > start })
      else { return "" }
      return section[(start + 1)..<end].joined(separator: "\n")
    }
    func line(_ label: String) -> String {
      String(section.first { $0.hasPrefix(label) }?.dropFirst(label.count) ?? "")
    }
    self.init(
      String(heading[1]), String(heading[2]), severity, summary: String(heading[4]),
      rationale: String(section[1]),
      example: block("Example:"), useInstead: block("Use instead:"), help: line("What to do: "),
      source: line("Source: "))
  }
}

extension Diagnostic {
  /// A finding under a rule's code.
  ///
  /// - Parameter severity: replaces the rule's severity.
  package init(
    _ code: some RuleCode, _ message: String, at range: SourceRange? = nil, severity: Severity? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.init(
      code.rawValue, severity ?? code.rule.severity, message, at: range, notes: notes, help: help, fix: fix)
  }
}

/// The families of rules, by the two letters that their codes begin with.
package enum RuleFamily: String, Sendable, Hashable, CaseIterable {
  case schema = "CK"
  case seed = "SE"
  case curation = "CU"
  case catalog = "CV"
  case health = "FH"
  case feed = "FP"
  case aggregate = "AG"
  case record = "RC"
  case configuration = "CF"
  case app = "AP"
  case moderation = "MO"

  /// The family of a code; `nil` for anything else.
  package init?(code: String) {
    guard code.utf8.count == 6, code.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    self.init(rawValue: String(code.prefix(2)))
  }

  package var title: String {
    switch self {
    case .schema: "Schemas"
    case .seed: "Seeds"
    case .curation: "Curation"
    case .catalog: "Records of the catalog"
    case .health: "Feed health"
    case .feed: "Feed documents"
    case .aggregate: "Aggregates"
    case .record: "Record files"
    case .configuration: "Configuration"
    case .app: "Code of apps"
    case .moderation: "Moderation"
    }
  }
}

/// The rules of one family, with what its pages say in front of them.
package struct RuleGroup: Sendable {
  let family: RuleFamily
  /// Which commands report these rules.
  let about: String
  /// How the examples of these rules are to be read.
  let examples: String
  package let rules: [Rule]

  package init(_ family: RuleFamily, about: String, examples: String, rules: [Rule]) {
    self.family = family
    self.about = about
    self.examples = examples
    self.rules = rules
  }

  package var code: String { family.rawValue }

  fileprivate var heading: String { "\n## \(family.title) (\(code))\n\n\(about)" }
}

/// The documentation of rules, generated from the rules themselves.
package enum RuleDocumentation {
  /// A table of the rules in Markdown, in which each code is an anchor: `#ck0203`.
  package static func table(_ group: RuleGroup) -> String {
    group.heading + "\n\n| code | severity | finds |\n| --- | --- | --- |\n"
      + group.rules.map { rule in
        let anchor = "<a id=\"\(rule.code.lowercased())\"></a>\(rule.code)"
        return "| \(anchor) | \(rule.level) | \(rule.summary.replacing("|", with: "\\|")) |\n"
      }.joined()
  }

  /// A section for each rule in Markdown.
  package static func sections(_ group: RuleGroup) -> String {
    let introduction = [group.heading, group.examples].filter { !$0.isEmpty }.joined(separator: " ")
    return introduction + "\n" + group.rules.map { "\n### \($0.code)\n\n" + section($0) }.joined()
  }

  /// One rule in Markdown.
  package static func section(_ rule: Rule) -> String {
    body(of: rule, title: "**\(rule.name)** (\(rule.level)). ") { "```\n\($0)\n```" }
  }

  /// One rule for a terminal.
  package static func text(_ rule: Rule) -> String {
    body(of: rule, title: "\(rule.code) \(rule.name) (\(rule.level))\n\n") { example in
      example.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    }
  }

  private static func body(of rule: Rule, title: String, block: (String) -> String) -> String {
    var parts = ["\(title)\(rule.summary).", rule.rationale]
    if !rule.example.isEmpty { parts += ["Example:", block(rule.example)] }
    if !rule.useInstead.isEmpty { parts += ["Use instead:", block(rule.useInstead)] }
    if !rule.help.isEmpty { parts.append("What to do: \(rule.help)") }
    parts.append("Source: \(rule.source).")
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }
}

extension Rule {
  /// What `explain CODE` prints as JSON; empty parts are left out.
  package var json: JSONValue {
    var object: JSONObject = [
      "code": .string(code), "name": .string(name), "severity": .string(severity.rawValue),
    ]
    object["family"] = RuleFamily(code: code).map { .string($0.title) }
    let texts = [
      ("summary", summary), ("rationale", rationale), ("example", example), ("useInstead", useInstead),
      ("help", help), ("source", source),
    ]
    for (key, text) in texts where !text.isEmpty { object[key] = .string(text) }
    return .object(object)
  }
}
