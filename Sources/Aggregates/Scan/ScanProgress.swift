/// Collects the results of the queries of a scan, and saves them to the checkpoint file while the scan runs.
actor ScanProgress {
  private(set) var checkpoint: ScanCheckpoint
  private let operation: AggregateDeclaration.Operation
  private let file: ScanCheckpointFile?
  /// Called after each page with the number of pages read. Throws when the run must end.
  private let onPage: @Sendable (_ pages: Int) async throws -> Void
  private let pagesBetweenSaves: Int
  private var pages = 0

  init(
    _ checkpoint: ScanCheckpoint, _ operation: AggregateDeclaration.Operation, file: ScanCheckpointFile?,
    onPage: @escaping @Sendable (_ pages: Int) async throws -> Void
  ) {
    self.checkpoint = checkpoint
    self.operation = operation
    self.file = file
    self.onPage = onPage
    // Saving takes time in proportion to the groups, and should stay a small part of the run.
    pagesBetweenSaves = max(100, checkpoint.groups.count / 100)
  }

  func partial(_ unit: Int) -> ScanCheckpoint.Partial {
    checkpoint.partials[unit] ?? ScanCheckpoint.Partial()
  }

  func keep(_ partial: ScanCheckpoint.Partial, of unit: Int) {
    if partial.marker != nil, !checkpoint.done.contains(unit) { checkpoint.partials[unit] = partial }
  }

  /// Returns true when the caller should pass its state to `keep`, because the next save is near.
  func pageRead() async throws -> Bool {
    pages += 1
    try await onPage(pages)
    if pages % pagesBetweenSaves == 0 { try save() }
    return file != nil && pages % pagesBetweenSaves >= pagesBetweenSaves - 16
  }

  func finish(_ unit: Int, _ tally: GroupTally) async throws {
    checkpoint.finish(unit, tally, operation)
    _ = try await pageRead()
  }

  func save() throws { try file?.save(checkpoint) }
}
