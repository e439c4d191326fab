import CloudKitModel

/// When the subscribers were counted, as the job's lease record remembers it
/// (Documentation/reference/catalog.md#what-jobs-remember).
enum LastRecount {
  /// `nil` when no record says, as in a container with an older schema or for a key that may not read it.
  static func date(in container: some Container) async -> Timestamp? {
    let found = try? await container.lookupAll(["lease-recount-subscribers"], desiredKeys: ["finishedAt"])
    guard case .timestamp(let date)? = found?.first?.record?["finishedAt"] else { return nil }
    return date
  }
}
