internal import ArgumentParser
internal import CommandLine

/// The command group `schema`.
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Check, format, compare and apply .ckdb schema files.",
    discussion: "Everything but plan, apply, promote, export and reset works offline, without credentials.",
    subcommands: [
      SchemaValidate.self, SchemaLint.self, SchemaFormat.self, SchemaDiffCommand.self,
      SchemaMergeCommand.self,
      SchemaPlanCommand.self, SchemaApply.self, SchemaPromote.self, SchemaExport.self, SchemaReset.self,
      SchemaInspect.self, SchemaDocs.self,
    ])
}
