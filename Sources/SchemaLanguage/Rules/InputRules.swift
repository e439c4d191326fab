public import Diagnostics

/// Rules about schema input that are not about its text: unreadable files, and refusals by the container.
public enum InputRules {
  static let all = [
    Rule(
      "CK0100", "unreadable-file", .error,
      summary: "A file that was named cannot be read",
      rationale: "It is reported among the findings; the other files are still checked.",
      example: "", useInstead: "", source: "Documentation/reference/schema-language.md#grammar"),
    Rule(
      "CK0199", "refused-by-container", .error,
      summary: "The container refuses a schema that is well formed, for the reason it gives",
      rationale: "`schema validate --remote` asks it; what is in place may forbid what the file wants.",
      example: "", useInstead: "", source: "Documentation/reference/schema-language.md#import-refusals"),
  ]

  /// - Parameter reason: the error, with the file's name.
  public static func unreadable(_ name: String, _ reason: String) -> Diagnostic {
    Diagnostic("CK0100", .error, reason, at: SourceText(name: name, bytes: []).range(0..<0))
  }

  /// - Parameter reason: the container's message.
  public static func refusal(of parsed: ParsedSchema, _ reason: String) -> Diagnostic {
    Diagnostic(
      "CK0199", .error, "the container refuses the schema: \(reason)", at: parsed.source.range(0..<0))
  }
}
