internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import Platform

struct SeedInit: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a seed folder to begin with: the catalog that this tool carries.",
    discussion: """
      The folder has categories, feeds and collections of Celestra, and JSON Schemas with which a text editor completes and \
      checks them. Remove what your catalog does not need, then add your own feeds with 'seed add'. A folder that has other \
      seeds is not changed.

      Example: celestra-admin seed init catalog
      """)

  @Argument(help: "The seed folder.", completion: .directory) var directory = "seeds"
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedInit>

  func perform(in context: CommandContext) async throws -> any Report {
    let bundled = BundledSeeds.files.merging(BundledSeeds.schemas) { first, _ in first }
    try requireNoOtherSeeds(bundled)
    let files = try StarterFiles(
      bundled.sorted { $0.key < $1.key }.map {
        ("\(directory)/\($0.key)", String(decoding: $0.value, as: UTF8.self))
      })
    if !dryRun { try files.write() }
    let isCloud = try context.hasCloudFeeds
    return files.report(
      isWritten: !dryRun, next: try nextCommands(in: context),
      when: isCloud ? "when your project names the container of a CelestraCloud database" : nil)
  }

  /// The commands that lead a user to a first plan. Where the user has no container, the first ones make a local one.
  private func nextCommands(in context: CommandContext) throws -> [String] {
    let schema = "schema/celestra.ckdb"
    let hasSchema = try FileKind(schema) != .missing
    let makesSchema = hasSchema ? [] : ["celestra-admin schema init \(schema) --template celestra"]
    let folder = directory == SeedFolder.name ? "" : " \(directory.shellWord)"
    let plan = ["celestra-admin seed plan\(folder)"]
    guard try !context.hasCloudFeeds, case .local(let path) = try context.location,
      try FileKind(path) == .missing
    else { return plan }
    return makesSchema + ["celestra-admin container init --schema \(schema)"] + plan
  }

  /// Refuses a folder with seeds that this command did not write: together they would be one catalog.
  private func requireNoOtherSeeds(_ bundled: [String: [UInt8]]) throws {
    for file in SeedLoader(directory: directory).load().files {
      guard bundled[file.path].map({ $0.elementsEqual(file.source.bytes) }) ?? false else {
        throw CommandFailure(
          "\(directory) has seeds already, such as \(file.path); nothing was written", code: "not-empty",
          hint: "Name another folder.")
      }
    }
  }
}
