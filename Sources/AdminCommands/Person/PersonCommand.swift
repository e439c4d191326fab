internal import ArgumentParser
internal import CommandLine
internal import People

/// The command group `person`.
struct PersonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "Answer people who ask for their data, or for its deletion.",
    discussion: """
      A person is given by a file with the user record name, which no output, history or metric contains. \
      Documentation/Privacy.md says how to answer a request, and what these commands cannot reach.
      """,
    subcommands: [PersonCheckCommand.self, PersonExportCommand.self, PersonEraseCommand.self])
}

/// The options that say whose data is meant.
struct PersonOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "A file with the person's user record name in this environment, or - for standard input.",
      valueName: "file"),
    completion: .file())
  var person: String

  @Option(
    help: ArgumentHelp(
      """
      Also take the records of user-written types in which this field has this value: a pseudonym of the person that \
      only the app knows. May be repeated.
      """, valueName: "field=value"))
  var also: [String] = []

  func validate() throws {
    guard also.allSatisfy({ PseudonymCondition($0) != nil }) else {
      throw ValidationError("--also takes FIELD=VALUE")
    }
  }

  var pseudonyms: [PseudonymCondition] { also.compactMap(PseudonymCondition.init) }

  func read() throws -> Person { try Person(parsing: InputFile.read(person)) }
}
