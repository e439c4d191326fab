internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedState
internal import RecordChanges

extension CommandContext {
  /// Whether the feeds are records of the type Feed, as celestra-cloud writes them. Seeds do not write the readers, so a
  /// project may keep them in another field.
  var hasCloudFeeds: Bool {
    get throws {
      var mapping = try FeedRecordSettings.mapping(settings)
      mapping.subscriberCount = FeedRecordMapping.celestraCloud.subscriberCount
      return mapping == .celestraCloud
    }
  }

  /// Plans the feeds of a seed folder against a database of celestra-cloud.
  ///
  /// - Parameter refusing: whether a schema to plan for was given, and whether to delete what no seed mentions: neither
  ///   works with this profile.
  func plannedCloudSeeds(
    of directory: String, in container: RequestCountingContainer, _ handle: ContainerHandle,
    acceptsLoss: Bool, refusing options: (schema: Bool, prune: Bool)
  ) async throws -> SeedPlan {
    guard !options.schema, !options.prune else {
      throw CommandFailure(
        "\(options.prune ? "--prune" : "--schema") does not work with the profile celestra-cloud",
        code: "not-available",
        hint: options.prune
          ? "celestra-cloud adds feeds, too: delete one with 'records delete NAME'."
          : "Apply the schema first.",
        status: .usage)
    }
    let planner = CloudSeedPlanner(
      container: container, schema: try await handle.schema?.currentSchema(), acceptsLoss: acceptsLoss,
      recentlyCreated: try recentlyCreated([CatalogRecordType.cloudFeed], in: container))
    let seeds = try await loadedSeeds(directory)
    let catalog = try seeds.usableCatalog(prunes: false)
    let git = try await SeedFolderGitStatus(self, folder: directory, files: seeds.files)
    do { try planner.checkSchema() } catch { throw try failure(of: error) }
    let unstored = try await planner.unstoredFields()
    noteUnused(catalog, unstored)
    var plan = try await planner.plan(catalog, without: unstored)
    plan.revision = git.revision
    plan.findings = seeds.diagnostics
    return plan
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
