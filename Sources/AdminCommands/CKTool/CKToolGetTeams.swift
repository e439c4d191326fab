internal import ArgumentParser
internal import CloudKitClient
internal import CommandLine
internal import Diagnostics
internal import WebServicesWire

/// The command `cktool get-teams`.
struct CKToolGetTeams: CKToolSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "get-teams", abstract: "Print the teams a management token belongs to.",
    discussion: """
      Example:
        celestra-admin cktool get-teams
      """)

  @OptionGroup var token: CKToolTokenOption

  var place: CKToolSettings {
    CKToolSettings(variables: token.token.map { ["CLOUDKIT_MANAGEMENT_TOKEN": $0] } ?? [:])
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let teams = try await context.teamsContainer().teams()
    let json = teams.map { team -> JSONValue in ["id": .string(team.id), "name": .string(team.name)] }
    return PlainReport(json: .array(json)) { for team in teams { "\(team.id): \(team.name)" } }
  }
}
