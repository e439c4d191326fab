internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedState
internal import RecordChanges
internal import SchemaLanguage

extension CommandContext {
  /// Plans the seeds of a folder against the container.
  ///
  /// - Parameters:
  ///   - planned: the file of the schema that is applied before the plan; `nil` for the container's own.
  ///   - isKept: whether the plan is applied or saved, and so needs its commit, for which git is started more often.
  func plannedSeeds(
    of directory: String, for planned: String? = nil, in container: RequestCountingContainer,
    _ handle: ContainerHandle, prunes: Bool, acceptsLoss: Bool = false, isKept: Bool
  ) async throws -> SeedPlan {
    let isCloud = try hasCloudFeeds
    if isCloud, planned != nil || prunes { throw Self.notForCloudFeeds(prunes: prunes) }
    if !isCloud { try noteOtherFeedType() }
    var schema: Schema?
    if let planned { schema = try await validSchema(in: planned).schema }
    let types = isCloud ? [CatalogRecordType.cloudFeed] : CatalogRecordType.seeded
    let planner = SeedPlanner(
      container: container, schema: try await handle.schema?.currentSchema(), planned: schema, prunes: prunes,
      acceptsLoss: acceptsLoss, recentlyCreated: try recentlyCreated(types, in: container))
    // Before the records: what is applied while they are read, the plan does not know.
    let basis = await LastSeedApply.basis(in: handle.container)
    async let existing: ExistingCatalogRecords? = isCloud ? nil : planner.existing()
    let seeds = SeedLoader(directory: directory).load()
    let catalog = try seeds.usableCatalog(prunes: prunes)
    let git = try await SeedFolderGitStatus(self, folder: directory, files: seeds.files)
    do {
      // Before the records are awaited, because reading a missing record type fails.
      if isCloud { try planner.checkCloudSchema() } else { try planner.checkSchema(catalog) }
      var plan: SeedPlan
      if var records = try await existing {
        plan = try await planner.plan(catalog, with: &records, at: now)
        if !plan.changes.isEmpty || plan.hasUnmentioned {
          try await markChanges(in: &plan, of: catalog, in: directory, records, in: handle.container, git)
        }
        plan.uncommittedFiles = git.uncommitted.count
      } else {
        let unstored = try await planner.unstoredCloudFields()
        noteUnused(catalog, unstored)
        plan = try await planner.cloudPlan(catalog, without: unstored)
      }
      if isKept || format == .json { plan.revision = try await git.revision }
      plan.basis = basis
      plan.seeds = git.planned(in: directory, from: process.directory)
      plan.findings = seeds.diagnostics
      return plan
    } catch let error as SeedSchemaCheckError {
      throw try failure(of: error, hint: planned.map { "Change \(InputFile.displayName($0))." })
    } catch let error as MissingFeedsFolderError {
      throw CommandFailure(
        error.description, code: "bad-seeds",
        hint:
          "Check the folder's name, in lower case. If the catalog is to have no feeds, make an empty folder feeds/.",
        diagnostics: seeds.diagnostics)
    }
  }

  /// What does not work with the profile celestra-cloud: to delete what no seed mentions, or to plan for another schema.
  private static func notForCloudFeeds(prunes: Bool) -> CommandFailure {
    CommandFailure(
      "\(prunes ? "--prune" : "--schema") does not work with the profile celestra-cloud",
      code: "not-available",
      hint: prunes
        ? "celestra-cloud adds feeds, too: delete one with 'records delete NAME'."
        : "Apply the schema first.",
      status: .usage)
  }

  /// A schema that lacks something, as a failure.
  ///
  /// - Parameter hint: what to do about a planned schema.
  func failure(of error: SeedSchemaCheckError, hint: String? = nil) throws -> CommandFailure {
    if !error.isPlanned, let advice = mirror?.advice(toCopy: error.gaps.map(\.recordType)) {
      return CommandFailure(error.description, code: "not-mirrored", hint: advice)
    }
    let apply =
      try environment == .development
      ? "Apply the schema first: celestra-admin schema apply FILE."
      : usesService
        ? "Deploy the schema first: 'celestra-admin schema apply FILE --environment production' prints how."
        : "Deploy the schema of development first: 'celestra-admin schema promote'."
    let remedy = try otherCatalogHint ?? apply
    return CommandFailure(
      error.description, code: "schema-mismatch", hint: error.isPlanned ? hint ?? apply : remedy)
  }

  /// What to do where the project keeps its feeds in another type than the catalog; `nil` where it does not. The catalog's
  /// schema in that container would not make its feeds those of the seeds.
  private var otherCatalogHint: String? {
    get throws {
      let type = try FeedRecordSettings.mapping(settings).recordType
      guard type != FeedRecordMapping.celestra.recordType else { return nil }
      if try hasCloudFeeds {
        return
          "The profile celestra-cloud needs the container of a CelestraCloud database, or a local one with its "
          + "schema, which 'celestra-admin schema export --container cloudkit:ID --output FILE' writes."
      }
      return
        "Seeds cannot write \(type). For a catalog from seeds use a container with schema/celestra.ckdb, and no setting "
        + "records.profile or records.feedType."
    }
  }

  /// Says what others lose or do not know when the plan is applied.
  func note(aboutApplying plan: SeedPlan) {
    guard !plan.pending.isEmpty else { return }
    let edits = plan.replacedEdits
    if !edits.isEmpty {
      let shown = listed(edits, upTo: 20)
      let what =
        plan.replaces(.unseen)
        ? "an apply of another clone or a change in the container may have set"
        : plan.replaces(.unknown)
          ? "is not known from an apply of these seeds" : "was changed in the container since the last apply"
      alert("note: this run replaces what \(what): \(shown)")
    }
    if plan.uncommittedFiles > 0 {
      note(
        "note: this run includes uncommitted changes of \(counted(plan.uncommittedFiles, "seed file")): commit them, or "
          + "the next apply from another clone takes them back")
    }
  }

  func confirm(_ plan: SeedPlan, _ options: MutationOptions) async throws {
    guard !plan.pending.isEmpty else { return }
    try await confirm(
      "\(plan.pending.question("Write")) in \(plan.target.inWords).",
      details: SeedChangelog(plan).body, deleting: plan.loss, risks: plan.riskNames,
      loss: plan.deletionSummary, options: options)
  }

  /// The records that runs of this state folder created a short time ago, which queries of a service may not show yet.
  func recentlyCreated(_ recordTypes: [String], in container: any Container) throws -> Set<String> {
    guard try usesService else { return [] }
    return try RunHistory.existing(in: stateDirectory)?
      .recentlyCreated(recordTypes, in: container.identity, now: now) ?? []
  }

  /// What the seeds of a folder are compared with: as the container remembers it, or the revision `base`.
  func appliedSeeds(
    since base: String? = nil, of directory: String, in container: any Container, _ git: SeedFolderGitStatus,
    _ current: SeedCatalog
  ) async throws -> AppliedSeeds {
    try await AppliedSeeds(
      since: base, in: container, ownLines: ownValues(ofSeeds: directory), isInGit: git.isInGit
    ) {
      try await git.catalog(at: $0, after: $1, current: current)
    } before: {
      try await git.catalogBefore($0, current: current)
    } after: {
      try await git.entriesAfter($0, ofRevision: $1)
    }
  }

  private func markChanges(
    in plan: inout SeedPlan, of current: SeedCatalog, in directory: String, _ records: ExistingCatalogRecords,
    in container: any Container, _ git: SeedFolderGitStatus
  ) async throws {
    let last = try await appliedSeeds(of: directory, in: container, git, current)
    let agreement = last.agreement(in: records)
    plan.markChanges(since: agreement, isInGit: git.isInGit, in: records)
    var isUnknown = plan.replaces(.unseen)
    if last.revision == nil {
      plan.origins = plan.origins.mapValues { fields in fields.filter { $0.value != .unseen } }
    }
    // They may have been committed since. If a commit cannot be read, the marks stay. Where it is not known what was applied
    // last, that may be an earlier value again; the value of HEAD is the latest one that is known.
    let isMissing = last.revision != nil && (last.catalog == nil || last.missing != nil)
    var earlier: [SeedCatalog] = []
    for generation in 0..<(isMissing ? 1 : 10)
    where !plan.deletedFeeds.isEmpty || plan.replaces(.uncommitted) || plan.replaces(.unseen) {
      guard let seeds = try await committed("HEAD~\(generation)", git, current) else { break }
      earlier.append(seeds)
      plan.unmarkCommitted(in: seeds, records)
    }
    for revision in Set(plan.takenBack(agreement).compactMap(last.otherBranch(of:))).sorted() {
      let advice = "Merge it first, or this takes back what it changed"
      warn("\(last.applied(revision)) which is not in your branch. \(advice)")
    }
    if !plan.deletedFeeds.isEmpty { try await plan.note(formerly: earlier, records, in: container) }
    guard last.exists, let unknown = last.unknown else { return }
    if !isUnknown, last.revision != nil, last.otherBranches.isEmpty {
      var known = last.formerlyShared
      if known == nil { known = try await committed("HEAD", git, current) }
      isUnknown = plan.mayTakeBack(changesSince: known, records)
    }
    guard isUnknown else { return }
    // The plan is the same; it only does not say which change is whose.
    warn("it is not known what was changed in the container since the last apply: \(unknown)")
  }

  /// The seeds of a commit; `nil` without it, and with a note where they cannot be read.
  private func committed(
    _ revision: String, _ git: SeedFolderGitStatus, _ current: SeedCatalog
  ) async throws -> SeedCatalog? {
    do { return try await git.catalog(at: revision, current: current) } catch let failure as CommandFailure {
      noteOnce("note: the plan may not say who made a change: \(failure.message)")
      return nil
    }
  }

  /// What the nearest seed folder says about records that are deleted, a line each, by record name. It is the folder of another
  /// container where none of its slugs are those of the records.
  func seedLines(about deletions: [RecordChange]) -> [String: [String]] {
    let catalog = deletions.compactMap { change in
      SeedKind(recordType: change.recordType).map { (change, $0) }
    }
    guard !catalog.isEmpty, let folder = SeedFolder.nearest(to: process.directory) else { return [:] }
    let isHere = folder == "\(process.directory)/\(SeedFolder.name)"
    let places = SeedPlaces(SeedLoader(directory: isHere ? SeedFolder.name : folder).load().files)
    return catalog.reduce(into: [:]) { lines, item in
      let (change, kind) = item
      let found = places.places(of: change.label ?? change.recordName, kind)
      lines[change.recordName] = found.map {
        $0.isDeclaration
          ? "\($0.text) declares it, and the next 'seed apply' makes it again" : "\($0.text) names it"
      }
    }
  }

  /// The catalog of the nearest seed folder, to compare with; empty, with a note, if it cannot be read.
  func nearestCatalog() -> (SeedCatalog, [Diagnostic]) {
    guard let folder = SeedFolder.nearest(to: process.directory) else { return (SeedCatalog(), []) }
    if let catalog = SeedLoader(directory: folder).load().catalog { return (catalog, []) }
    let note = Diagnostic(
      SeedRule.unreadable, "the seeds in \(folder) have errors, so nothing was compared with them",
      severity: .note, help: "Run 'celestra-admin seed validate' to see them.")
    return (SeedCatalog(), [note])
  }

  /// Reads a saved plan. Throws if the container's records have changed since, or if its schema lacks what the plan
  /// writes.
  func plannedSeeds(savedAt path: String, in container: RequestCountingContainer, _ handle: ContainerHandle)
    async throws -> SeedPlan
  {
    if try !hasCloudFeeds { try noteOtherFeedType() }
    let file = try savedPlan(path, for: container.identity)
    if let schema = try await handle.schema?.currentSchema() {
      do { try SeedSchemaCheck.check(schema, for: file) } catch { throw try failure(of: error) }
    }
    let comparison = try await file.compared(
      with: container, references: CatalogReferences.betweenSeeds, unique: CatalogUniqueFields.all,
      retirement: CatalogReferences.retirement)
    try require(unmoved: comparison.drift.map { "\($0.change.label ?? $0.change.recordName): \($0.reason)" })
    var plan = try await SeedPlan(saved: file, in: container)
    plan.done = comparison.done
    if let commit = await LastSeedApply.remembered(in: handle.container).unknownCommit(to: plan) {
      warn(
        "the seeds were applied from the commit \(commit.prefix(12)) after this plan was made. What that changed stays. "
          + "Merge it before the next plan, unless your branch has it")
    }
    if !plan.pending.isEmpty, let seeds = plan.seeds {
      plan.uncommittedFiles = try await SeedFolderGitStatus.uncommitted(seeds, self)
    }
    try require(unmoved: plan.gainedReaders(since: file))
    return plan
  }

  /// Reads a saved plan. Throws if it was made by another command or for another container.
  private func savedPlan(_ path: String, for target: ContainerIdentity) throws -> PlanFile {
    let file: PlanFile
    do {
      file = try PlanFile(parsing: InputFile.read(path))
    } catch let error as FileFormError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
    guard file.command == "seed" else {
      throw CommandFailure(
        "the plan was made by '\(file.command) plan'; this command applies plans of 'seed plan'",
        code: "bad-plan")
    }
    try file.target.requirePlanTarget(target)
    return file
  }

  /// Throws if anything that a saved plan depends on has changed.
  ///
  /// - Parameter changes: each as a sentence that begins with the record.
  private func require(unmoved changes: [String]) throws {
    guard !changes.isEmpty else { return }
    throw CommandFailure(
      "the plan is out of date: these records changed since; nothing was written",
      details: Array(changes.prefix(5)),
      code: "plan-moved", hint: "Make the plan again and review it.")
  }

  /// Whether the feeds are records of the type Feed, as celestra-cloud writes them. Seeds do not write the readers, so a
  /// project may keep them in another field.
  var hasCloudFeeds: Bool {
    get throws {
      var mapping = try FeedRecordSettings.mapping(settings)
      mapping.subscriberCount = FeedRecordMapping.celestraCloud.subscriberCount
      return mapping == .celestraCloud
    }
  }

  private func noteUnused(_ catalog: SeedCatalog, _ unstored: [String]) {
    if !catalog.collections.isEmpty {
      note(
        "note: celestra-cloud has no collections, so \(counted(catalog.collections.count, "collection")) of the seeds cannot be written"
      )
    }
    if !unstored.isEmpty {
      note(
        "note: the type Feed of this container has no \(unstored.joined(separator: ", ")); these are not written"
      )
    }
  }
}
