internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The command `cktool reset-schema`.
struct CKToolResetSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-schema",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      Example:
        celestra-admin cktool reset-schema --team-id TEAM --container-id iCloud.com.example.App
      """)

  @OptionGroup var container: CKToolContainerOptions

  var place: CKToolSettings { container.place(.development) }

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.schemaContainer(writing: true).resetSchema()
    return PlainReport()
  }
}
