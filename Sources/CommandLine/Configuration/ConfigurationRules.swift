public import Diagnostics

/// The rules of configuration files. An example is the text of `celestra-admin.json`.
public enum ConfigurationRules {
  public static let all = ConfigurationRule.rules
}

/// The rules for findings in configuration files.
enum ConfigurationRule: String, RuleCode {
  case invalidJSON = "CF0101"

  var rule: Rule {
    switch self {
    case .invalidJSON:
      rule(
        "configuration-not-json", .error, "A configuration file is not JSON",
        why:
          "The message points at the first wrong character. No command runs with half of its settings.",
        example: "{\"container\": \"local:catalog.sqlite\",}",
        useInstead: "{\"container\": \"local:catalog.sqlite\"}",
        source: "Documentation/Operators.md")
    }
  }
}
