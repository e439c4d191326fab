internal import ArgumentParser

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
