/// The documentation of a diagnostic code, for `explain CODE`, `Documentation/Rules.md` and SARIF's rule table.
package struct Rule: Sendable, Hashable {
  /// `CK0203`
  package let code: String
  /// The title of its page: `Schemas`.
  let family: String
  /// A short name in kebab case: `missing-record-id-index`.
  package let name: String
  package let severity: Diagnostic.Severity
  /// The severity in words, as documentation prints it, with those of other cases: `error, warning for feeds`.
  package let level: String
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
}

/// Codes with the page that documents them. A code is never given to another rule.
package protocol RuleSet: SendableMetatype {
  /// In the order of the page.
  static var codes: [String] { get }
  static var page: RulePage { get }
}

/// The codes of a family of rules, or of a part of one: an enum whose raw values are the codes.
package protocol RuleCode: RuleSet, RawRepresentable<String>, CaseIterable, Sendable {}

extension RuleCode {
  /// `SE0301`
  package var code: String { rawValue }

  package var rule: Rule { Self.page[rawValue] }

  package static var codes: [String] { allCases.map(\.rawValue) }

  package static var rules: [Rule] { allCases.map(\.rule) }
}

/// A page in Markdown that documents the rules of a family, which their module has among its resources. It is read when
/// a text of it is first needed.
///
/// Its introduction has the title of the family, a note that the tool reads the page, a paragraph about the commands that
/// report the rules, and mostly one about how to read the examples. A section begins with the heading
/// `### CODE name (severity): summary` and one line that says why it matters. The severity of a rule that is only checked
/// when the settings or an option ask for it is such as `note, off by default`. Then follow, where the rule has them, two
/// blocks of code under `Example:` and `Use instead:`, a line `What to do: …`, and a line `Source: …`. The line
/// `Use instead: as above.` stands for the block of the section before.
package struct RulePage: Sendable {
  package let family: RuleFamily
  private let title: String
  /// Which commands report the rules.
  let about: String
  /// How the examples are to be read.
  let examples: String
  /// In the order of the page.
  package let rules: [Rule]
  private let byCode: [String: Rule]

  package init(_ family: RuleFamily, _ page: [UInt8]) {
    let lines = String(decoding: page, as: UTF8.self).utf8
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    let headings = lines.indices.filter { lines[$0].hasPrefix("### ") }
    let introduction = lines[..<(headings.first ?? lines.endIndex)].filter { !$0.isEmpty }
    let title = String(introduction[0].dropFirst("# ".count))
    self.family = family
    self.title = title
    about = String(introduction[2])
    examples = String(introduction.dropFirst(3).first ?? "")
    rules = zip(headings, headings.dropFirst() + [lines.endIndex]).reduce(into: []) { rules, section in
      rules.append(Rule(Array(lines[section.0..<section.1]), of: title, after: rules.last))
    }
    byCode = Dictionary(uniqueKeysWithValues: rules.map { ($0.code, $0) })
  }

  package func rule(_ code: String) -> Rule? { byCode[code] }

  /// The rule with a code. A code without a section is a mistake of this program, and ends it.
  package subscript(code: String) -> Rule {
    guard let rule = byCode[code] else { preconditionFailure("No page documents \(code)") }
    return rule
  }

  fileprivate var heading: String { "\n## \(title) (\(family.rawValue))\n\n\(about)" }
}

extension Rule {
  fileprivate init(_ section: [Substring], of family: String, after former: Rule?) {
    // "###", the code, the name, and the rest.
    let heading = section[0].split(separator: " ", maxSplits: 3)
    guard heading.count == 4, let end = heading[3].firstIndex(of: ")") else {
      preconditionFailure("Not the heading of a rule: \(section[0])")
    }
    let level = heading[3][..<end].dropFirst()
    guard let severity = Diagnostic.Severity(rawValue: String(level.prefix { $0 != "," })) else {
      preconditionFailure("No severity: \(section[0])")
    }
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
    code = String(heading[1])
    self.family = family
    name = String(heading[2])
    self.severity = severity
    self.level = String(level)
    summary = String(heading[3][end...].dropFirst("): ".count))
    rationale = String(section[1])
    example = block("Example:")
    useInstead = section.contains("Use instead: as above.") ? former?.useInstead ?? "" : block("Use instead:")
    help = line("What to do: ")
    source = line("Source: ")
  }
}

extension Diagnostic {
  /// A finding under a rule's code.
  package init(
    _ code: some RuleCode, _ message: String, at range: SourceRange? = nil, severity: Severity? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.init(code.rule, message, at: range, severity: severity, notes: notes, help: help, fix: fix)
  }

  /// - Parameter severity: replaces the rule's severity. The rule's page names it.
  package init(
    _ rule: Rule, _ message: String, at range: SourceRange? = nil, severity: Severity? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    let severity = severity ?? rule.severity
    assert(rule.level.contains(severity.rawValue), "\(rule.code) has no such severity on its page")
    self.init(rule.code, severity, message, at: range, notes: notes, help: help, fix: fix)
  }
}

extension [Diagnostic] {
  package mutating func report(
    _ code: some RuleCode, _ message: String, at range: SourceRange? = nil,
    severity: Diagnostic.Severity? = nil, notes: [Diagnostic.Note] = [], help: String? = nil,
    fix: Diagnostic.Fix? = nil
  ) {
    append(Diagnostic(code, message, at: range, severity: severity, notes: notes, help: help, fix: fix))
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
    guard code.utf8.count == 6, code.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit) else { return nil }
    self.init(rawValue: String(code.prefix(2)))
  }
}

/// The documentation of rules, generated from the rules themselves.
package enum RuleDocumentation {
  /// A table of the rules in Markdown, in which each code is an anchor: `#ck0203`.
  package static func table(_ page: RulePage) -> String {
    page.heading + "\n\n| code | severity | finds |\n| --- | --- | --- |\n"
      + page.rules.map { rule in
        let anchor = "<a id=\"\(rule.code.lowercased())\"></a>\(rule.code)"
        return "| \(anchor) | \(rule.level) | \(rule.summary.replacing("|", with: "\\|")) |\n"
      }.joined()
  }

  package static func sections(_ page: RulePage) -> String {
    let introduction = [page.heading, page.examples].filter { !$0.isEmpty }.joined(separator: " ")
    return introduction + "\n" + page.rules.map { "\n### \($0.code)\n\n" + section($0) }.joined()
  }

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
      "family": .string(family),
    ]
    let texts = [
      ("summary", summary), ("rationale", rationale), ("example", example), ("useInstead", useInstead),
      ("help", help), ("source", source),
    ]
    for (key, text) in texts where !text.isEmpty { object[key] = .string(text) }
    return .object(object)
  }
}
