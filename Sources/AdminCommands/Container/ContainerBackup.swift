internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer

struct ContainerBackup: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a container to a file, or update the copy of a CloudKit container.",
    discussion: """
      A local container is copied to a new file while others use it, with both environments as they were at one moment. \
      The file is checked first, as 'container info --check' does; a damaged file is not copied.

      Of a CloudKit container the file becomes a mirror: a local container that every reading command takes, and that no \
      command writes to. A run that is stopped is continued by the next one, which reads only what changed since. Once a \
      day, or with --deletions, a run also finds what was deleted. Copied are the types that users cannot create, and \
      PublicArticle. What names a person becomes a digest, whose key is beside the file (FILE.key). With --assets the file \
      also gets the files of assets, each once; one whose size or checksum is not as its record says is left out.

      Examples:
        celestra-admin container backup before-import.sqlite
        celestra-admin container backup catalog.sqlite --container cloudkit:iCloud.com.example.App
      """)

  @Argument(help: "The file to write: a new one, or a mirror of the same container.", completion: .file())
  var path: String
  @Option(
    "The record types of a mirror, separated by commas. Later runs keep them.", value: "names",
    completion: CompletionValues.recordTypes)
  var types: String?
  @Flag(help: "Also find what was deleted in a CloudKit container, by reading the names of all records.")
  var deletions = false
  @Option(
    "Accept the risk mass-deletion: delete what the service does not have, even more than half of a type.",
    value: "name", completion: .list([MirrorRun.riskOfMassDeletion]))
  var acceptRisk: [String] = []
  @Option(
    "The schema of a CloudKit container, for use without a management token.", value: "file",
    completion: .schemaFile)
  var schema: String?
  @Flag(help: "Also copy the files of assets of a CloudKit container.") var assets = false
  @Option("With --assets: the most bytes of all files together. Default: 10000000000.", value: "n")
  var maxBytes: Int64?
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ContainerBackup>

  var isDryRun: Bool { false }

  func validate() throws {
    try InputFile.requireNamed(path, "<path>", because: "the copy is a database")
    guard acceptRisk.allSatisfy({ $0 == MirrorRun.riskOfMassDeletion }) else {
      throw ValidationError("--accept-risk takes \(MirrorRun.riskOfMassDeletion) here")
    }
    guard maxBytes == nil || assets, maxBytes ?? 0 >= 0 else {
      throw ValidationError("--max-bytes takes a number from 0 up, and works only with --assets")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    if case .cloudKit(let id) = try context.location {
      let files = try assets ? context.assetFetching(id, maxBytes: maxBytes ?? 10_000_000_000) : nil
      return try await context.mirror(
        into: path, types: types, schema: schema, deletions: deletions,
        acceptsMassDeletion: !acceptRisk.isEmpty, assets: files)
    }
    guard types == nil, schema == nil, !deletions, acceptRisk.isEmpty, !assets else {
      throw CommandFailure.usage(
        "--types, --schema, --deletions, --accept-risk and --assets are for CloudKit containers")
    }
    context.monitor?.workBegan()
    try await context.localContainer().store.backup(to: path)
    return PlainReport(json: ["path": .string(path)], isConfirmation: true) { "backed up to \(path)" }
  }
}
