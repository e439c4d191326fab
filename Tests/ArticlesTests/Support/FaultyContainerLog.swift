import CloudKitModel
import ContainerFaults

/// Counts what a run asks of a container.
struct FaultyContainerLog {
  let container: FaultyContainer

  init(_ base: any Container) { container = FaultyContainer(base) }

  /// The number of names looked up that have a length.
  func lookedUp(prefix length: Int) -> Int {
    container.requests.reduce(0) { count, request in
      guard case .lookup(let lookup) = request else { return count }
      return count + lookup.recordNames.count { $0.utf8.count == length }
    }
  }
}
