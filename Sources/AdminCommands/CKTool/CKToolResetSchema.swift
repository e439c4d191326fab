internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

/// The command `cktool reset-schema`.
struct CKToolResetSchema: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-schema",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      Unlike Apple's tool it asks first, because nothing restores the records: a script needs --yes --accept-risk data-loss.

      Example:
        celestra-admin cktool reset-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --yes --accept-risk data-loss
      """)

  @OptionGroup var container: CKToolContainerOptions

  @OptionGroup var confirmation: CKToolConfirmation

  var place: CKToolSettings { container.place(.development) }

  func perform(in context: CommandContext) async throws -> any Report {
    let schema = try await context.schemaContainer(writing: true)
    _ = try await schema.currentSchema()
    try await context.confirmReset(confirmation)
    try await schema.resetSchema()
    return PlainReport()
  }
}
