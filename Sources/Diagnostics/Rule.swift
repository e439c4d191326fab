/// The documentation of a diagnostic code, for `explain CODE`, `Documentation/Rules.md` and SARIF's rule table.
public struct Rule: Sendable, Hashable {
  /// `CK0203`
  public let code: String
  /// A short name in kebab case: `missing-record-id-index`.
  public let name: String
  public let severity: Diagnostic.Severity
  /// One sentence: what is found.
  public let summary: String
  /// Why it matters.
  public let rationale: String
  /// Input that triggers the rule; empty for a rule that no short input can trigger.
  public let example: String
  /// The same input without the finding.
  public let useInstead: String
  /// What to do about a finding; empty if the examples show it.
  public let help: String
  /// The source of the rule, such as `Documentation/reference/catalog.md#slugs`.
  public let source: String
  /// Whether the rule is only checked when the settings or an option ask for it.
  public let isOffByDefault: Bool

  public init(
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
  public static func reference(_ document: String, _ section: String) -> String {
    "Documentation/reference/\(document).md#\(section)"
  }
}

/// The codes of one family of rules: an enum whose raw values are the codes. A code is never given to another rule.
public protocol RuleCode: RawRepresentable<String>, CaseIterable, Sendable {
  /// The documentation of the code.
  var rule: Rule { get }
}

extension RuleCode {
  /// `SE0301`
  public var code: String { rawValue }

  /// The rules of the family, in the order of their codes.
  public static var rules: [Rule] { allCases.map(\.rule) }

  /// One row of a family's table.
  public func rule(
    _ name: String, _ severity: Diagnostic.Severity, _ summary: String, why rationale: String,
    example: String = "", useInstead: String = "", help: String = "", source: String
  ) -> Rule {
    Rule(
      rawValue, name, severity, summary: summary, rationale: rationale, example: example,
      useInstead: useInstead, help: help, source: source)
  }
}

extension Diagnostic {
  /// A finding under a rule's code.
  ///
  /// - Parameter severity: replaces the rule's severity.
  public init(
    _ code: some RuleCode, _ message: String, at range: SourceRange? = nil, severity: Severity? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.init(
      code.rawValue, severity ?? code.rule.severity, message, at: range, notes: notes, help: help, fix: fix)
  }
}

/// The families of rules, by the two letters that their codes begin with.
public enum RuleFamily: String, Sendable, Hashable, CaseIterable {
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

  /// The family of a code; `nil` for anything else.
  public init?(code: String) {
    guard code.utf8.count == 6, code.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit) else {
      return nil
    }
    self.init(rawValue: String(code.prefix(2)))
  }

  public var title: String {
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
    }
  }
}

/// The rules of one family, with what its pages say in front of them.
public struct RuleGroup: Sendable {
  let family: RuleFamily
  /// Which commands report these rules.
  let about: String
  /// How the examples of these rules are to be read.
  let examples: String
  public let rules: [Rule]

  public init(_ family: RuleFamily, about: String, examples: String, rules: [Rule]) {
    self.family = family
    self.about = about
    self.examples = examples
    self.rules = rules
  }

  public var code: String { family.rawValue }

  fileprivate var heading: String { "\n## \(family.title) (\(code))\n\n\(about)" }
}

/// The documentation of rules, generated from the rules themselves.
public enum RuleDocumentation {
  /// A table of the rules in Markdown, in which each code is an anchor: `#ck0203`.
  public static func table(_ group: RuleGroup) -> String {
    group.heading + "\n\n| code | severity | finds |\n| --- | --- | --- |\n"
      + group.rules.map { rule in
        let anchor = "<a id=\"\(rule.code.lowercased())\"></a>\(rule.code)"
        return "| \(anchor) | \(rule.level) | \(rule.summary.replacing("|", with: "\\|")) |\n"
      }.joined()
  }

  /// A section for each rule in Markdown.
  public static func sections(_ group: RuleGroup) -> String {
    let introduction = [group.heading, group.examples].filter { !$0.isEmpty }.joined(separator: " ")
    return introduction + "\n" + group.rules.map { "\n### \($0.code)\n\n" + section($0) }.joined()
  }

  /// One rule in Markdown.
  public static func section(_ rule: Rule) -> String {
    body(of: rule, title: "**\(rule.name)** (\(rule.level)). ") { "```\n\($0)\n```" }
  }

  /// One rule for a terminal.
  public static func text(_ rule: Rule) -> String {
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
  public var json: JSONValue {
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
