internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import People
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

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
    let (schema, relations, standIns) = try await context.personSearch(in: handle)
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
      relations: relations, subjects: try subjects(in: schema, relations, context))
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
