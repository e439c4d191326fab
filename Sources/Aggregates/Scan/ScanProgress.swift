/// Gathers what the queries of a scan settle, and remembers it on disk while the scan runs.
actor ScanProgress {
  private(set) var checkpoint: Checkpoint
  private let operation: AggregateDeclaration.Operation
  private let file: CheckpointFile?
  /// Called once a page; throws when the run must end.
  private let heartbeat: @Sendable () async throws -> Void
  /// Called with what is settled after 1, 2, 4, 8 … queries, while others are left; throws when the run must end.
  private let settled: @Sendable (Checkpoint) async throws -> Void
  private let pagesBetweenSaves: Int
  private var pages = 0
  private var finished = 0

  init(
    _ checkpoint: Checkpoint, _ operation: AggregateDeclaration.Operation, file: CheckpointFile?,
    heartbeat: @escaping @Sendable () async throws -> Void,
    settled: @escaping @Sendable (Checkpoint) async throws -> Void = { _ in }
  ) {
    self.checkpoint = checkpoint
    self.operation = operation
    self.file = file
    self.heartbeat = heartbeat
    self.settled = settled
    // Saving costs in proportion to the groups: keep it a small part of the reading.
    pagesBetweenSaves = max(100, checkpoint.groups.count / 100)
  }

  func partial(_ unit: Int) -> Checkpoint.Partial { checkpoint.partials[unit] ?? Checkpoint.Partial() }

  func keep(_ partial: Checkpoint.Partial, of unit: Int) {
    if partial.marker != nil, !checkpoint.done.contains(unit) { checkpoint.partials[unit] = partial }
  }

  /// True when the caller should hand over where it stands, for the next save.
  func pageRead() async throws -> Bool {
    pages += 1
    try await heartbeat()
    if pages % pagesBetweenSaves == 0 { try save() }
    return file != nil && pages % pagesBetweenSaves >= pagesBetweenSaves - 16
  }

  func finish(_ unit: Int, _ tally: Tally) async throws {
    checkpoint.finish(unit, tally, operation)
    finished += 1
    if finished.nonzeroBitCount == 1, !checkpoint.isComplete { try await settled(checkpoint) }
    _ = try await pageRead()
  }

  func save() throws { try file?.save(checkpoint) }
}
