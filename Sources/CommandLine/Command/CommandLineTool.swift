package import ArgumentParser
internal import Diagnostics
internal import Synchronization

package struct CommandLineTool: Sendable {
  package let root: any AsyncParsableCommand.Type
  package let settings: [SettingKey]
  /// What the tool prints without arguments: the commands that a person needs first.
  package let firstHelp: String
  package let formerNames: [FormerName]

  package init(
    root: any AsyncParsableCommand.Type, settings: [SettingKey], firstHelp: String, formerNames: [FormerName]
  ) {
    self.root = root
    self.settings = settings
    self.firstHelp = firstHelp
    self.formerNames = formerNames
  }

  /// The names of the groups that lead to a command, and its own; empty if the tool does not have the command.
  func path(to command: any ParsableCommand.Type) -> [String] { Self.path(to: command, below: root) ?? [] }

  private static func path(
    to command: any ParsableCommand.Type, below group: any ParsableCommand.Type
  ) -> [String]? {
    for next in group.configuration.subcommands {
      let rest = next == command ? [] : path(to: command, below: next)
      if let rest { return [next.configuration.commandName ?? ""] + rest }
    }
    return nil
  }

  /// Runs the tool with the process's arguments and ends the process with the exit status. Never returns, because the
  /// runtime would start another thread to continue the main function.
  package func start() async -> Never {
    let words = Array(Swift.CommandLine.arguments.dropFirst())
    if let topic = HelpText(self).topic(words) {
      print(topic)
      root.exit()
    }
    do {
      var command = try await parsed(words)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      guard let help = HelpText(self).requested(by: error, words) else { root.exit(withError: error) }
      print(help)
    }
    root.exit()
  }

  /// Parses the arguments into a command. Prints parse errors and throws their exit status.
  private func parsed(_ words: [String]) async throws -> any ParsableCommand {
    let words = Self.joiningNegativeNumbers(CommandSuggestion.withHelpFirst(words, of: root))
    do {
      // For an unknown command with `help` or `--help`, ArgumentParser prints the help of the group and succeeds.
      let isFormer = formerNames.contains { $0.refusalOfCommand(in: words) != nil }
      if isFormer || words.first == "help" && CommandSuggestion.refusal(of: words, in: root) != nil {
        throw ExitCode.validationFailure
      }
      return try await root.asyncParseAsRoot(words)
    } catch let error where root.exitCode(for: error) == .validationFailure {
      show(Self.refusalOfKey(in: words) ?? suggestion(for: words) ?? refusal(for: error, words), words)
      throw ExitCode.validationFailure
    }
  }

  /// Prints a usage error: as the document on standard output that the arguments ask for, else on standard error.
  private func show(_ refusal: UsageRefusal, _ words: [String]) {
    let console = ProcessContext.system.console
    guard let document = HelpText(self).document(of: refusal, words) else {
      return console.writeError(refusal.text)
    }
    // If no program reads the document, a person may read the text.
    do { try console.output.write(document) } catch { console.writeError(refusal.text) }
  }

  /// The words with a negative number joined to the option before it: the parser would take the number for an option, and the
  /// value for missing.
  private static func joiningNegativeNumbers(_ words: [String]) -> [String] {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let joined = words[..<end].reduce(into: [String]()) { joined, word in
      // Hardly a word is one, and the first use of an expression takes long.
      let isValue =
        word.hasPrefix("-") && word.prefixMatch(of: /-\d/) != nil
        && joined.last?.wholeMatch(of: /--[a-z-]+/) != nil
      joined.append(isValue ? "\(joined.removeLast())=\(word)" : word)
    }
    return joined + words[end...]
  }

  /// The refusal of a key's text where the path of its file belongs; `nil` if no argument is one. The parser would take the
  /// text for an unknown option and print it.
  private static func refusalOfKey(in words: [String]) -> UsageRefusal? {
    guard words.contains(where: { $0.contains("-----BEGIN") }) else { return nil }
    return UsageRefusal(
      message: "an argument is the text of a key, but options take the path of a key's file")
  }

  private func suggestion(for words: [String]) -> UsageRefusal? {
    let former = formerNames.lazy.compactMap {
      $0.refusalOfCommand(in: words) ?? $0.refusalOfOption(in: words)
    }
    let shown = words.map(\.printableLine)
    return former.first ?? CommandSuggestion.refusal(of: shown, in: root)
      ?? HelpText(self).refusal(ofOptionsIn: shown)
  }

  /// The parser's refusal, safe to print. Because it quotes arguments, the arguments are cleaned and parsed again;
  /// if that fails too, its message contains only cleaned text.
  private func refusal(for error: any Error, _ words: [String]) -> UsageRefusal {
    let shown = words.map(\.printableLine)
    var (error, message) = (error, root.message(for: error).printableLine)
    do { _ = try root.parseAsRoot(shown) } catch let cleaned {
      (error, message) = (cleaned, root.message(for: cleaned))
    }
    let usage = root.fullMessage(for: error).trimmingPrefix("Error: \(root.message(for: error))\n")
    return UsageRefusal(message: message, usage: HelpText(self).compact(String(usage)) + "\n")
  }
}

extension ParsableCommand {
  static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0._commandName == name }
  }
}

/// Why arguments are refused, and how to call the command.
struct UsageRefusal {
  var message: String
  /// Lines, each with its end.
  var usage = ""

  var text: PrintableText { PrintableText(document: "error: \(message)\n\(usage)") }
}

extension UsageRefusal {
  /// - Parameter path: the command whose help says more.
  init(_ message: String, usage: String? = nil, helpOf path: [String]) {
    let call = usage.map { "Usage: \($0)\n" } ?? ""
    self.init(
      message: message,
      usage: "\(call)  See '\(path.joined(separator: " ")) --help' for more information.\n")
  }
}

/// Suggests a command for an unknown word in its place: `schema validat`, `help sede`.
enum CommandSuggestion {
  /// The usage error for the words; `nil` if they name a command or ask for its help.
  static func refusal(of words: [String], in root: any ParsableCommand.Type) -> UsageRefusal? {
    var group = root
    var path = [root.configuration.commandName ?? ""]
    for word in words where word != "help" {
      let commands = group.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = group.subcommand(word) else {
        let groups = commands.filter { $0.subcommand(word) != nil }
        return refusal(of: word, among: names(commands), of: path, inGroups: names(groups))
      }
      group = next
      path.append(word)
    }
    return nil
  }

  private static func names(_ commands: [any ParsableCommand.Type]) -> [String] {
    commands.compactMap { $0.configuration.commandName }
  }

  /// The words with `help` moved to the front: `seed help plan` becomes `help seed plan`.
  static func withHelpFirst(_ words: [String], of root: any ParsableCommand.Type) -> [String] {
    guard words.count > 1, words[1] == "help", let group = root.subcommand(words[0]),
      !group.configuration.subcommands.isEmpty
    else { return words }
    return ["help", words[0]] + words[2...]
  }

  /// - Parameter groups: those among the names that have a command of this name.
  private static func refusal(
    of word: String, among names: [String], of path: [String], inGroups groups: [String]
  ) -> UsageRefusal {
    let name = path.joined(separator: " ")
    let near =
      groups.isEmpty
      ? SpellingSuggestion.question(word, among: names)
      : "Did you mean \(groups.map { "'\($0) \(word)'" }.joined(separator: " or "))?"
    return UsageRefusal(
      "'\(name)' has no command '\(word)'. \(near ?? "It has \(names.sorted().joined(separator: ", ")).")",
      usage: "\(name) <subcommand>", helpOf: path)
  }
}

/// Adds the container, the settings and the files of the running command to each command that a printed text contains, so
/// that a person can paste it. Everything that a command prints is completed here.
package final class CommandHints: Sendable {
  private let tool: CommandLineTool
  private let common: SharedOptionValues
  /// The tool's name, as it stands before the words of a command.
  private let name: String
  private let given = Mutex<(words: String, commands: [ObjectIdentifier])?>(nil)
  private let service = Mutex<(container: String, environment: String)?>(nil)

  package init(_ tool: CommandLineTool, _ common: SharedOptionValues) {
    self.tool = tool
    self.common = common
    name = "\(tool.root.configuration.commandName ?? "") "
  }

  /// Puts words into each of the commands, unless it gets a saved plan.
  package func repeatWords(_ words: [String], in commands: [any ParsableCommand.Type]) {
    guard !words.isEmpty else { return }
    given.withLock {
      let shown = words.map { $0.wholeMatch(of: /--[a-z-]+/) == nil ? $0.shellWord : $0 }
      $0 = (shown.joined(separator: " "), commands.map { ObjectIdentifier($0) })
    }
  }

  /// Names this container in the commands: that of a mirror, because what a mirror shows is done there.
  func use(container: String, environment: String) { service.withLock { $0 = (container, environment) } }

  /// The text with what is missing after the words of each command that it names with the tool.
  package func completed(_ text: String) -> String {
    guard mayNameCommand(text) else { return text }
    var parts = text.split(separator: name, omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() {
      guard let (command, end) = command(in: parts[index]) else { continue }
      let missing = missing(in: parts[index][end...], of: command)
      parts[index].insert(contentsOf: missing.map { " \($0)" }.joined(), at: end)
    }
    return parts.joined(separator: name)
  }

  /// Whether the name stands in the text before something. Looks at bytes only, which is fast for the many texts of a long
  /// output that do not have it.
  private func mayNameCommand(_ text: String) -> Bool {
    let (length, first) = (name.utf8.count, name.utf8.first)
    guard text.utf8.count > length else { return false }
    var text = text
    return text.withUTF8 { bytes in
      (0..<bytes.count - length).contains { start in
        bytes[start] == first && bytes[start...].starts(with: name.utf8)
      }
    }
  }

  private func missing(in rest: Substring, of command: any ParsableCommand.Type) -> [String] {
    guard let formats = command as? any CommandFormats.Type else { return [] }
    let service = service.withLock(\.self)
    let place = [
      ("--container", service?.container ?? common.container),
      ("--environment", service?.environment ?? common.environment?.rawValue),
    ]
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
      guard let next = group.subcommand(String(word)) else { return nil }
      group = next
      rest = text[word.endIndex...]
    }
    return (group, rest.startIndex)
  }
}

/// A command, an option or a value of an option that the tool does not take, and what to use in its place.
package struct FormerName: Sendable, Hashable {
  /// The path of the command; empty for an option of all commands.
  private let command: [String]
  /// The option, and perhaps its value; empty for the command itself.
  private let option: [String]
  private let successor: String

  /// - Parameter name: as a user types it: `seed drift`, `--via`, `recount --names shape`.
  package init(_ name: String, is successor: String) {
    let words = name.split(separator: " ").map(String.init)
    let start = words.firstIndex { $0.hasPrefix("-") } ?? words.endIndex
    command = Array(words[..<start])
    option = Array(words[start...])
    self.successor = successor
  }

  func refusalOfCommand(in words: [String]) -> UsageRefusal? {
    guard option.isEmpty, words.drop(while: { $0 == "help" }).starts(with: command) else { return nil }
    return refusal(
      command, help: successor.split(separator: " ").map(String.init).prefix { !$0.hasPrefix("-") })
  }

  /// The usage error for arguments that the parser refused, if this option is among them.
  func refusalOfOption(in words: [String]) -> UsageRefusal? {
    guard let name = option.first, words.starts(with: command) else { return nil }
    let given = words.prefix { $0 != "--" }
    let isGiven =
      option.count == 1
      ? given.contains { $0 == name || $0.hasPrefix("\(name)=") }
      : given.contains(option.joined(separator: "=")) || given.contains(option)
    return isGiven ? refusal(option, help: command[...]) : nil
  }

  private func refusal(_ name: [String], help command: ArraySlice<String>) -> UsageRefusal {
    UsageRefusal(
      "there is no '\(name.joined(separator: " "))': use '\(successor)'", helpOf: ["celestra-admin"] + command
    )
  }
}
