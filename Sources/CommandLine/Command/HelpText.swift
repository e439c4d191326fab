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
    case ["help", "all"]: compact(root.helpMessage())
    case ["help", "options"]: sharedOptions
    default: nil
    }
  }

  /// The help or version that `error` asks for; `nil` when it asks for neither.
  package func requested(by error: any Error) -> String? {
    guard root.exitCode(for: error) == .success else { return nil }
    return compact(root.fullMessage(for: error))
  }

  package func help(of command: any ParsableCommand.Type, columns: Int? = nil) -> String {
    compact(root.helpMessage(for: command, columns: columns))
  }

  /// `celestra-admin seed plan [<options>] [<directory>]`
  package func usage(of command: any ParsableCommand.Type) -> String {
    HelpText.compactUsage(root.usageString(for: command))
  }

  /// The help text with the options in its usage line shortened to `[<options>]`, because each is described below, and with
  /// one line for the shared options.
  func compact(_ text: String) -> String {
    let lines = withSharedOptionsNamed(text).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { $0.lowercased().hasPrefix("usage: ") ? HelpText.compactUsage(String($0)) : String($0) }
      .joined(separator: "\n")
  }

  private static let heading = "\n\n\(sharedOptionsTitle.uppercased()):\n"

  /// Replaces the section of the shared options by a line at the end that names the command's formats.
  private func withSharedOptionsNamed(_ text: String) -> String {
    guard let start = text.firstRange(of: HelpText.heading) else { return text }
    let end = text[start.upperBound...].firstRange(of: "\n\n")?.lowerBound ?? text.endIndex
    let section = text[start.upperBound..<end].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let formats = section.firstMatch(of: /Output format: ([^.]*)\./).map { "Formats: \($0.1). " } ?? ""
    var rest = String(text[..<start.lowerBound] + text[end...])
    while rest.last == "\n" { rest.removeLast() }
    return rest + "\n\n\(formats)Shared options: '\(name) help options'."
  }

  private var name: String { root.configuration.commandName ?? "" }

  /// What the options mean that all commands share.
  private var sharedOptions: String {
    struct AnyCommand: ParsableCommand {
      static let configuration = CommandConfiguration(commandName: "any")
      @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<FormatsOfAll>
    }
    let text = AnyCommand.helpMessage()
    let section = text.firstRange(of: HelpText.heading).map { text[$0.upperBound...] } ?? ""
    let end = section.firstRange(of: "\n\n")?.lowerBound ?? section.endIndex
    return
      "The options that every command takes. Those of containers have no effect where a command uses none.\n\n"
      + section[..<end]
  }

  private static func compactUsage(_ line: String) -> String {
    let option = /\ \[--?[^\]]*\](\ \.\.\.)?/
    guard let first = line.firstRange(of: option) else { return line }
    let start = line[..<first.lowerBound]
    let rest = line[first.lowerBound...].replacing(option, with: "").replacing(" [<options>]", with: "")
    return "\(start.replacing(" [<options>]", with: "")) [<options>]\(rest)"
  }
}

/// The manual page, in the `man` macros of troff, generated from the help of all commands.
package struct ManualPage {
  package let text: String

  /// - Parameter help: the JSON that ArgumentParser writes about the help of all commands. Throws if it cannot be read.
  package init(_ name: String, version: String, help: String) throws {
    let dump = try JSONValue(parsing: Array(help.utf8))
    let tool = dump.object?["command"]?.object ?? [:]
    var page = Troff()
    page.macro("TH", name.uppercased(), "1", "", "\(name) \(version)", "User Commands")
    page.section("NAME")
    page.text("\(name) - \(tool.string("abstract"))")
    page.section("SYNOPSIS")
    page.text("\(name) COMMAND SUBCOMMAND [OPTION]...")
    page.section("DESCRIPTION")
    page.text(tool.string("discussion"))
    page.section("COMMANDS")
    for command in tool.list("subcommands") where command.string("commandName") != "help" {
      ManualPage.add(command, to: &page)
    }
    text = page.output
  }

  /// A command with its options, then its subcommands.
  private static func add(_ command: JSONObject, to page: inout Troff) {
    let path = command.strings("superCommands") + [command.string("commandName")]
    let arguments = command.list("arguments").filter { $0["shouldDisplay"] != .bool(false) }
    let positional = arguments.filter { $0.string("kind") == "positional" }
    let names = positional.map { " <\($0.string("valueName"))>" }.joined()
    page.macro("SS", path.joined(separator: " ") + names)
    page.text(command.string("abstract"))
    page.text(command.string("discussion"))
    // Every command has the shared options; they are described once.
    for argument in arguments where argument.string("sectionTitle").isEmpty && !isHelp(argument) {
      page.item(label(of: argument), argument.string("abstract"))
    }
    for subcommand in command.list("subcommands") where subcommand.string("commandName") != "help" {
      add(subcommand, to: &page)
    }
  }

  private static func isHelp(_ argument: JSONObject) -> Bool {
    ["help", "version"].contains(argument.string("valueName"))
  }

  /// `-q, --quiet`, `--limit <n>`, `<file>`
  private static func label(of argument: JSONObject) -> String {
    let value = "<\(argument.string("valueName"))>"
    guard argument.string("kind") != "positional" else { return value }
    let names = argument.list("names").map {
      ($0.string("kind") == "long" ? "--" : "-") + $0.string("name")
    }
    let label = names.joined(separator: ", ")
    return argument.string("kind") == "option" ? "\(label) \(value)" : label
  }
}

/// Writes troff, with escaped control characters.
private struct Troff {
  private(set) var output = ""

  mutating func macro(_ name: String, _ arguments: String...) {
    output +=
      ".\(name) "
      + arguments.map { "\"\(Troff.escape($0).replacing("\"", with: "\\(dq"))\"" }
      .joined(separator: " ") + "\n"
  }

  mutating func section(_ title: String) { macro("SH", title) }

  /// Paragraphs; indented lines keep their line ends.
  mutating func text(_ text: String) {
    guard !text.isEmpty else { return }
    for paragraph in text.split(separator: "\n\n") {
      let isVerbatim = paragraph.contains("\n  ")
      output += isVerbatim ? ".PP\n.nf\n" : ".PP\n"
      output += paragraph.split(separator: "\n").map { Troff.escape(String($0)) + "\n" }.joined()
      output += isVerbatim ? ".fi\n" : ""
    }
  }

  mutating func item(_ label: String, _ text: String) {
    output += ".TP\n\\fB\(Troff.escape(label))\\fR\n\(Troff.escape(text))\n"
  }

  private static func escape(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }
}

extension JSONObject {
  fileprivate func string(_ key: String) -> String { self[key]?.string ?? "" }
  fileprivate func strings(_ key: String) -> [String] { self[key]?.array?.compactMap(\.string) ?? [] }
  fileprivate func list(_ key: String) -> [JSONObject] { self[key]?.array?.compactMap(\.object) ?? [] }
}
