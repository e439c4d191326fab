internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import People
internal import Platform
internal import RecordChanges

/// The command `person export`.
struct PersonExportCommand: AdminCommand {
  static let title = "person export"
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a person's records into a file that only this person can open.",
    discussion: """
      The file is a CMS envelope, encrypted for the person's certificate, with the mode 0600. It holds JSON: the records, \
      what they are about, and what was not searched. The terminal shows counts only. The person opens the file with:

        openssl cms -decrypt -inform PEM -in FILE -inkey KEY.pem

      Status 3 when a type could not be searched, and 4 when the key may not read one; the file says which. A file that \
      exists is replaced.

      Example: celestra-admin person export --person person.txt --recipient cert.pem --output export.cms
      """)

  @OptionGroup var options: PersonOptions
  @Option(
    help: ArgumentHelp("The person's certificate for encryption, as PEM.", valueName: "cert.pem"),
    completion: .file(extensions: ["pem"]))
  var recipient: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<PersonExportCommand>

  /// The file of `--output` holds the export, and the report goes to standard output.
  var common: SharedOptionValues {
    var values = shared.values
    values.output = nil
    return values
  }

  func validate() throws {
    guard let output = shared.output else {
      throw ValidationError("give --output FILE for the encrypted file")
    }
    try InputFile.requireNamed(output, "--output", because: "the counts go to standard output")
    try InputFile.requireNamed(recipient, "--recipient", because: "standard input may be the person's name")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let certificate = try RecipientCertificate(
      pem: InputFile.read(recipient), at: context.now.milliseconds / 1000)
    let person = try options.read()
    let handle = try await context.openContainer()
    let schema = try await context.schemaForJobs(handle)
    let export = PersonExport(
      of: person, in: handle.container, schema,
      references: ReferenceFields(CatalogReferences.all, in: schema), pseudonyms: options.pseudonyms)
    let (envelope, report) = try await export.run(for: certificate, at: context.now)
    try PrivateFile.replace(shared.output ?? "", envelope)
    return report
  }
}
