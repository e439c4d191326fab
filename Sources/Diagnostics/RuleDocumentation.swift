/// The documentation of rules, generated from the rules themselves.
public enum RuleDocumentation {
  /// A Markdown page: for each family its introduction, a table and a section for each rule.
  public static func page(
    title: String, introduction: String, families: [(RuleFamily, about: String, [Rule])]
  )
    -> String
  {
    var text = "# \(title)\n\n\(introduction)\n"
    for (family, about, rules) in families {
      text += "\n## \(family.title) (\(family.rawValue))\n\n\(about)\n\n"
      text += "| code | name | severity | finds |\n| --- | --- | --- | --- |\n"
      for rule in rules {
        text += "| [\(rule.code)](#\(rule.code.lowercased())) | \(rule.name) | \(rule.severity.rawValue) | "
        text += "\(rule.summary.replacing("|", with: "\\|")) |\n"
      }
      for rule in rules { text += "\n### \(rule.code)\n\n" + section(rule) }
    }
    return text
  }

  /// One rule in Markdown.
  public static func section(_ rule: Rule) -> String {
    body(of: rule, title: "**\(rule.name)** (\(rule.severity.rawValue)). ") { "```\n\($0)\n```" }
  }

  /// One rule for a terminal.
  public static func text(_ rule: Rule) -> String {
    body(of: rule, title: "\(rule.code) \(rule.name) (\(rule.severity.rawValue))\n\n") { example in
      example.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    }
  }

  private static func body(of rule: Rule, title: String, block: (String) -> String) -> String {
    var parts = ["\(title)\(rule.summary).", rule.rationale]
    if !rule.example.isEmpty { parts += ["Example:", block(rule.example)] }
    if !rule.useInstead.isEmpty { parts += ["Use instead:", block(rule.useInstead)] }
    if !rule.help.isEmpty { parts.append("What to do: \(rule.help)") }
    if !rule.aliases.isEmpty { parts.append("Earlier codes: \(rule.aliases.joined(separator: ", ")).") }
    parts.append("Source: \(rule.source).")
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }
}
