internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

/// The command `explain`.
struct ExplainCommand: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a code such as CK0203 that a command printed.",
    discussion: """
      Prints what is found, why it matters, an example, the same example without the finding, and the source of the \
      rule. Upper and lower case are the same.

      Example: celestra-admin explain FH0302
      """)

  @Argument(help: "The code.", completion: CompletionValues.rules) var code: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ExplainCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    guard let rule = RuleCatalog.rule(code) else {
      throw CommandFailure.usage(
        "no rule has the code '\(code)'",
        hint: RuleCatalog.suggestion(for: code).map { "Did you mean '\($0)'?" }
          ?? "Documentation/Rules.md lists all codes.")
    }
    return PlainReport(json: rule.json, text: PrintableText(document: RuleDocumentation.text(rule)))
  }
}
