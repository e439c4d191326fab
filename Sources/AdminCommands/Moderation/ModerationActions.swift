internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import Platform
internal import RecordChanges

struct ModerationArguments: ParsableArguments, Sendable {
  @OptionGroup var job: JobOptions
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

struct ModerationUnblock: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock", abstract: "Take back a block, with all that it hid.",
    discussion: """
      Gives each record that the block hid the values that it had before, and deletes the BlockedUser record. Records that \
      were hidden by a decision of their own stay hidden. Who left when 'sessions close' ended a session must join again.

      Example: celestra-admin moderation unblock 20261128T090000-9f3a1c-1
      """)

  @Argument(help: "The id of the decision to block, as 'block' and 'show' print it.") var decision: String
  @OptionGroup var arguments: ModerationArguments
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ModerationUnblock>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.moderate(.unblock(decision), as: Self.title, arguments)
  }
}

extension CommandContext {
  /// The project's declaration of what is moderated; without one, that of the bundled schema of live sessions.
  func moderationDeclaration() throws -> ModerationDeclaration {
    let (source, path) = try projectFile(.moderation)
    if let source { return try ModerationDeclaration(validating: source) }
    return try ModerationDeclaration(
      builtIn: SourceText(name: "moderation.json", bytes: PackageResources.moderation_json), missing: path)
  }

  /// Moderation of a container. Throws ``CommandFailure`` with what its schema lacks, and prints warnings about what
  /// moderation works without.
  ///
  /// - Parameter needed: the types that the command reads beside reports: a mirror, to which nothing is written, may lack
  ///   the others.
  func moderation(of handle: ContainerHandle, reading needed: [String]? = nil) async throws -> Moderation {
    var declaration = try moderationDeclaration()
    if let needed, let mirror {
      let schema = try await schemaForJobs(handle)
      let declared = declaration.types.map(\.recordType)
      let missing = declaration.narrow(to: schema, needing: needed)
      let left = declared.filter { declaration[recordType: $0] == nil }
      guard missing.isEmpty else {
        throw CommandFailure(
          "the mirror does not have \(missing.joined(separator: " and ")) records", code: "not-mirrored",
          hint: mirror.advice(toCopy: missing))
      }
      if !left.isEmpty {
        let advice = mirror.advice(toCopy: left).map { ". \($0)" } ?? ""
        note("note: reports about \(left.joined(separator: ", ")) show no record\(advice)")
      }
      return Moderation(reading: declaration, in: handle.container, schema, containerID: try appContainerID)
    }
    return try Moderation(
      declaration, in: handle.container, await schemaForJobs(handle), containerID: appContainerID,
      warn: show(warnings:))
  }

  /// The id by which apps know the container: that of a local container is configured, or the emulator's usual one.
  var appContainerID: String {
    get throws {
      try location.cloudKitID ?? settings[.cloudKitContainer] ?? EmulatorArguments.demoContainer
    }
  }

  /// Says that apps with another id than the usual one find no block that is made now in a local container, unless an id
  /// is configured.
  func noteUsualContainerID() throws {
    guard try !usesService, try settings.lookup(.cloudKitContainer) == nil else { return }
    note(
      "note: only apps that know this container as \(EmulatorArguments.demoContainer) find a block; set CLOUDKIT_CONTAINER_ID for another id"
    )
  }

  /// Plans an action under the lease of moderation, asks, and carries it out.
  ///
  /// - Parameter prepare: called before the first change is written.
  func moderate(
    _ action: ModerationAction, as title: String, _ arguments: ModerationArguments,
    deleting deletion: DeletionLoss = .none,
    prepare: (Moderation, ModerationPlan) async throws -> Void = { _, _ in }
  ) async throws -> any Report {
    let mutation = arguments.job.mutation
    let runner = try await JobRunner(self, writing: !mutation.dryRun, lease: arguments.job.lease)
    let base = try await moderation(of: runner.handle)
    let job = WritingJob(title, kind: .job, lease: .moderation, knowsTotal: false)
    return try await runner.run(job, schema: base.schema) { writer in
      let (moderation, plan) = try await base.namingRole {
        let moderation = try await base.findingLastDecisions()
        let id = writer?.runID ?? makeRunID()
        return (moderation, try await moderation.plan(action, reason: arguments.reason, id: id))
      }
      guard let writer else { return try await moderation.preview(plan) }
      var isShown = false
      var changed: [String] = []
      if !plan.isEmpty {
        let preview = try await moderation.preview(plan, wholly: !mutation.yes)
        isShown = try await confirm(
          "Do this in \(target.inWords).", details: preview.changes,
          deleting: deletion, options: mutation)
        if isShown { changed = try await moderation.changedMeanwhile(plan) }
        try await prepare(moderation, plan)
      }
      var result = try await moderation.carryOut(plan, through: writer)
      result.isShown = isShown
      result.noteChanged(changed)
      return result
    }
  }
}
