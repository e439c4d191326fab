public import ArgumentParser
internal import CommandLine
internal import SchemaLanguage

/// The tool with all its commands.
public struct AdminTool: AsyncParsableCommand {
  public static let version = "0.1.0"

  public static let configuration = CommandConfiguration(
    commandName: "celestra-admin",
    abstract: "Declare a CloudKit public database's schema and catalog in files, and keep its numbers true.",
    discussion: """
      Shows its plan before it writes, writes only what changed, and reports the result for every record.

      Exit status: 0 done, 1 failed, 2 differences found, 3 findings, 4 not permitted, 5 partly applied, \
      6 locked by another run, 64 wrong usage, 75 try again later, 130 interrupted, 143 terminated.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Declare", subcommands: [SchemaCommand.self, SeedCommand.self, QueriesCommand.self]),
      CommandGroup(
        name: "Jobs",
        subcommands: [
          HealthCommand.self, StatusCommand.self, ReportCommand.self, RecountCommand.self, FeedCommand.self,
        ]),
      CommandGroup(name: "History", subcommands: [HistoryCommand.self, UndoCommand.self]),
      CommandGroup(
        name: "Containers",
        subcommands: [
          ContainerCommand.self, RecordsCommand.self, EmulatorCommand.self, ConsoleCommand.self,
          SimulateCommand.self,
          DemoCommand.self,
        ]),
      CommandGroup(name: "Set up", subcommands: [AuthCommand.self, ConfigCommand.self, CKToolCommand.self]),
      CommandGroup(
        name: "Help",
        subcommands: [ExplainCommand.self, CompletionCommand.self, ManCommand.self, VersionCommand.self]),
    ])

  public init() {}

  static let tool = CommandLineTool(
    root: AdminTool.self, settings: SettingKey.all, sections: LintConfiguration.keys)

  /// Runs the tool with the process's arguments and ends the process with the exit status.
  public static func start() async -> Never { await tool.start() }
}
