package import Catalog
package import CloudKitModel
package import Diagnostics

/// The seeds that were applied last, with which files and container are compared to see who changed a value.
package struct AppliedSeeds: Sendable {
  /// The revision that was given, or that the container remembers; `nil` if it is unknown.
  package let revision: String?
  /// Whether seeds were applied at all, as far as the container says.
  package let exists: Bool
  /// `nil` if they are unknown: every difference is a conflict then.
  private(set) var catalog: SeedCatalog?
  /// As of ``LastAgreement``.
  private(set) var forkPoint: SeedCatalog?
  /// The values that both sides had since.
  let values: AgreedValues
  /// Why the seeds of the revision cannot be read.
  package private(set) var unreadable: CommandFailure?

  /// Seeds that were applied as a whole.
  package init(_ catalog: SeedCatalog?, values: AgreedValues = AgreedValues()) {
    self.catalog = catalog
    self.values = values
    revision = nil
    exists = catalog != nil
  }

  /// The seeds of a revision: the given one, otherwise the one that the container remembers.
  ///
  /// Throws ``CommandFailure`` if the given revision has no seeds or cannot be read. If the remembered one cannot be read,
  /// ``unreadable`` says why.
  ///
  /// - Parameters:
  ///   - catalog: the seeds of a revision; `nil` if it is unknown or its seeds have errors.
  ///   - catalogBefore: the seeds of the last commit that the files and a revision have in common; `nil` if the files have it.
  package init(
    since given: String? = nil, in container: any Container,
    catalog: (_ revision: String) async throws -> SeedCatalog?,
    before catalogBefore: (_ revision: String) async throws -> SeedCatalog?
  ) async throws {
    let last =
      given == nil ? await LastSeedApply.remembered(in: container) : LastSeedApply(revision: given)
    revision = last.revision
    exists = last.exists
    values = last.values
    do {
      self.catalog = try await last.catalog(catalog)
      if given == nil, let revision { forkPoint = try await catalogBefore(revision) }
    } catch let failure as CommandFailure where given == nil {
      unreadable = failure
    }
    if let given, self.catalog == nil {
      throw CommandFailure(
        "the git revision '\(given)' has no seeds in this folder", code: "not-in-git",
        hint: "Fetch the commit, or name another with --base.")
    }
  }

  /// Whether the revision is not in the history of the files.
  package var isOfOtherBranch: Bool { forkPoint != nil }

  package func agreement(in existing: ExistingCatalogRecords) -> LastAgreement {
    LastAgreement(catalog, forkPoint: forkPoint, values, in: existing)
  }

  /// What a comparison with these seeds does not know, or takes for a change of the container.
  var findings: [Diagnostic] {
    guard let revision else { return [] }
    let applied = "the seeds were last applied at commit \(revision.prefix(12)),"
    var findings: [Diagnostic] = []
    if isOfOtherBranch {
      findings.append(
        Diagnostic(
          CurationRule.unknownBase,
          "\(applied) which is not in your branch: its changes are taken as the container's",
          help: "Merge it, or name another commit with --base."))
    }
    if catalog == nil {
      let reason = unreadable.map { "whose seeds cannot be read: \($0.message)" }
      findings.append(
        Diagnostic(
          CurationRule.unknownBase, "\(applied) \(reason ?? "which this git repository does not have")",
          help: "Fetch it, or name another commit with --base."))
    }
    return findings
  }
}
