internal import ArgumentParser
internal import Diagnostics

/// A word that stands where a command should and is close to one: `schema validat`.
enum MisspeltCommand {
  /// What to tell the person; `nil` when the words name a command, or something that resembles none.
  static func message(for words: [String]) -> String? {
    var group: any ParsableCommand.Type = AdminTool.self
    var path = "celestra-admin"
    for word in words {
      let commands = group.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        return message(for: word, among: commands.compactMap { $0.configuration.commandName }, of: path)
      }
      group = next
      path += " \(word)"
    }
    return nil
  }

  private static func message(for word: String, among names: [String], of path: String) -> String? {
    Suggestion.nearest(to: word, among: names).map { near in
      """
      error: '\(path)' has no command '\(word)'. Did you mean '\(near)'?
      Usage: \(path) <subcommand>
        See '\(path) --help' for more information.

      """
    }
  }
}
