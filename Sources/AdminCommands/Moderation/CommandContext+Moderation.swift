internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import People
internal import RecordChanges
internal import SchemaLanguage

extension CommandContext {
  /// The project's declaration of what is moderated; without one, that of the bundled schema of live sessions.
  func moderationDeclaration() throws -> ModerationDeclaration {
    let configured = try settings[.moderation]
    let fallback = projectPath("moderation.json")
    guard configured != nil || FileManager.default.fileExists(atPath: fallback) else {
      return try ModerationDeclaration(
        builtIn: SourceText(name: "moderation.json", bytes: PackageResources.moderation_json),
        missing: fallback.hasPrefix("/")
          ? fallback : "\(FileManager.default.currentDirectoryPath)/\(fallback)".replacing("//", with: "/"))
    }
    return try ModerationDeclaration(validating: InputFile.source(configured ?? fallback))
  }

  /// Moderation of a container. Throws ``CommandFailure`` with what its schema lacks.
  func moderation(of handle: ContainerHandle) async throws -> Moderation {
    let declaration = try moderationDeclaration()
    return try Moderation(
      declaration, in: handle.container, await schemaForJobs(handle), containerID: appContainerID)
  }

  /// The id by which apps know the container: that of a local container is configured, or the emulator's usual one.
  var appContainerID: String {
    get throws {
      if case .cloudKit(let id) = try location { return id }
      return try settings[.cloudKitContainer] ?? EmulatorArguments.demoContainer
    }
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
    let moderation = try await moderation(of: runner.handle)
    let job = WritingJob(title, kind: .job, lease: .moderation, knowsTotal: false)
    return try await runner.run(job, schema: moderation.schema) { writer in
      let plan = try await moderation.namingRole {
        try await moderation.plan(action, reason: arguments.reason, id: makeRunID())
      }
      guard let writer else { return try await moderation.preview(plan) }
      var isShown = false
      var changed: [String] = []
      if !plan.isEmpty {
        let preview = try await moderation.preview(plan, wholly: !mutation.yes)
        isShown = try await confirm(
          "Do this in \(target.name) (\(target.environment.rawValue)).", details: preview.changes,
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

struct ModerationArguments: ParsableArguments, Sendable {
  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Option("Why, for the decision. Only moderators can read it; name no person.", value: "text")
  var reason: String?
}
