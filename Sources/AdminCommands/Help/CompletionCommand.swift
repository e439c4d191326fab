internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print a shell completion script.",
    discussion: """
      Examples:
        celestra-admin completion bash > ~/.local/share/bash-completion/completions/celestra-admin
        celestra-admin completion zsh > "${fpath[1]}/_celestra-admin"
        celestra-admin completion fish > ~/.config/fish/completions/celestra-admin.fish
      """)

  enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

  @Argument(help: "The shell.") var shell: Shell
  @OptionGroup var ignored: IgnoredOptions

  func run() {
    print(AdminTool.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash))
  }
}

/// What commands without shared options accept and ignore, because scripts give it to every command.
struct IgnoredOptions: ParsableArguments {
  @Option(help: .hidden) var container: String?
}

enum CompletionValues {
  private static var bundledTypes: [RecordType] {
    ((try? BundledSchema.parsed()) ?? []).flatMap(\.recordTypes)
  }

  static var recordTypes: CompletionKind {
    .custom { _, _, _ in Set(bundledTypes.map(\.name)).sorted() }
  }
  static var aggregates: CompletionKind {
    .list(["subscribers", "quality", "participants", "all", "audit"])
  }
  static var rules: CompletionKind { .list(RuleCatalog.codes) }
  static var codes: CompletionKind { .list(RuleCatalog.codes + MutationOptions.namedRisks) }
  static var risks: CompletionKind { .list(MutationOptions.namedRisks) }
  static var categories: CompletionKind { slugs(of: .category) }
  static var feeds: CompletionKind { slugs(of: .feed) }
  static var collections: CompletionKind { slugs(of: .collection) }

  private static func slugs(of kind: SeedKind) -> CompletionKind {
    .custom { words, _, _ in SlugCompletion(words: words)?.slugs(of: kind) ?? [] }
  }

  static var tags: CompletionKind { .custom { words, _, _ in SlugCompletion(words: words)?.tags ?? [] } }

  /// The ids of the runs in the history that the command line names, newest first: of all runs, or of those that 'undo'
  /// takes back.
  static func runs(onlyOfPeople: Bool) -> CompletionKind {
    .custom { words, _, _ in
      // A history that cannot be read completes nothing; the command says why.
      (try? history(words)?.ids(onlyOfPeople: onlyOfPeople)) ?? []
    }
  }

  private static func history(_ words: [String]) throws -> RunHistory? {
    func value(of option: String) -> String? {
      words.firstIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
    }
    if let folder = value(of: "--history") { return try RunHistory.existing(at: folder) }
    var common = SharedOptionValues()
    common.container = value(of: "--container")
    common.config = value(of: "--config")
    let settings = try Settings.load(of: AdminTool.tool, common: common, process: .current)
    let context = CommandContext(common: common, format: .text, settings: settings, process: .current)
    return try RunHistory.existing(in: context.stateDirectory)
  }

  /// The fields of the record type that the command line has, as the bundled schemas declare it.
  static var fields: CompletionKind {
    .custom { words, _, _ in
      Set(bundledTypes.filter { words.contains($0.name) }.flatMap(\.fields).map(\.name)).sorted()
    }
  }

  /// The slugs of the record type that the command line has, where records are found by them.
  static var recordNames: CompletionKind {
    .custom { words, _, _ in
      let kinds = [SeedKind.category, .feed]
      guard let kind = kinds.first(where: { words.contains($0.recordType) }) else { return [] }
      return SlugCompletion(words: words)?.slugs(of: kind) ?? []
    }
  }

  /// The slugs of all record types whose records are found by them.
  static var slugsOfAnyType: CompletionKind {
    .custom { words, _, _ in
      SlugCompletion(words: words).map { $0.slugs(of: .category) + $0.slugs(of: .feed) } ?? []
    }
  }
}

/// The slugs that a shell can complete: those of the seed folder that the command line names, or of the nearest one.
struct SlugCompletion {
  private let files: [SeedFile]

  /// - Parameter words: the command line. `nil` if there is no seed folder.
  init?(words: [String], directory: String = FileManager.default.currentDirectoryPath) {
    // A word that cannot be looked up is not a folder.
    let named = words.dropFirst().first { (try? FileKind("\($0)/categories.json")) == .file }
    guard let folder = named ?? SeedFolder.nearest(to: directory) else { return nil }
    // A catalog with mistakes is being edited; what can be read of it is completed.
    files = SeedLoader(directory: folder).load().files
  }

  var tags: [String] {
    let tags = files.filter { $0.kind == .feed }.flatMap(\.entries).flatMap { $0["tags"]?.elements ?? [] }
    return Set(tags.compactMap(\.string).filter(Slug.isValid)).sorted()
  }

  /// The valid slugs of a kind, sorted. Others are left out: bash expands what it completes, and would run a command in
  /// a slug.
  func slugs(of kind: SeedKind) -> [String] {
    let found = files.filter { $0.kind == kind }.flatMap { file in file.entries.compactMap(file.slug(of:)) }
    return Set(found.filter(Slug.isValid)).sorted()
  }
}

struct ManCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "man", abstract: "Print the manual page.",
    discussion: """
      The page is generated from the help of all commands.

      Example: celestra-admin man > /usr/local/share/man/man1/celestra-admin.1
      """)

  @OptionGroup var ignored: IgnoredOptions

  func run() throws { print(try Self.page().text, terminator: "") }

  static func page() throws -> ManualPage {
    try ManualPage("celestra-admin", version: AdminTool.version, help: AdminTool._dumpHelp())
  }
}

/// The manual page, in the `man` macros of troff, generated from the help of all commands.
struct ManualPage {
  let text: String

  /// - Parameter help: the JSON that ArgumentParser writes about the help of all commands. Throws if it cannot be read.
  init(_ name: String, version: String, help: String) throws {
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

  private static func add(_ command: JSONObject, to page: inout Troff) {
    let path =
      (command["superCommands"]?.array?.compactMap(\.string) ?? []) + [command.string("commandName")]
    let arguments = command.list("arguments").filter { $0["shouldDisplay"] != .bool(false) }
    let positional = arguments.filter { $0.string("kind") == "positional" }
    let names = positional.map { " <\($0.string("valueName"))>" }.joined()
    page.macro("SS", path.joined(separator: " ") + names)
    page.text(command.string("abstract"))
    page.text(command.string("discussion"))
    // Every command has the shared options; they are described once.
    for argument in arguments where argument.string("sectionTitle") != sharedOptionsTitle && !isHelp(argument)
    {
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
