package import ArgumentParser
internal import Diagnostics

/// The help and usage texts of commands. The options that all commands share are explained once.
package struct HelpText {
  private let tool: CommandLineTool
  private var root: any ParsableCommand.Type { tool.root }

  package init(_ tool: CommandLineTool) { self.tool = tool }

  /// The help that these arguments ask for, where it is that of no command: the first screen, `help all` and
  /// `help options`. `nil` for other arguments.
  func topic(_ words: [String]) -> String? {
    switch words {
    case [], ["help"], ["--help"], ["-h"]: tool.firstHelp
    case ["help", "all"]: allCommands
    case ["help", "options"]: sharedOptions
    default: nil
    }
  }

  /// The help or version that `error` asks for; `nil` when it asks for neither. `-h` asks for the short help.
  package func requested(by error: any Error, _ words: [String]) -> String? {
    guard root.exitCode(for: error) == .success else { return nil }
    let text = compact(root.fullMessage(for: error))
    return words.prefix { $0 != "--" }.contains("-h") ? short(text) : text
  }

  package func help(of command: any ParsableCommand.Type, columns: Int? = nil) -> String {
    compact(root.helpMessage(for: command, columns: columns))
  }

  /// `celestra-admin seed plan [<options>] [<directory>]`
  package func usage(of command: any ParsableCommand.Type) -> String {
    HelpText.compactUsage(root.usageString(for: command))
  }

  /// A command that arguments name, with its group, and the options with the words that follow each. The words before all
  /// options follow one without a name.
  private struct Given {
    var command: any ParsableCommand.Type
    var group: any ParsableCommand.Type
    var path: [String]
    var options: [(name: String, values: [String])] = [("", [])]
  }

  private func given(_ words: [String]) -> Given {
    var given = Given(command: root, group: root, path: [name])
    for word in words.prefix(while: { $0 != "--" }) {
      if let next = given.command.subcommand(word) {
        (given.group, given.command) = (given.command, next)
        given.path.append(word)
      } else if word.hasPrefix("--") {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        given.options.append((parts[0], Array(parts.dropFirst())))
      } else {
        given.options[given.options.count - 1].values.append(word)
      }
    }
    return given
  }

  private static func arguments(of command: any ParsableCommand.Type) -> [JSONObject]? {
    try? JSONValue(parsing: command._dumpHelp()).object?["command"]?.object?.list("arguments")
  }

  private static func names(of arguments: [JSONObject]) -> [String] {
    arguments.flatMap { $0.list("names") }.map { "--\($0.string("name"))" }
  }

  /// The usage error for the first option that the command does not have; `nil` if it has them all. The parser would first
  /// check what stands after the option, which it takes for an argument.
  func refusal(ofOptionsIn words: [String]) -> UsageRefusal? {
    let given = given(words)
    guard given.command.configuration.subcommands.isEmpty,
      let names = Self.arguments(of: given.command).map(Self.names),
      let unknown = given.options.dropFirst().first(where: { !names.contains($0.name) })?.name
    else { return nil }
    let advice =
      place(of: unknown, beside: given) ?? SpellingSuggestion.question(unknown, among: names)
      ?? names.first { $0.hasSuffix(unknown.dropFirst()) }.map { "Did you mean '\($0)'?" }
    return UsageRefusal(
      "Unknown option '\(unknown)'\(advice.map { ". \($0)" } ?? "")", usage: usage(of: given.command),
      helpOf: given.path)
  }

  /// `It is an option of 'seed apply'.`, when one to three other commands of the group have it; else `nil`.
  private func place(of option: String, beside given: Given) -> String? {
    guard given.path.count > 2 else { return nil }
    let owners = given.group.configuration.subcommands.filter {
      Self.arguments(of: $0).map(Self.names)?.contains(option) ?? false
    }
    let names = owners.map { "'\(given.path[1]) \($0._commandName)'" }
    return (1...3).contains(names.count) ? "It is an option of \(names.joined(separator: ", "))." : nil
  }

  /// The JSON document of a usage error, if the arguments ask for one on standard output; else `nil`. Only commands
  /// with shared options, and groups of commands, have one.
  func document(of refusal: UsageRefusal, _ words: [String]) -> PrintableText? {
    let given = given(words)
    func value(_ option: String) -> String? { given.options.last { $0.name == option }?.values.first }
    guard value("--format") == "json", value("--output") ?? "-" == "-",
      given.command is any CommandFormats.Type || !given.command.configuration.subcommands.isEmpty
    else { return nil }
    let envelope = JSONEnvelope(command: given.path.dropFirst().joined(separator: " "))
    return PrintableText(document: envelope.text(failure: .usage(refusal.message)))
  }

  /// The help text with the options in its usage line shortened to `[<options>]`, because each is described below; with the
  /// options that have a purpose of their own last, and one line for the shared options.
  func compact(_ text: String) -> String {
    // An error has a line "Usage: " only.
    let isHelp = text.contains("USAGE: ")
    var blocks = HelpText.blocks(of: text).map { block in
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.lowercased().hasPrefix("usage: ") ? HelpText.compactUsage(String(line)) : String(line)
      }
      return isHelp ? HelpText.unbroken(lines) : lines.joined(separator: "\n")
    }
    var last: String?
    if let index = blocks.firstIndex(where: { HelpText.heading(of: $0) == sharedOptionsTitle.uppercased() }) {
      let words = blocks.remove(at: index).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let formats = words.firstMatch(of: /Output format: ([^.]*)\./).map { "Formats: \($0.1).\n" } ?? ""
      last = "\(formats)Shared options: '\(name) help options'."
    }
    if let options = blocks.firstIndex(where: { HelpText.heading(of: $0) == "OPTIONS" }),
      let first = blocks.firstIndex(where: HelpText.hasPurpose)
    {
      blocks.insert(blocks.remove(at: options), at: first)
    }
    if let last { blocks.append(last) }
    return blocks.joined(separator: "\n\n")
  }

  /// The short form of a command's help: what it does, its examples, and the options of the guides, which stand under no
  /// purpose of their own. The help of a group is short already.
  package func short(_ text: String) -> String {
    let blocks = HelpText.blocks(of: text)
    guard let usage = blocks.first(where: { $0.hasPrefix("USAGE: ") }),
      !blocks.contains(where: { HelpText.heading(of: $0) == "SUBCOMMANDS" })
    else { return text }
    let path = usage.split(whereSeparator: \.isWhitespace).dropFirst().prefix { word in
      !["<", "[", "-"].contains { word.hasPrefix($0) }
    }
    let kept = blocks.enumerated().filter { index, block in
      index == 0 || HelpText.isExample(block) || block == usage
        || ["ARGUMENTS", "OPTIONS"].contains(HelpText.heading(of: block))
    }
    return kept.map(\.element).joined(separator: "\n\n")
      + "\n\nAll options: \(path.joined(separator: " ")) --help"
  }

  private static func isExample(_ block: String) -> Bool { block.contains(/^(OVERVIEW: )?Examples?:/) }

  /// The block with its long lines broken well. The parser continues a line of a list or an example in the first column. Here
  /// a list's text stays in its column, and an example can be copied: it is broken before options, with a backslash.
  private static func unbroken(_ block: [String]) -> String {
    let isExamples = block.first.map(isExample) ?? false
    var lines: [(text: String, isBroken: Bool)] = []
    for line in block {
      let isOpen = lines.last.map { $0.text.hasPrefix("  ") || $0.text.hasPrefix("Example: ") } ?? false
      if isOpen, !line.hasPrefix(" "), !line.hasPrefix("Example") {
        lines[lines.count - 1] = ("\(lines[lines.count - 1].text) \(line)", true)
      } else {
        lines.append((line, false))
      }
    }
    return lines.map { !$0.isBroken ? $0.text : isExamples ? folded($0.text) : hanging($0.text) }
      .joined(separator: "\n")
  }

  private static func folded(_ line: String) -> String {
    var parts = line.replacing(" --", with: "\n--").split(separator: "\n").map(String.init)
    var text = parts.removeFirst()
    var columns = text.count
    for part in parts {
      let fits = columns + part.count + 3 <= width
      text += (fits ? " " : " \\\n    ") + part
      columns = (fits ? columns + 1 : 4) + part.count
    }
    return text
  }

  private static func hanging(_ line: String) -> String {
    guard let gap = line.firstRange(of: /[^ ]\ {2,}/) else { return line }
    let column = line.distance(from: line.startIndex, to: gap.upperBound)
    let indent = line.prefix { $0 == " " }.count
    return PrintableText(document: line).wrapped(to: width, hanging: column - indent).description
  }

  private static let width = 80

  /// The parts between empty lines.
  private static func blocks(of text: String) -> [String] {
    text.split(separator: "\n\n", omittingEmptySubsequences: false).map { block in
      String(block.reversed().drop { $0 == "\n" }.reversed())
    }
  }

  /// `OPTIONS` of a block that begins with `OPTIONS:`; `nil` for other blocks.
  private static func heading(of block: String) -> String? {
    block.firstMatch(of: /^([A-Z][A-Z -]*):\n/).map { String($0.1) }
  }

  /// Whether the block lists options of one purpose, such as MONITORING.
  private static func hasPurpose(_ block: String) -> Bool {
    guard let heading = heading(of: block) else { return false }
    return !["ARGUMENTS", "OPTIONS", "SUBCOMMANDS"].contains(heading) && !heading.hasSuffix("SUBCOMMANDS")
      && block.contains("\n  -")
  }

  private var name: String { root.configuration.commandName ?? "" }

  /// One entry for each command that runs something, by group.
  private var allCommands: String {
    let groups = root.configuration.groupedSubcommands.map { group in
      let commands = group.subcommands.flatMap { HelpText.commands(under: $0, []) }
      return "\(group.name):\n"
        + commands.map { name, abstract in
          HelpText.hanging("  \(name)\(String(repeating: " ", count: max(2, 25 - name.count)))\(abstract)")
        }.joined(separator: "\n")
    }
    let end = PrintableText(document: root.configuration.discussion).wrapped(to: HelpText.width, hanging: 0)
    return (groups + ["\(end)", "Help for one: \(name) seed plan --help"]).joined(separator: "\n\n")
  }

  private static func commands(
    under type: any ParsableCommand.Type, _ path: [String]
  ) -> [(name: String, abstract: String)] {
    let path = path + [type._commandName]
    let configuration = type.configuration
    guard configuration.subcommands.isEmpty else {
      return configuration.subcommands.flatMap { commands(under: $0, path) }
    }
    return [(path.joined(separator: " "), configuration.abstract)]
  }

  private var sharedOptions: String {
    struct AnyCommand: ParsableCommand {
      static let configuration = CommandConfiguration(commandName: "any")
      @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<FormatsOfAll>
    }
    let blocks = HelpText.blocks(of: AnyCommand.helpMessage())
    let section = blocks.first { HelpText.heading(of: $0) == sharedOptionsTitle.uppercased() } ?? ""
    return
      "The options that every command takes. Those of containers have no effect where a\ncommand uses none.\n\n"
      + section.drop { $0 != "\n" }.dropFirst()
  }

  private static func compactUsage(_ line: String) -> String {
    let option = /\ \[--?[^\]]*\](\ \.\.\.)?/
    guard let first = line.firstRange(of: option) else { return line }
    let start = line[..<first.lowerBound]
    let rest = line[first.lowerBound...].replacing(option, with: "").replacing(" [<options>]", with: "")
    return "\(start.replacing(" [<options>]", with: "")) [<options>]\(rest)"
  }
}

extension JSONObject {
  fileprivate func string(_ key: String) -> String { self[key]?.string ?? "" }
  fileprivate func list(_ key: String) -> [JSONObject] { self[key]?.array?.compactMap(\.object) ?? [] }
}
