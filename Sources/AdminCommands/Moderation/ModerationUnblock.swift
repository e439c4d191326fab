internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

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

  /// Says that apps with another id than the usual one find no block that is made now, unless an id is configured.
  func noteUsualContainerID() throws {
    let (named, id) = try (settings.lookup(.cloudKitContainer), appContainerID)
    guard named == nil, id == EmulatorArguments.demoContainer else { return }
    note(
      "note: only apps that know this container as \(id) find a block; set CLOUDKIT_CONTAINER_ID for another id"
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
    let mutation = arguments.mutation
    let runner = try await JobRunner(self, writing: !mutation.dryRun, lease: arguments.lease)
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
