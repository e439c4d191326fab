internal import Platform

/// Holds back fetches while documents wait for the one task that stores their articles. A fast network would otherwise
/// fill the memory of a first run.
///
/// A document waits from its check until the recorder takes it. What the recorder itself keeps back is not counted: it may
/// be waiting for more checks.
final class ArticleBacklog: Sendable {
  private let items = AwaitableValue(0)
  private let maxItems: Int

  /// - Parameter maxItems: fetches wait while more items than this do.
  init(maxItems: Int) { self.maxItems = maxItems }

  func add(_ count: Int) { items.update { $0 += count } }

  func remove(_ count: Int) { items.update { $0 -= count } }

  /// Returns when there is room. Throws `CancellationError`.
  func waitForRoom() async throws { _ = try await items.wait { [maxItems] in $0 <= maxItems ? true : nil } }
}
