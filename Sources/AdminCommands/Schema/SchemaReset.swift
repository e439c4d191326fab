internal import ArgumentParser
internal import CloudKitModel
internal import PositionedJSON

struct SchemaReset: AdminCommand {
  static let title = "schema reset"
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Make development's schema production's again, and delete all its records.",
    discussion: "The named risk is data-loss: every record in development is deleted.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions

  func perform(in session: Session) async throws -> CommandResult {
    guard try session.environment == .development else {
      throw CommandFailure.usage("only development can be reset; leave out --environment production")
    }
    let name = try session.target.name
    guard !mutation.dryRun else {
      return CommandResult(json: ["dryRun": true], text: "would reset development of \(name)\n")
    }
    try session.confirm(
      "Reset development of \(name), deleting all its records.", risks: ["data-loss"], options: mutation)
    try await session.schemaContainer(writing: true).resetSchema()
    return CommandResult(
      isConfirmation: true, json: ["reset": true],
      text: "development of \(name) has production's schema and no records\n")
  }
}
