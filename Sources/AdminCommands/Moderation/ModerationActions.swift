internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import People
internal import Platform
internal import RecordChanges

struct ModerationArguments: ParsableArguments, Sendable {
  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @Option("Why, for the decision. Only moderators can read it; name no person.", value: "text")
  var reason: String?
}

struct ModerationHide: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide", abstract: "Hide records, and decide the reports about them.",
    discussion: """
      Writes 1 into the field that hides the record, and a decision that 'restore' takes back. A record that is hidden \
      stays hidden: 'moderation sweep' hides it again after its author showed it.

      Example: celestra-admin moderation hide NAME --reason "insults"
      """)

  @Argument(help: "The names of the records.") var names: [String]
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationHide>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.hide(names), as: Self.title, arguments)
  }
}

struct ModerationRestore: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Show records again that a moderator hid.",
    discussion: """
      Gives the field that hides the record the value that it had before the decision. The reports stay decided. A record of \
      a blocked author is shown, too, while the author stays blocked.

      Example: celestra-admin moderation restore NAME
      """)

  @Argument(help: "The names of the records.") var names: [String]
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationRestore>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.restore(names), as: Self.title, arguments)
  }
}

struct ModerationDecide: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide", abstract: "Decide reports without changing the reported records.",
    discussion: """
      All open reports about one record are decided at once. Use upheld when the report was right and the record is \
      already gone or changed, and dismissed when it was wrong. 'hide', 'remove' and 'block' decide the reports themselves. \
      A report's name means the open reports about it: upheld says that it was abusive, and closes it, too. Without reports \
      about it, the name means its own complaint; the output says which was decided. With open, the reports that the last \
      decision about a record closed wait again; a hide or a block is taken back first.

      Example: celestra-admin moderation decide NAME --as dismissed
      """)

  @Argument(help: "The names of reports or reported records; with open also of blocks.") var names: [String]
  @Option(
    name: .customLong("as"), help: ArgumentHelp("Whether the reports were right.", valueName: "outcome"))
  var outcome: ModerationAction.Outcome
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationDecide>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.decide(names, as: outcome), as: Self.title, arguments)
  }
}

extension ModerationAction.Outcome: ExpressibleByArgument {}

struct ModerationBlock: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Block the author of a record.",
    discussion: """
      Hides everything that the author made in all declared types, ends the author's sessions, decides the reports about \
      these records, and writes a BlockedUser record, by which the author's app finds out. The name of the record stands for \
      the person; a report stands for its author, and still waits. What cannot be hidden is listed with the command that \
      removes it. 'moderation sweep' hides what the author writes afterwards, and completes a block that was interrupted; \
      'unblock' takes all of it back.

      Example: celestra-admin moderation block NAME --reason "spam"
      """)

  @Argument(help: "The name of a record of the author.") var name: String
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationBlock>

  func perform(in context: CommandContext) async throws -> any Report {
    try context.noteUsualContainerID()
    return try await context.moderate(.block(name), as: Self.title, arguments)
  }
}

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
  @Option("The file for the encrypted evidence.", value: "file", completion: .file()) var evidence: String
  @Option(
    "The certificate for encryption, as PEM.", value: "cert.pem", completion: .file(extensions: ["pem"]))
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
    let report = try await context.moderate(
      .remove(names), as: Self.title, arguments, deleting: .permanent
    ) { moderation, plan in
      let document = try await moderation.evidence(of: plan.removed, for: certificate, at: context.now)
      try PrivateFile.create(evidence, document)
      context.note("The evidence is in \(evidence).")
    }
    if (report as? ModerationResult)?.removedNothing == true, try FileKind(evidence) != .missing {
      try PrivateFile.removeIfPresent(evidence)
      context.note("Nothing was removed, so \(evidence) was deleted.")
    }
    return report
  }
}
