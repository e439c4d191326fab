internal import ArgumentParser
internal import BuildShim
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
    var common = SharedOptionValues.none
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

  func run() { print(Self.page, terminator: "") }

  /// The page in the `man` macros of troff: the help of each group, and of its commands.
  static var page: String {
    let (name, tool, help) = ("celestra-admin", AdminTool.configuration, HelpText(AdminTool.tool))
    let head = [
      ".TH \"\(troff(name.uppercased()))\" \"1\" \"\" \"\(troff("\(name) \(AdminTool.version)"))\" \"User Commands\"\n",
      section("SH", "NAME", troff("\(name) - \(tool.abstract)")),
      section("SH", "SYNOPSIS", troff("\(name) COMMAND SUBCOMMAND [OPTION]...")),
      section("SH", "DESCRIPTION", troff(tool.discussion)), section("SH", "COMMANDS"),
    ]
    let groups = tool.groupedSubcommands.flatMap(\.subcommands)
    let commands = groups.flatMap { [$0] + $0.configuration.subcommands }.map { command in
      let text = troff(help.help(of: command, columns: 80))
      return section("SS", help.usage(of: command), ".in 0\n.nf\n\(text)\n.fi")
    }
    return (head + commands).joined()
  }

  private static func section(_ macro: String, _ title: String, _ text: String = ".PP") -> String {
    ".\(macro) \"\(troff(title))\"\n\(text)\n"
  }

  /// The text without anything that troff would obey.
  private static func troff(_ text: String) -> String {
    let escapes = ["\\": "\\e", "-": "\\-", "\"": "\\(dq"]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "")
        + line.map { escapes[String($0)] ?? String($0) }.joined()
    }
    return lines.joined(separator: "\n")
  }
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, and where this binary comes from.",
    discussion: """
      The first line is the version alone, as --version prints it. The lines after it are the commit and the tag of the \
      sources, the kind of build, and the platform, for reports of problems.

      Example: celestra-admin version
      """)

  @OptionGroup var ignored: IgnoredOptions

  func run() { print(Self.text(.current).description, terminator: "") }

  static func text(_ origin: BuildOrigin) -> PrintableText {
    """
    \(AdminTool.version)
    commit: \(origin.commit ?? "not recorded by this build")
    build: \(origin.tag.map { "release \($0)" } ?? "no release")\(origin.isOptimized ? "" : ", not optimized")
    platform: \(origin.platform)

    """
  }
}

struct BuildOrigin: Hashable {
  /// The commit of the sources; `nil` if the build did not record it. Ends with `-modified` if the sources had changes that
  /// were not committed.
  var commit: String?
  /// The tag of the commit, such as `v0.2.0`, for a release; `nil` for other builds.
  var tag: String?
  var isOptimized: Bool
  /// The processor and the system, such as `x86_64 Linux`.
  var platform: String

  static var current: BuildOrigin {
    BuildOrigin(
      commit: text(BuildShim_commit()), tag: text(BuildShim_tag()), isOptimized: BuildShim_isOptimized() != 0,
      platform: text(BuildShim_platform()) ?? "unknown")
  }

  private static func text(_ value: UnsafePointer<CChar>?) -> String? {
    let text = value.map { String(cString: $0) } ?? ""
    return text.isEmpty ? nil : text
  }
}
