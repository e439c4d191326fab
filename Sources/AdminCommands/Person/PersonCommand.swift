internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import People
internal import RecordChanges
internal import Reporting
internal import SchemaLanguage

struct PersonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "Answer people who ask for their data, or for its deletion.",
    discussion: """
      A person is given by a file with the user record name, which no output, history or metric contains. \
      Documentation/Privacy.md says how to answer a request, and what these commands cannot reach.
      """,
    subcommands: [PersonCheckCommand.self, PersonExportCommand.self, PersonEraseCommand.self])
}

struct PersonOptions: ParsableArguments, Sendable {
  @Option(
    "A file with the person's user record name in this environment, or - for standard input.", value: "file",
    completion: .file())
  var person: String

  @Option(
    """
    Also take the records of user-written types in which this field has this value: a pseudonym of the person that \
    only the app knows. May be repeated.
    """, value: "field=value")
  var also: [String] = []

  func validate() throws {
    guard also.allSatisfy({ PseudonymCondition($0) != nil }) else {
      throw ValidationError("--also takes FIELD=VALUE, where FIELD is without its type")
    }
  }

  var pseudonyms: [PseudonymCondition] { also.compactMap(PseudonymCondition.init) }

  /// A failure does not repeat the option's value, which may be the name itself.
  func read() throws -> Person {
    let bytes: [UInt8]
    do { bytes = try InputFile.read(person) } catch var failure as CommandFailure {
      failure.message = failure.message.replacing(
        " \(person)", with: " the file of --person", maxReplacements: 1)
      throw failure
    }
    return try Person(parsing: bytes)
  }
}

struct PersonCheckCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say how each record type would be searched for a person's data.",
    discussion: """
      Reads a few records, and its output names no person. Status 3 when a type cannot be searched, because it lacks an index or the \
      key may not read it. Also lists where copies may be, and what this tool cannot reach.

      Example: celestra-admin person check --container cloudkit:iCloud.com.example.App --environment production
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<PersonCheckCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.openContainer(ownRecords: .shown)
    let (schema, relations, _) = try await context.personSearch(in: handle)
    let plan = try await PersonSearchPlan(
      of: handle.container, schema, references: ReferenceFields(CatalogReferences.all, in: schema),
      relations: relations)
    return plan.report(in: handle.container.identity, try context.mirrorsOfPersons(in: handle))
  }
}

extension CommandContext {
  /// The mirrors of the container that this machine made. Throws `FileFailure`.
  func mirrorsOfPersons(in handle: ContainerHandle) throws -> [KnownMirror] {
    try knownMirrors(of: handle.container.identity).map { ($0.path, $0.types) }
  }

  /// What every search for a person needs: the schema without the types of a private database, as the project file names them;
  /// its relations, which say which fields name a person; and what can stand for a name, in a mirror. Throws
  /// ``CommandFailure`` for settings that are not valid, because all must be searched, and `ContainerFailure` where no person
  /// can be found.
  func personSearch(in handle: ContainerHandle) async throws
    -> (schema: Schema, relations: [DeclaredRelation], standIns: (@Sendable (String) -> [String])?)
  {
    let standIns = try handle.local?.store.standInsOfPersons()
    let databases = try validLintConfiguration().databases
    var schema = try await schemaForJobs(handle)
    let relations = try relations(in: [schema.parsed])
    schema.recordTypes.removeAll { databases.isPrivate($0.name) }
    let leftOut = (mirror?.leftOut ?? []).filter { !databases.isPrivate($0) }.sorted()
    if !leftOut.isEmpty {
      let types = leftOut.joined(separator: ", ")
      warn("the mirror does not have the types \(types), so none of their records is found")
    }
    return (schema, relations, standIns)
  }
}
