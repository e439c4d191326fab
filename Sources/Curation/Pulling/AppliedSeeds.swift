package import Catalog
package import CloudKitModel
package import Diagnostics
internal import RecordChanges

/// The seeds that were applied last, with which files and container are compared to see who changed a value.
package struct AppliedSeeds: Sendable {
  private let last: LastSeedApply
  /// The revision that was given, or that the container remembers; `nil` if it is unknown.
  package var revision: String? { last.revision }
  package var exists: Bool { last.exists }
  /// `nil` if they are unknown: every difference is a conflict then.
  package private(set) var catalog: SeedCatalog?
  /// As of ``LastAgreement``.
  private var forkPoint: SeedCatalog??
  private var since: [SeedCatalog] = []
  private var branch: [SeedCatalog] = []
  /// Those of the last apply before it that is in the files' branch; `nil` unless they are needed.
  private var formerCatalog: SeedCatalog?
  /// The values that both sides had since.
  let values: AgreedValues
  /// The revisions that entries were applied with last that are not in the history of the files.
  package private(set) var otherBranches: Set<String> = []
  /// A revision of which a saved plan was applied after it and that the clone does not have.
  package private(set) var missing: String?
  /// Seeds after which only commits that the files' branch does not have were applied; `nil` if they are unknown.
  package var formerlyShared: SeedCatalog? { last.knowsFormer ? formerCatalog : nil }
  /// Whether the files are in a git repository that this run can read.
  private let isInGit: Bool
  package private(set) var unreadable: CommandFailure?

  /// Seeds that were applied as a whole.
  package init(_ catalog: SeedCatalog?, values: AgreedValues = AgreedValues()) {
    self.catalog = catalog
    self.values = values
    last = LastSeedApply(revision: nil)
    isInGit = true
  }

  /// The seeds of a revision: the given one, otherwise the one that the container remembers.
  ///
  /// Throws ``CommandFailure`` if the given revision has no seeds or cannot be read. If the remembered one cannot be read,
  /// ``unreadable`` says why.
  ///
  /// - Parameters:
  ///   - ownLines: as of ``AgreedValues/noteOwn(_:)``.
  ///   - catalog: the seeds of a revision, given the one that was applied before it; `nil` if it is unknown or its seeds have
  ///     errors.
  ///   - catalogBefore: the seeds of the last commit that the files' branch and a revision have in common, `.some(nil)` if it is
  ///     unknown; `nil` if the branch contains the revision.
  ///   - entriesAfter: the entries that the files, or the commits of a revision's branch, had since both histories parted.
  package init(
    since given: String? = nil, in container: any Container, ownLines: Set<String>, isInGit: Bool,
    catalog revisionCatalog: (_ revision: String, _ former: String?) async throws -> SeedCatalog?,
    before catalogBefore: (_ revision: String) async throws -> SeedCatalog??,
    after entriesAfter: (_ revision: String, _ ofRevision: Bool) async throws -> [SeedCatalog]
  ) async throws {
    let last = given == nil ? await LastSeedApply.remembered(in: container) : LastSeedApply(revision: given)
    self.last = last
    self.isInGit = isInGit
    var values = last.values
    values.noteOwn(ownLines)
    self.values = values
    func catalog(_ revision: String) async throws -> SeedCatalog? {
      try await revisionCatalog(revision, revision == last.revision ? last.formers.first : nil)
    }
    do {
      self.catalog = try await last.catalog(catalog)
      if given == nil, let revision, self.catalog != nil {
        // Until it is known.
        forkPoint = .some(nil)
        var parted: [String: SeedCatalog?] = [:]
        for applied in last.earlierRevisions.union([revision] + last.later).sorted() {
          guard let before = try await catalogBefore(applied) else { continue }
          parted.updateValue(before, forKey: applied)
          branch += try await entriesAfter(applied, true)
        }
        otherBranches = Set(parted.keys)
        for applied in last.later where missing == nil {
          if try await catalog(applied) == nil { missing = applied }
        }
        if !parted.isEmpty || values.haveOthers { since = try await entriesAfter(revision, false) }
        if parted.isEmpty {
          forkPoint = nil
        } else {
          forkPoint = .some(
            try await last.catalog { if let before = parted[$0] { before } else { try await catalog($0) } })
        }
      }
      if otherBranches.isEmpty, self.catalog == nil || values.haveOthers {
        for former in last.formers where formerCatalog == nil {
          if try await catalogBefore(former) == nil { formerCatalog = try await catalog(former) }
        }
      }
    } catch let failure as CommandFailure where given == nil {
      unreadable = failure
    }
    if let given, self.catalog == nil {
      throw CommandFailure(
        "the git revision '\(given)' has no seeds in this folder, or seeds with errors", code: "not-in-git",
        hint: isInGit ? "Name another with --base." : Self.noRepository)
    }
  }

  /// The seeds whose entries both had; none if they are unknown.
  var shared: [SeedCatalog] {
    guard let forkPoint else { return catalog.map { [$0] } ?? [] }
    return (forkPoint.map { [$0] } ?? []) + since
  }

  /// Why it is not known what files and container both had.
  package var unknown: String? {
    if let unreadable { return unreadable.messageWithHint }
    guard let commit = (missing ?? revision)?.prefix(12) else {
      return "the container does not remember what was applied"
    }
    if catalog == nil || missing != nil {
      return isInGit
        ? "this clone does not have the commit \(commit), which was applied last. Fetch and merge it first"
        : "the commit \(commit) was applied last. \(Self.noRepository)"
    }
    guard case .some(.none) = forkPoint else { return nil }
    return
      "this clone has no single last commit of both your branch and the commit \(commit), which was applied last. "
      + "Merge it first; in a shallow clone, run git fetch --unshallow"
  }

  private static let noRepository =
    "This folder is in no git repository that can be read here: use a clone that has the commit"

  package func agreement(in existing: ExistingCatalogRecords) -> LastAgreement {
    LastAgreement(
      catalog, forkPoint: forkPoint, since: since, branch: branch, former: formerCatalog,
      isPartial: missing != nil || !last.knowsFormer && catalog == nil, values, in: existing)
  }

  /// The revision that an entry was applied with last, if it is not in the history of the files.
  package func otherBranch(of key: String) -> String? {
    last.revision(of: key).flatMap { otherBranches.contains($0) ? $0 : nil }
  }

  /// That changes of a commit which is not in the files' branch are taken as the container's.
  func finding(ofOtherBranch revision: String) -> Diagnostic {
    Diagnostic(
      CurationRule.unknownBase,
      "\(applied(revision)) which is not in your branch: its changes are taken as the container's",
      help: "Merge it, or name another commit with --base.")
  }

  package func applied(_ revision: String) -> String {
    "\(revision == self.revision ? "the" : "some") seeds were last applied at commit \(revision.prefix(12)),"
  }

  /// What a comparison with these seeds does not know.
  var findings: [Diagnostic] {
    guard let applied = revision.map(self.applied) else { return [] }
    var findings: [Diagnostic] = []
    if catalog != nil, let unknown { findings.report(CurationRule.unknownBase, unknown) }
    if catalog == nil {
      let reason = unreadable.map { "whose seeds cannot be read: \($0.message)" }
      let missing = isInGit ? "which this git repository does not have" : "which cannot be read"
      findings.report(
        CurationRule.unknownBase, "\(applied) \(reason ?? missing)",
        help: isInGit ? "Fetch it, or name another commit with --base." : Self.noRepository)
    }
    return findings
  }
}
