internal import ArgumentParser

/// The command group `records`.
struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Query, count, change, export and import records of any type.",
    subcommands: [
      RecordsQuery.self, RecordsGet.self, RecordsCreate.self, RecordsUpdate.self, RecordsDelete.self,
      RecordsCount.self,
      RecordsExport.self, RecordsImport.self,
    ])
}
