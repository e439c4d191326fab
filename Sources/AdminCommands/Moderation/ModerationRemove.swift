internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import People
internal import Platform
internal import RecordChanges

/// The command `moderation remove`.
struct ModerationRemove: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Delete records, after the evidence is written into an encrypted file.",
    discussion: """
      The file has the records with their authors, the reports and the decisions, encrypted for the certificate; a file that \
      exists is not replaced. This makes a key and a certificate: openssl req -x509 -newkey rsa:3072 -nodes -keyout key.pem \
      -out cert.pem -days 365 -subj /CN=evidence. This opens the file: openssl cms -decrypt -inform PEM -in FILE -inkey \
      key.pem. A record that changes meanwhile stays. Only the record shows who its author is, so 'block' comes first. \
      Nothing restores what is deleted, so the named risk is data-loss.

      Example:
        celestra-admin moderation remove NAME --evidence case.cms --recipient cert.pem --yes --accept-risk data-loss
      """)

  @Argument(help: "The names of the records.") var names: [String]
  @Option(help: ArgumentHelp("The file for the encrypted evidence.", valueName: "file"), completion: .file())
  var evidence: String
  @Option(
    help: ArgumentHelp("The certificate for encryption, as PEM.", valueName: "cert.pem"),
    completion: .file(extensions: ["pem"]))
  var recipient: String
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationRemove>

  func validate() throws {
    try InputFile.requireNamed(evidence, "--evidence", because: "the result goes to standard output")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let certificate = try context.certificate(recipient)
    guard try FileKind(evidence) == .missing else {
      throw CommandFailure(
        "\(evidence) exists, and evidence replaces no file", code: "file-exists",
        hint: "Give another file with --evidence.")
    }
    return try await context.moderate(
      .remove(names), as: Self.title, arguments, deleting: .permanent
    ) { moderation, plan in
      let document = try await moderation.evidence(of: plan.removed, for: certificate, at: context.now)
      try PrivateFile.create(evidence, document)
      context.note("The evidence is in \(evidence).")
    }
  }
}
