internal import ArgumentParser
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import SystemPackage

struct SchemaRehearse: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse", abstract: "Run an app's queries and show what is missing on its screens.",
    discussion: """
      Checks each query as 'schema lint --queries' does without a container, and runs it: missing indexes, rows, truncated and empty screens, what \
      a phrase finds. Status 3 when there is a finding at or above --fail-on. With --seeds, the seeds take the place of the \
      container, and nothing else is needed. A query with "subscription": {"firesOn": ["create"], "desiredKeys": \
      ["title"]} is also a subscription to push messages. Its filters need indexes, a message can contain at most three \
      plain fields, and one with the same record type and events as another is a finding, as is one for each value of a \
      parameter. A query of another app names its schema, a file beside the queries: it is left out where the container \
      has another schema, and with --seeds it is checked against that file.

      Example: celestra-admin schema rehearse schema/app-queries.json --seeds seeds --fail-on error
      """)

  @Argument(help: "The file with the queries, or -.", completion: .file(extensions: ["json"])) var file:
    String
  @Option("Run against the seeds in a folder.", value: "folder", completion: .directory) var seeds: String?
  @Option("error, warning or note. Default: error.", word: "severity")
  var failOn: Diagnostic.Severity = .error
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaRehearse>

  func perform(in context: CommandContext) async throws -> any Report {
    let (queries, findings) = AppScreenQuery.read(try InputFile.source(file))
    let stage = try await QueryRehearsalContainer(context, seeds: seeds)
    var results = try await stage.rehearse(queries, at: context.now)
    if seeds != nil {
      // Seeds fill the catalog alone: other apps' screens are checked against their own schema.
      for (index, query) in queries.enumerated() {
        guard let needed = results[index].needsSchema else { continue }
        let path = FilePath(file).removingLastComponent().pushing(FilePath(needed)).string
        let empty = try await QueryRehearsalContainer(schema: InputFile.source(path))
        results[index] = try await empty.rehearse([query], at: context.now)[0]
      }
    }
    return QueryRehearsalReport(results, reading: findings, failOn: failOn)
  }
}
