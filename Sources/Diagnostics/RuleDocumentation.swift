/// The documentation of rules, written from the rules themselves.
public enum RuleDocumentation {
  /// A whole page: a table, then a section for each rule.
  public static func page(title: String, introduction: String, rules: [Rule]) -> String {
    var text =
      "# \(title)\n\n\(introduction)\n\n| code | name | severity | finds |\n| --- | --- | --- | --- |\n"
    for rule in rules {
      text += "| [\(rule.code)](#\(rule.code.lowercased())) | \(rule.name) | \(rule.severity.rawValue) | "
      text += "\(rule.summary) |\n"
    }
    for rule in rules { text += "\n## \(rule.code)\n\n" + section(rule) }
    return text
  }

  /// One rule: what, why, example, use instead, source.
  public static func section(_ rule: Rule) -> String {
    var text = "**\(rule.name)** (\(rule.severity.rawValue)). \(rule.summary).\n\n\(rule.rationale)\n"
    if !rule.example.isEmpty { text += "\nExample:\n\n" + block(rule.example) }
    if !rule.useInstead.isEmpty { text += "\nUse instead:\n\n" + block(rule.useInstead) }
    return text + "\nSource: \(rule.source).\n"
  }

  private static func block(_ text: String) -> String { "```\n\(text)\n```\n" }
}
