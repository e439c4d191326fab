internal import ArgumentParser
internal import Diagnostics
internal import SchemaLanguage

/// The command `completion`.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print a shell completion script.",
    discussion: """
      Examples:
        celestra-admin completion bash > ~/.local/share/bash-completion/completions/celestra-admin
        celestra-admin completion zsh > "${fpath[1]}/_celestra-admin"
        celestra-admin completion fish > ~/.config/fish/completions/celestra-admin.fish
      """)

  /// The shells for which a completion script can be printed.
  enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

  @Argument(help: "The shell.") var shell: Shell

  func run() {
    print(AdminTool.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash))
  }
}

/// The values that shells complete for arguments with a known set of words.
enum CompletionValues {
  /// The record types of the bundled schemas.
  static var recordTypes: CompletionKind {
    .custom { _, _, _ in
      let schemas = BundledSchema.all.compactMap { try? Schema(parsing: $0.text, name: $0.name) }
      return Set(schemas.flatMap(\.recordTypes).map(\.name)).sorted()
    }
  }

  static var aggregates: CompletionKind {
    .list(["subscribers", "quality", "participants", "all", "audit"])
  }

  static var rules: CompletionKind { .list(RuleCatalog.all.map(\.code)) }

  /// What 'explain' explains.
  static var codes: CompletionKind { .list(RuleCatalog.all.map(\.code) + MutationOptions.namedRisks) }

  static var risks: CompletionKind { .list(MutationOptions.namedRisks) }
}
