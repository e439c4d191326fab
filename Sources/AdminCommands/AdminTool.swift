public import ArgumentParser
internal import Diagnostics

/// The tool: nouns, each with its verbs.
public struct AdminTool: AsyncParsableCommand {
  public static let version = "0.1.0"

  public static let configuration = CommandConfiguration(
    commandName: "celestra-admin",
    abstract: "Declare a CloudKit public database's schema and catalog in files, and keep its numbers true.",
    discussion: """
      Plans before it writes, writes only what changed, and says what became of every record.

      Exit status: 0 done, 1 failed, 2 differences found, 3 findings, 4 not permitted, 5 partly applied, \
      6 locked by another run, 64 wrong usage, 75 try again later, 130 interrupted, 143 terminated.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(name: "Declare", subcommands: [SchemaCommand.self, SeedCommand.self]),
      CommandGroup(name: "Jobs", subcommands: [HealthCommand.self, RecountCommand.self, FeedCommand.self]),
      CommandGroup(
        name: "Containers",
        subcommands: [
          ContainerCommand.self, RecordsCommand.self, EmulatorCommand.self, SimulateCommand.self,
          DemoCommand.self,
        ]),
      CommandGroup(name: "Set up", subcommands: [AuthCommand.self, ConfigCommand.self, CKTool.self]),
      CommandGroup(
        name: "Help",
        subcommands: [ExplainCommand.self, CompletionCommand.self, ManCommand.self, VersionCommand.self]),
    ])

  public init() {}

  /// Runs the tool with the process's arguments and ends the process with the exit status.
  public static func start() async {
    do {
      var command = try await parsed(Array(CommandLine.arguments.dropFirst()))
      guard var asynchronous = command as? any AsyncParsableCommand else { return try command.run() }
      try await asynchronous.run()
    } catch {
      if let help = HelpText.requested(by: error) { return print(help) }
      exit(withError: error)
    }
  }

  /// The command that the words name. What is wrong with them is printed before the exit status is thrown.
  private static func parsed(_ words: [String]) async throws -> any ParsableCommand {
    do {
      // The library answers `help` for an unknown command with the help of the tool, and success.
      if words.first == "help", CommandSuggestion.message(for: words) != nil {
        throw ExitCode.validationFailure
      }
      return try await asyncParseAsRoot(CommandSuggestion.withHelpFirst(words))
    } catch let error where exitCode(for: error) == .validationFailure {
      World.system.console.tell(suggestion(for: words) ?? usageMessage(for: error, words))
      throw ExitCode.validationFailure
    }
  }

  private static func suggestion(for words: [String]) -> PrintableText? {
    CommandSuggestion.message(for: words.map(\.printableLine)).map { PrintableText(document: $0) }
  }

  /// The parser's message quotes the words among lines of its own: what is wrong with the same words, each in one
  /// line, is written in lines that are all the parser's.
  private static func usageMessage(for error: any Error, _ words: [String]) -> PrintableText {
    func text(_ error: any Error) -> String {
      HelpText.compact(fullMessage(for: error)).replacing("Error: ", with: "error: ", maxReplacements: 1)
    }
    do {
      _ = try parseAsRoot(CommandSuggestion.withHelpFirst(words.map(\.printableLine)))
      return "\(text(error))\n"
    } catch {
      return PrintableText(document: text(error) + "\n")
    }
  }
}
