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

  /// Groups are numbered as the whole table will number them, because the first target's come first there.
  ///
  /// Does not throw: the scan proper tries again what failed here, and reports it.
  func run(_ start: Checkpoint, _ scan: Scan) async -> Checkpoint {
    var checkpoint = start
    var table = TargetTable()
    var taken = 0
    for await page in pages {
      for record in page { table.add(record, of: declaration.targets[0], number: 0) }
      guard !isOver.isSet, table.groups.count - taken >= Self.leastGroups else { continue }
      let units = bins(table, Array(taken..<table.groups.count))
      guard !units.isEmpty else { continue }
      taken = table.groups.count
      checkpoint.groups = table.groups
      checkpoint.units += units
      let progress = ScanProgress(checkpoint, declaration.operation, file: nil) { [isOver] in
        if isOver.isSet { throw ScanPaused() }
      }
      let failure = await scan(table, progress)
      checkpoint = await progress.checkpoint
      if failure != nil { break }
    }
    return checkpoint
  }
}

/// A scan was asked to stop between two pages; what it read is kept.
struct ScanPaused: Error {}

private final class Flag: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .acquiring) }
  func set() { state.store(true, ordering: .releasing) }
}
