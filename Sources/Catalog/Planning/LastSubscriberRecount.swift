import CloudKitModel

/// Reads the time of the last subscriber recount from the job's lease record
/// (Documentation/reference/catalog.md#what-jobs-remember).
enum LastSubscriberRecount {
  /// `nil` if unknown, for example with an older schema or a key that may not read the record.
  static func date(in container: some Container) async -> Timestamp? {
    let found = try? await container.lookupAll(["lease-recount-subscribers"], desiredKeys: ["finishedAt"])
    guard case .timestamp(let date)? = found?.first?.record?["finishedAt"] else { return nil }
    return date
  }
}
