internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import LocalContainer
internal import People
internal import Platform
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
    let (schema, relations, _, lacks) = try await context.personSearch(in: handle)
    let plan = try await PersonSearchPlan(
      of: handle.container, schema, references: ReferenceFields(CatalogReferences.all, in: schema),
      relations: relations, lacks: lacks)
    return plan.report(in: handle.container.identity, try context.mirrorsOfPersons(in: handle))
  }
}

extension CommandContext {
  /// The mirrors of the container that this machine made. Throws `FileFailure`.
  func mirrorsOfPersons(in handle: ContainerHandle) throws -> [KnownMirror] {
    try knownMirrors(of: handle.container.identity).map { ($0.path, $0.types) }
  }

  /// What every search for a person needs: the schema without the types of a private database, as the project file names them;
  /// its relations, which say which fields name a person; and of a mirror, what can stand for a name, and what it lacks.
  /// Throws ``CommandFailure`` for settings that are not valid, because all must be searched, and `ContainerFailure` where no
  /// person can be found.
  func personSearch(in handle: ContainerHandle) async throws
    -> (
      schema: Schema, relations: [DeclaredRelation], standIns: (@Sendable (String) -> [String])?,
      lacks: [String: String]
    )
  {
    let standIns = try handle.local?.store.standInsOfPersons()
    let databases = try validLintConfiguration().databases
    var schema = try await schemaForJobs(handle)
    let relations = try relations(in: [schema.parsed])
    schema.recordTypes.removeAll { databases.isPrivate($0.name) }
    let lacks = try handle.local?.store.mirror.map(lacksOfUsers)?.filter { !databases.isPrivate($0.key) }
    return (schema, relations, standIns, lacks ?? [:])
  }

  /// What a mirror lacks of the types that users may write: without chosen types it leaves out no other. With them the schemas
  /// at hand say which are, and a type that none of them has may be one.
  private func lacksOfUsers(_ mark: MirrorMark) throws -> [String: String] {
    guard mark.hasChosenTypes, !mark.lacks.isEmpty else { return mark.lacks }
    let schemas = try (otherSchemas(than: []) ?? []).map(\.schema) + BundledSchema.parsed()
    return mark.lacks.filter { name, _ in
      let types = schemas.compactMap { $0[recordType: name] }
      return types.isEmpty || types.contains { $0.isMadeByUsers }
    }
  }
}

struct PersonExportCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a person's records into a file, encrypted for this person.",
    discussion: """
      The file is a CMS envelope, encrypted for the person's certificate, with the mode 0600. It holds JSON: the records, \
      what they are about, and what was not searched. The terminal shows counts only. The person opens the file with:

        openssl cms -decrypt -inform PEM -in FILE -inkey KEY.pem

      Without a certificate the file is JSON that everyone can read who gets it: a risk with the name person-disclosure. \
      Status 3 when a type could not be searched; the file says which. A file that exists is replaced.

      Example: celestra-admin person export --person person.txt --recipient cert.pem --output export.cms
      """)

  @OptionGroup var options: PersonOptions
  @Option(
    "The person's certificate for encryption, as PEM.", value: "cert.pem",
    completion: .file(extensions: ["pem"]))
  var recipient: String?
  @Option(
    "Without --recipient: accept the risk person-disclosure, and write the file without encryption.",
    value: "name", completion: .list([Self.disclosure]))
  var acceptRisk: [String] = []
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<PersonExportCommand>

  private static let disclosure = "person-disclosure"

  /// The file of `--output` holds the export, and the report goes to standard output.
  var common: SharedOptionValues { shared.values.withoutOutput }
  var resultFiles: [String] { [shared.output].compactMap(\.self) }

  func validate() throws {
    guard let output = shared.output else {
      throw ValidationError("give --output FILE for the person's records")
    }
    try InputFile.requireNamed(output, "--output", because: "the counts go to standard output")
    try InputFile.requireNamed(recipient, "--recipient", because: "standard input may be the person's name")
    guard acceptRisk.allSatisfy({ $0 == Self.disclosure }) else {
      throw ValidationError("--accept-risk takes \(Self.disclosure) here")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let certificate = try recipient.map(context.certificate)
    var person = try options.read()
    let handle = try await context.openContainer(ownRecords: .shown)
    let (schema, relations, standIns, lacks) = try await context.personSearch(in: handle)
    person.standIns = standIns
    guard recipient != nil || acceptRisk.contains(Self.disclosure) else {
      throw CommandFailure(
        "without a certificate the file can be read by everyone who gets it, a risk that was not accepted: "
          + Self.disclosure,
        code: "risk-not-accepted",
        hint: "Add --recipient CERT.pem, or --accept-risk \(Self.disclosure).")
    }
    let export = PersonExport(
      of: person, in: handle.container, schema,
      references: ReferenceFields(CatalogReferences.all, in: schema), pseudonyms: options.pseudonyms,
      relations: relations, subjects: try subjects(in: schema, relations, context), lacks: lacks)
    let (document, report) = try await export.run(
      for: certificate, at: context.now, try context.mirrorsOfPersons(in: handle))
    try PrivateFile.replace(shared.output ?? "", document)
    return report
  }

  /// The fields that refer to records by the project's settings, the comments and names of its schemas, and moderation.json.
  private func subjects(
    in schema: Schema, _ relations: [DeclaredRelation], _ context: CommandContext
  ) throws -> [ReferenceField] {
    let schemas = [schema.parsed] + (context.otherSchemas(than: []) ?? [])
    return try context.moderationDeclaration().subjects
      + schemas.flatMap { $0.relations(relations) }
      .map { ReferenceField($0.type, $0.field, .name, to: [$0.target]) }
  }
}

extension CommandContext {
  /// The certificate in a file, for which a file of personal data is encrypted. Throws `CertificateError`, also for one that
  /// does not hold at present.
  func certificate(_ path: String) throws -> RecipientCertificate {
    guard try path == "-" || FileKind(path) != .missing else {
      throw CommandFailure(
        "there is no certificate \(path)", code: "no-certificate",
        hint:
          "This makes one, and its key: openssl req -x509 -newkey rsa:3072 -nodes -keyout key.pem -out \(path.shellWord) -days 365 -subj /CN=recipient"
      )
    }
    return try RecipientCertificate(pem: InputFile.read(path), at: now.milliseconds / 1000)
  }
}

struct PersonEraseCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase", abstract: "Delete a person's records from the public database.",
    discussion: """
      Deletes what the person created, what is named after the person, and what names the person in a field; then waits \
      for records.settle and looks again. The history keeps counts only, so it cannot be undone, and the named risk is data-loss. A run that is stopped is \
      finished by running the command again. Counts are not recomputed: numbers that fall together would show what this \
      person read; the next scheduled recount publishes them. A block of the person stays.

      Status 5 while records are left, or kept with a value that may be another name of the person, and 3 when a type could \
      not be searched, as when the key may not read it.

      Example: celestra-admin person erase --person person.txt --dry-run
      """)

  @OptionGroup var job: JobOptions
  @OptionGroup var options: PersonOptions
  @Flag(
    help: """
      Keep sessions that the person hosts, with the messages of others, and only clear the fields that name the person. \
      The person stays their creator. Sessions are what moderation.json names as a thread's record type.
      """)
  var keepSessions = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<PersonEraseCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    var person = try options.read()
    let handle = try await context.openContainer(writing: !mutation.dryRun, ownRecords: .shown)
    let runner = JobRunner(context, handle, writing: !mutation.dryRun, lease: lease)
    let (schema, relations, standIns, lacks) = try await context.personSearch(in: handle)
    person.standIns = standIns
    let erasure = try erasure(of: person, runner.container, schema, relations, lacks, context)
    let job = WritingJob(Self.title, kind: .job, lease: LeaseName(Self.title))
    return try await runner.run(job, schema: schema) { writer in
      var plan = try await erasure.plan()
      plan.mirrors = try context.mirrorsOfPersons(in: handle)
      guard let writer else { return plan }
      if plan.foundCount > 0 {
        let cleared = plan.clearedFields.map { ", and clear \($0)" } ?? ""
        try await context.confirm(
          "Erase \(counted(plan.erasableCount, "record")) of this person from \(context.target.inWords)\(cleared). This cannot be undone.",
          details: plan.body, deleting: .permanent, options: mutation)
      }
      return try await erasure.apply(plan, through: writer)
    }
  }

  private func erasure(
    of person: Person, _ container: any Container, _ schema: Schema,
    _ relations: [DeclaredRelation], _ lacks: [String: String], _ context: CommandContext
  ) throws -> PersonErasure {
    var options = PersonErasure.Options()
    options.pseudonyms = self.options.pseudonyms
    (options.relations, options.lacks) = (relations, lacks)
    if keepSessions { options.sessions = try context.moderationDeclaration() }
    options.isByUser =
      try context.settings.lookup(.cloudKitKeyID, .cloudKitAPIToken)?.key == .cloudKitAPIToken
    options.settle = try context.settleTime()
    return PersonErasure(
      of: person, in: container, schema, references: ReferenceFields(CatalogReferences.all, in: schema),
      options: options
    ) { duration in
      let wait = Wait(
        "waiting for the indexes", detail: "waiting until the indexes show what was deleted", pause: duration,
        next: "looking again")
      try await context.waits.during(wait) { try await context.process.wait(duration) }
    }
  }
}
