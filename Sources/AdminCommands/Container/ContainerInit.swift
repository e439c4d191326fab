internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import SchemaLanguage

struct ContainerInit: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create a local container with a schema.",
    discussion: """
      Done again with the same schema it changes nothing; a container that has another schema is refused. With \
      --environment production the schema is deployed to production too.

      Example: celestra-admin container init --schema schema/celestra.ckdb
      """)

  @Option("The schema file, or git:REF:PATH; - reads standard input.", value: "file", completion: .file())
  var schema: String

  @Flag(help: "Show what would change. Nothing is written.") var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerInit>

  func perform(in context: CommandContext) async throws -> any Report {
    if case .memory = try context.location {
      throw CommandFailure.usage(
        "memory: cannot be initialized, because it is discarded when the command ends",
        hint: "Give local:PATH.")
    }
    let wanted = try await context.validSchema(in: schema).schema
    let container = try context.localContainer(writing: !dryRun, canBeNew: true)
    let isNew = try await container.store.needsInitializing(wanted, container.environment)
    if !dryRun { try await container.store.initialize(wanted, container.environment) }
    let types = wanted.recordTypes.map(\.name).sorted()
    let json: JSONValue = [
      "recordTypes": types.json, "roles": wanted.roles.map(\.name).json, "dryRun": dryRun.json,
    ]
    return PlainReport(json: json, isConfirmation: !dryRun) {
      let verdict = dryRun && isNew ? "would be made" : "is ready"
      "\(container.identity.name) \(verdict), with \(counted(types.count, "record type")) in \(container.environment.rawValue)"
    }
  }
}
