public import ArgumentParser
internal import Diagnostics

/// Suggests a command for an unknown word in its place: `schema validat`, `help sede`.
public enum CommandSuggestion {
  /// The usage error for the words; `nil` if they name a command or ask for its help.
  public static func message(for words: [String], of root: any ParsableCommand.Type) -> String? {
    var group = root
    var path = root.configuration.commandName ?? ""
    for word in words where word != "help" {
      let commands = group.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        return message(for: word, among: commands.compactMap { $0.configuration.commandName }, of: path)
      }
      group = next
      path += " \(word)"
    }
    return nil
  }

  /// The words with `help` moved to the front: `seed help plan` becomes `help seed plan`.
  public static func withHelpFirst(_ words: [String], of root: any ParsableCommand.Type) -> [String] {
    var group = root
    for (index, word) in words.enumerated() {
      let commands = group.configuration.subcommands
      if word == "help", index > 0, !commands.contains(where: { $0.configuration.commandName == "help" }),
        !commands.isEmpty
      {
        return ["help"] + words[..<index] + words[(index + 1)...]
      }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else { break }
      group = next
    }
    return words
  }

  private static func message(for word: String, among names: [String], of path: String) -> String {
    let near = SpellingSuggestion.nearest(to: word, among: names).map { "Did you mean '\($0)'?" }
    return """
      error: '\(path)' has no command '\(word)'. \(near ?? "It has \(names.sorted().joined(separator: ", ")).")
      Usage: \(path) <subcommand>
        See '\(path) --help' for more information.

      """
  }
}
