internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct CKToolExportSchema: CKToolCommand {
  static let title = "cktool export-schema"
  static let configuration = CommandConfiguration(
    commandName: "export-schema", abstract: "Print the container's schema, as the service writes it.",
    discussion: """
      Example:
        celestra-admin cktool export-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --output-file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainer
  @OptionGroup var environment: CKToolEnvironment
  @Option(help: "Write to this file instead of standard output.") var outputFile: String?

  var place: CKToolTarget { container.place(environment.environment, output: outputFile) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try await context.schemaContainer().exportSchema()
    return PlainReport(json: .string(text), text: PrintableText(document: text))
  }
}

struct CKToolImportSchema: CKToolCommand {
  static let title = "cktool import-schema"
  static let configuration = CommandConfiguration(
    commandName: "import-schema",
    abstract: "Replace the container's schema; what the file leaves out is deleted.",
    discussion: """
      Example:
        celestra-admin cktool import-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainer
  @OptionGroup var environment: CKToolEnvironment
  @Option(help: "The schema file.") var file: String
  @Flag(help: "Validate the schema before importing it.") var validate = false

  var place: CKToolTarget { container.place(environment.environment) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try SchemaText.read(file)
    let schema = try await context.schemaContainer(writing: true, canBeNew: true)
    if validate, let reason = try await schema.validateSchema(text) {
      return PlainReport.invalidSchema(reason)
    }
    try await schema.importSchema(text)
    return PlainReport()
  }
}

struct CKToolValidateSchema: CKToolCommand {
  static let title = "cktool validate-schema"
  static let configuration = CommandConfiguration(
    commandName: "validate-schema", abstract: "Check whether a schema file can be imported.",
    discussion: """
      Example:
        celestra-admin cktool validate-schema --team-id TEAM --container-id iCloud.com.example.App \\
          --environment development --file schema.ckdb
      """)

  @OptionGroup var container: CKToolContainer
  @OptionGroup var environment: CKToolEnvironment
  @Option(help: "The schema file.") var file: String

  var place: CKToolTarget { container.place(environment.environment) }

  func perform(in context: CommandContext) async throws -> any Report {
    let text = try SchemaText.read(file)
    if let reason = try await context.schemaContainer().validateSchema(text) {
      return PlainReport.invalidSchema(reason)
    }
    return PlainReport(json: ["isValid": true], text: "✅ Schema is valid.\n")
  }
}

struct CKToolResetSchema: CKToolCommand {
  static let title = "cktool reset-schema"
  static let configuration = CommandConfiguration(
    commandName: "reset-schema",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      Example:
        celestra-admin cktool reset-schema --team-id TEAM --container-id iCloud.com.example.App
      """)

  @OptionGroup var container: CKToolContainer

  var place: CKToolTarget { container.place(.development) }

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.schemaContainer(writing: true).resetSchema()
    return PlainReport()
  }
}

/// Reads a schema file without parsing it: the service validates it.
private enum SchemaText {
  static func read(_ path: String) throws -> String {
    guard let text = String(validating: try InputFile.read(path), as: UTF8.self) else {
      throw CommandFailure("\(InputFile.displayName(path)) is not UTF-8", code: "bad-input")
    }
    return text
  }
}

extension PlainReport {
  /// The text of Apple's tool (Documentation/reference/schema-language.md#cktool-commands).
  fileprivate static func invalidSchema(_ reason: String) -> PlainReport {
    PlainReport(
      .failed, json: ["isValid": false, "errorMessage": .string(reason)],
      text: "❌ Schema validation failed: \(reason)\n")
  }
}
