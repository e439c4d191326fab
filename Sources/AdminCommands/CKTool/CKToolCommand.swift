internal import ArgumentParser

/// The command group `cktool`, whose subcommands accept the arguments of Apple's tool.
struct CKToolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cktool", abstract: "Drop-in replacement for Apple's cktool.",
    discussion: """
      Each verb has the options and the exit status (0, 1, 64) of Apple's, on any machine. Schemas are reached with \
      a management token: --token, then CLOUDKIT_MANAGEMENT_TOKEN, then the saved one. Records are reached with a \
      server-to-server key instead of a user token, and therefore in the public database only.
      """,
    subcommands: [
      CKToolExportSchema.self, CKToolImportSchema.self, CKToolValidateSchema.self, CKToolResetSchema.self,
      CKToolSaveToken.self, CKToolRemoveToken.self, CKToolGetTeams.self, CKToolCreateRecord.self,
      CKToolQueryRecords.self, CKToolDeleteRecord.self, CKToolDeleteRecords.self, CKToolVersion.self,
      CKToolHelp.self,
    ])
}
