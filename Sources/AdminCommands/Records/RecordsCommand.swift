internal import ArgumentParser

struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Look at, count, move and delete records of any type.",
    subcommands: [
      RecordsQuery.self, RecordsGet.self, RecordsCreate.self, RecordsDelete.self, RecordsCount.self,
      RecordsExport.self, RecordsImport.self,
    ])
}
