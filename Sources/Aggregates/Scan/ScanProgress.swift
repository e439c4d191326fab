/// Collects the results of the queries of a scan, and saves them to the checkpoint file while the scan runs.
actor ScanProgress {
  private(set) var checkpoint: Checkpoint
  private let operation: AggregateDeclaration.Operation
  private let file: CheckpointFile?
  /// Called after each page. Throws when the run must end.
  private let heartbeat: @Sendable () async throws -> Void
  /// Called after 1, 2, 4, 8 … finished queries, while others are left. Throws when the run must end.
  private let onFinished: @Sendable (Checkpoint) async throws -> Void
  private let pagesBetweenSaves: Int
  private var pages = 0
  private var finished = 0

  init(
    _ checkpoint: Checkpoint, _ operation: AggregateDeclaration.Operation, file: CheckpointFile?,
    heartbeat: @escaping @Sendable () async throws -> Void,
    onFinished: @escaping @Sendable (Checkpoint) async throws -> Void = { _ in }
  ) {
    self.checkpoint = checkpoint
    self.operation = operation
    self.file = file
    self.heartbeat = heartbeat
    self.onFinished = onFinished
    // Saving takes time in proportion to the groups, and should stay a small part of the run.
    pagesBetweenSaves = max(100, checkpoint.groups.count / 100)
  }

  func partial(_ unit: Int) -> Checkpoint.Partial { checkpoint.partials[unit] ?? Checkpoint.Partial() }

  func keep(_ partial: Checkpoint.Partial, of unit: Int) {
    if partial.marker != nil, !checkpoint.done.contains(unit) { checkpoint.partials[unit] = partial }
  }

  /// Returns true when the caller should pass its state to `keep`, because the next save is near.
  func pageRead() async throws -> Bool {
    pages += 1
    try await heartbeat()
    if pages % pagesBetweenSaves == 0 { try save() }
    return file != nil && pages % pagesBetweenSaves >= pagesBetweenSaves - 16
  }

  func finish(_ unit: Int, _ tally: Tally) async throws {
    checkpoint.finish(unit, tally, operation)
    finished += 1
    if finished.nonzeroBitCount == 1, !checkpoint.isComplete { try await onFinished(checkpoint) }
    _ = try await pageRead()
  }

  func save() throws { try file?.save(checkpoint) }
}
