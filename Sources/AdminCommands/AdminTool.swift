package import ArgumentParser
internal import CommandLine

package struct AdminTool: AsyncParsableCommand {
  package static let version = "0.2.0"

  package static let configuration = CommandConfiguration(
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
        name: "Schema and catalog",
        subcommands: [SchemaCommand.self, SeedCommand.self, LanguageServerCommand.self]),
      CommandGroup(
        name: "Feeds and counts",
        subcommands: [
          FeedCommand.self, HealthCommand.self, StatusCommand.self, ArticlesCommand.self, RecountCommand.self,
        ]),
      CommandGroup(
        name: "People", subcommands: [PersonCommand.self, SessionsCommand.self, ModerationCommand.self]),
      CommandGroup(name: "Past runs", subcommands: [HistoryCommand.self, UndoCommand.self]),
      CommandGroup(
        name: "Containers and records",
        subcommands: [
          ContainerCommand.self, RecordsCommand.self, EmulatorCommand.self, ConsoleCommand.self,
          DemoCommand.self,
        ]),
      CommandGroup(name: "Setup", subcommands: [AuthCommand.self, ConfigCommand.self, CKToolCommand.self]),
      CommandGroup(
        name: "Help",
        subcommands: [ExplainCommand.self, CompletionCommand.self, ManCommand.self, VersionCommand.self]),
    ])

  package init() {}

  static let tool = CommandLineTool(
    root: AdminTool.self, settings: SettingKey.all, firstHelp: firstHelp, formerNames: FormerName.all)

  /// At most 80 columns wide, because nothing wraps it.
  private static let firstHelp = """
    Declare a CloudKit public database's schema and catalog in files, and keep its
    numbers true.

    Look at it first, without an account:
      demo          run the main jobs from end to end, in a folder of their own
    Edit a catalog:
      seed init     begin with a folder of seeds; then seed add, plan and apply
      undo          take back what a run wrote
    Review a schema:
      schema init   begin with a schema; then schema lint, diff, plan and apply
    Keep the numbers true:
      health check  check the feeds; status shows which do not work, since when
      recount all   count readers and compute quality scores
    Set up:
      auth keygen   make a key for a CloudKit container; auth check tries it
      config list   show all settings, with their defaults

    All commands:      celestra-admin help all
    Help for one:      celestra-admin seed plan --help
    A finding's code:  celestra-admin explain SE0403
    """

  package static func start() async -> Never { await tool.start() }
}

struct AuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth", abstract: "Create, save and check credentials.",
    discussion: """
      Records are read and written with a server-to-server key (CLOUDKIT_KEY_ID and CLOUDKIT_PRIVATE_KEY_PATH or \
      CLOUDKIT_PRIVATE_KEY); schemas with a management token (CLOUDKIT_MANAGEMENT_TOKEN, or one saved here). \
      Neither is an option of these commands, and neither is ever printed.
      """,
    subcommands: [AuthKeygen.self, AuthCheck.self, AuthSaveToken.self, AuthRemoveToken.self, AuthStatus.self])
}

struct CKToolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cktool", abstract: "Drop-in replacement for Apple's cktool.",
    discussion: """
      Each verb has the options and the exit status (0, 1, 64) of Apple's, on any machine. The management token is \
      --token, then CLOUDKIT_MANAGEMENT_TOKEN, then the saved one. For records there are 'records create', \
      'records query' and 'records delete', which use a server-to-server key.
      """,
    subcommands: [
      CKToolExportSchema.self, CKToolImportSchema.self, CKToolValidateSchema.self, CKToolResetSchema.self,
      CKToolSaveToken.self, CKToolRemoveToken.self, CKToolGetTeams.self, CKToolVersion.self,
    ])
}

struct ContainerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "container",
    abstract: "Create, inspect, verify, back up, restore, compare and fill containers.",
    discussion:
      "init, restore and diff work on local containers only, fill also on emulators: CloudKit's are created in the Apple developer account.",
    subcommands: [
      ContainerInit.self, ContainerInfo.self, ContainerVerify.self, ContainerBackup.self,
      ContainerRestore.self, ContainerDiff.self, ContainerFill.self,
    ])
}

struct EmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emulator", abstract: "Serve a local container as CloudKit Web Services.",
    discussion: """
      Checks signatures, schema, indexes, roles, change tags and limits as the service does, on loopback, and never \
      talks to Apple. Documentation/Fidelity.md says what is known about the service and what is a setting.
      """,
    subcommands: [EmulatorServe.self, EmulatorExec.self])
}

struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Find and inspect feeds.", subcommands: [FeedFind.self, FeedInspect.self])
}

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check the health of the catalog's feeds.",
    subcommands: [HealthCheckCommand.self])
}

struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Query, count, change, export and import records of any type.",
    subcommands: [
      RecordsQuery.self, RecordsGet.self, RecordsCreate.self, RecordsUpdate.self, RecordsDelete.self,
      RecordsCount.self, RecordsExport.self, RecordsImport.self,
    ])
}

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Check, format, compare and apply .ckdb schema files.",
    discussion:
      "plan, apply, pull, export, promote, reset and rehearse use the container, by default a local one; the others work "
      + "offline, and use one only where an argument names it.",
    subcommands: [
      SchemaInit.self, SchemaValidate.self, SchemaLint.self, SchemaFormat.self, SchemaDiffCommand.self,
      SchemaMergeCommand.self, SchemaPlanCommand.self, SchemaApply.self, SchemaPull.self, SchemaExport.self,
      SchemaPromote.self, SchemaReset.self, SchemaCheckApp.self, SchemaRehearse.self, SchemaDocs.self,
      SchemaGenerate.self, SchemaInspect.self,
    ])
}

struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Keep the catalog in JSON files: check, plan and apply them, and add feeds.",
    discussion: """
      A seed folder holds categories.json, feeds/*.json and collections/*.json. Seeding writes editorial fields \
      only and never deletes unless asked to.
      """,
    subcommands: [
      SeedInit.self, SeedValidate.self, SeedPlanCommand.self, SeedApply.self, SeedAdd.self, SeedImport.self,
      SeedExport.self, SeedFormat.self, SeedDuplicates.self, SeedMovesCommand.self, SeedPullCommand.self,
    ])
}

struct ArticlesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "articles",
    abstract: "Store the items of feeds as articles, search them, and delete expired ones.",
    discussion: """
      Articles are stored by the job that checks feeds: each document is fetched once. The setting articles.store \
      (none, excerpt or full) makes 'health check' store them, too.
      """,
    subcommands: [
      ArticlesFetch.self, ArticlesPurge.self, ArticlesList.self, ArticlesSearch.self,
      ArticlesForecastCommand.self,
    ])
}

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Close live sessions that are over, and delete old messages.",
    subcommands: [SessionsClose.self, SessionsPurge.self])
}

struct ModerationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moderation", abstract: "Decide about what users reported, and enforce the decisions.",
    discussion: """
      moderation.json declares which record types users write, and how their records are hidden; without the file, that \
      of live sessions is used, which 'schema init --template sessions' writes. The key's user record needs the role that \
      the file names, else Moderator: the CloudKit Console gives it. No output names a person: a block is known by the id \
      of its decision.
      """,
    subcommands: [
      ModerationList.self, ModerationShow.self, ModerationHide.self, ModerationRestore.self,
      ModerationDecide.self, ModerationRemove.self, ModerationBlock.self, ModerationUnblock.self,
      ModerationSweepCommand.self,
    ])
}

extension FormerName {
  /// Names of the time before the first release, and guesses that are likely. More specific ones come first.
  static let all = [
    FormerName("audit", is: "recount audit"),
    FormerName("auth keygen --out", is: "--key-file"),
    FormerName("cktool create-record", is: "records create"),
    FormerName("cktool delete-record", is: "records delete"),
    FormerName("cktool delete-records", is: "records delete"),
    FormerName("cktool query-records", is: "records query"),
    FormerName("history --schema", is: "--former-schema"),
    FormerName("queries", is: "schema rehearse"),
    FormerName("records delete --older-than", is: "--before"),
    FormerName("recount --names shape", is: "--count-names all"),
    FormerName("recount --names creator", is: "--count-names verified"),
    FormerName("recount --names", is: "--count-names"),
    FormerName("recount --strategy names", is: "--strategy by-target"),
    FormerName("schema lint --baseline", is: "--new-since"),
    FormerName("seed format --dry-run", is: "--check"),
    FormerName("undo --list", is: "history"),
    FormerName("seed drift", is: "seed pull --check"),
    FormerName("sessions close --ended-before", is: "--before"),
    FormerName("report", is: "status --output FILE.html"),
    FormerName("simulate", is: "container fill"),
    FormerName("--via", is: "--schema-route"),
  ]
}
