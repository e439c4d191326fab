internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import SchemaLanguage

struct SchemaMergeCommand: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge a second schema into the first, and print the result in canonical form.",
    discussion: """
      What the second file leaves out stays as it is in the first, options of a field and comments included; a \
      role of both gets the privileges that the second grants it. A field that changes its type and a grant \
      that is more than an addition are reported; with --policy additive they end the command with status 3, \
      and nothing is printed. --output may name the first file.

      --ancestor names the schema that both files come from. Then what either of them removed is removed; what \
      both changed differently is listed, and the command ends with status 3 and prints nothing.

      Example: celestra-admin schema merge exported.ckdb additions.ckdb --policy additive --output merged.ckdb
      """)

  @Argument(
    help: "The schema to change: a file, or git:REF:PATH; - reads standard input.", completion: .schemaFile)
  var base: String
  @Argument(
    help: "What to add or change: a file, or git:REF:PATH; - reads standard input.", completion: .schemaFile)
  var delta: String
  @Option("additive, or none (the default).", word: "policy")
  var policy: SchemaChangePolicy = .none
  @Option("The schema that both come from.", value: "schema", completion: .schemaFile) var ancestor: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaMergeCommand>

  func validate() throws {
    if [base, delta, ancestor].count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one schema can be standard input")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    // The result may replace this file.
    let base = try await RunFiles.$current.withValue(nil) { try await context.validSchema(in: self.base) }
    var ancestor: ParsedSchema?
    if let path = self.ancestor { ancestor = try await context.wellFormedSchema(in: path) }
    // What is only added may name roles of the first file.
    let roles = ancestor == nil ? base.schema.roles : []
    let merge = MergedSchema(
      base, try await context.validSchema(in: delta, knowing: roles), ancestor: ancestor)
    guard merge.conflicts.isEmpty else { throw conflict(merge.conflicts) }
    let allowed = try context.validLintConfiguration().allowedChanges
    let found = merge.diagnostics(SchemaPolicy(policy, exceptions: allowed))
    guard !found.hasErrors else {
      throw CommandFailure(
        "\(InputFile.displayName(delta)) removes or changes declarations; with --policy additive it may only add them",
        code: "not-additive", status: .findings,
        diagnostics: found)
    }
    return merge.report
  }

  private func conflict(_ conflicts: [String]) -> CommandFailure {
    let isCommitted = base.hasPrefix(GitReference.prefix)
    let saved = String(base.dropFirst(GitReference.prefix.count)).shellWord
    let save = "save the first with 'git show \(saved) > ours.ckdb', "
    return CommandFailure(
      "both files change \(counted(conflicts.count, "declaration")) differently", details: conflicts,
      code: "merge-conflict",
      hint:
        "Decide each in one of the files: \(isCommitted ? save : "")write what the other or the ancestor has, and merge again.",
      status: .findings)
  }
}
