internal import ArgumentParser

/// The command group `seed`.
struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "Sync the catalog from JSON seed files.",
    discussion: """
      A seed folder holds categories.json, feeds/*.json and collections/*.json. Seeding writes editorial fields \
      only and never deletes unless asked to.
      """,
    subcommands: [
      SeedValidate.self, SeedPlanCommand.self, SeedApply.self, SeedAdd.self, SeedImport.self, SeedExport.self,
      SeedFormat.self, SeedDuplicates.self, SeedPullCommand.self, SeedDrift.self,
    ])
}
