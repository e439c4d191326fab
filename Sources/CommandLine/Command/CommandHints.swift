package import ArgumentParser
internal import Diagnostics
internal import Synchronization

/// Adds the container, the settings and the files of the running command to each command that a printed text contains, so
/// that a person can paste it. Everything that a command prints is completed here.
package final class CommandHints: Sendable {
  private let tool: CommandLineTool
  private let common: SharedOptionValues
  private let given = Mutex<(words: String, commands: [ObjectIdentifier])?>(nil)

  package init(_ tool: CommandLineTool, _ common: SharedOptionValues) {
    self.tool = tool
    self.common = common
  }

  /// Puts words into each of the commands, unless it gets a saved plan.
  package func repeatWords(_ words: [String], in commands: [any ParsableCommand.Type]) {
    guard !words.isEmpty else { return }
    given.withLock {
      $0 = (words.map(\.shellWord).joined(separator: " "), commands.map { ObjectIdentifier($0) })
    }
  }

  /// The text with what is missing after the words of each command that it names with the tool.
  package func completed(_ text: String) -> String {
    let name = "\(tool.root.configuration.commandName ?? "") "
    guard text.contains(name) else { return text }
    var parts = text.split(separator: name, omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() {
      guard let (command, end) = command(in: parts[index]) else { continue }
      let missing = missing(in: parts[index][end...], of: command)
      parts[index].insert(contentsOf: missing.map { " \($0)" }.joined(), at: end)
    }
    return parts.joined(separator: name)
  }

  private func missing(in rest: Substring, of command: any ParsableCommand.Type) -> [String] {
    guard let formats = command as? any CommandFormats.Type else { return [] }
    let place = [("--container", common.container), ("--environment", common.environment?.rawValue)]
    let needsPlace = formats.usesContainer && !rest.contains("--container ")
    let options = (needsPlace ? place : []) + [("--config", common.config)]
    let words = given.withLock(\.self).flatMap {
      $0.commands.contains(ObjectIdentifier(command)) && !rest.hasPrefix(" --plan") ? $0.words : nil
    }
    return [words].compactMap(\.self)
      + options.compactMap { name, value in
        value.flatMap { rest.contains("\(name) ") ? nil : "\(name) \($0.shellWord)" }
      }
  }

  /// The command that the text begins with, and the end of its words; `nil` if it names none.
  private func command(in text: String) -> (any ParsableCommand.Type, String.Index)? {
    var group: any ParsableCommand.Type = tool.root
    var rest = text[...]
    while !group.configuration.subcommands.isEmpty {
      let word = rest.drop { $0 == " " }.prefix { $0.isLetter || $0 == "-" }
      guard
        let next = group.configuration.subcommands.first(where: {
          ($0.configuration.commandName ?? "") == word
        })
      else { return nil }
      group = next
      rest = text[word.endIndex...]
    }
    return (group, rest.startIndex)
  }
}
