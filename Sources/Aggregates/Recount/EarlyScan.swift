internal import CloudKitModel
internal import Synchronization

/// Counts the targets known so far while the rest of them is still being read.
///
/// Targets can only be read one page after the other, which leaves most of a shared rate unused. What is settled
/// or begun here stands in the checkpoint from which the scan proper goes on, so nothing is read twice.
struct EarlyScan: Sendable {
  /// Fewer cannot be packed into bins that fill whole pages.
  static let leastGroups = 1000

  typealias Scan = @Sendable (TargetTable, ScanProgress) async -> (any Error)?

  private let declaration: AggregateDeclaration
  private let bins: @Sendable (TargetTable, [Int]) -> [ScanUnit]
  private let pages: AsyncStream<[TargetRecord]>
  private let input: AsyncStream<[TargetRecord]>.Continuation
  private let isOver = Flag()
  private let isFailing = Flag()

  /// - Parameter bins: the queries for some of a table's groups; none when they are better left to the scan proper.
  init(_ declaration: AggregateDeclaration, bins: @escaping @Sendable (TargetTable, [Int]) -> [ScanUnit]) {
    self.declaration = declaration
    self.bins = bins
    (pages, input) = AsyncStream.makeStream()
  }

  /// A page of the first target's records.
  func add(_ page: [TargetRecord]) { input.yield(page) }

  /// All targets are read: queries under way stop after their current page.
  func end() {
    isOver.set()
    input.finish()
  }

  /// Groups are numbered as the whole table will number them, because the first target's come first there. Each
  /// batch is scanned beside those before it: a long query of one keeps no other waiting.
  ///
  /// Does not throw: the scan proper tries again what failed here, and reports it.
  func run(_ start: Checkpoint, _ scan: @escaping Scan) async -> Checkpoint {
    await withTaskGroup(of: (Int, Checkpoint).self) { group in
      var table = TargetTable()
      var taken = 0
      var batches = 0
      for await page in pages {
        for record in page { table.add(record, of: declaration.targets[0], number: 0) }
        guard let batch = nextBatch(of: start, table, from: taken) else { continue }
        taken = table.groups.count
        group.addTask { [table, batches] in (batches, await read(batch, table, scan)) }
        batches += 1
      }
      let parts = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      return (0..<batches).compactMap { parts[$0] }.reduce(into: start) {
        $0.append($1, declaration.operation)
      }
    }
  }

  private func nextBatch(of start: Checkpoint, _ table: TargetTable, from first: Int) -> Checkpoint? {
    guard !isOver.isSet, !isFailing.isSet, table.groups.count - first >= Self.leastGroups else { return nil }
    var batch = start
    batch.groups = table.groups
    batch.units = bins(table, Array(first..<table.groups.count))
    return batch.units.isEmpty ? nil : batch
  }

  private func read(_ batch: Checkpoint, _ table: TargetTable, _ scan: Scan) async -> Checkpoint {
    let progress = ScanProgress(batch, declaration.operation, file: nil) { [isOver] in
      if isOver.isSet { throw ScanPaused() }
    }
    if await scan(table, progress) != nil { isFailing.set() }
    return await progress.checkpoint
  }
}

/// A scan was asked to stop between two pages; what it read is kept.
struct ScanPaused: Error {}

private final class Flag: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .acquiring) }
  func set() { state.store(true, ordering: .releasing) }
}
