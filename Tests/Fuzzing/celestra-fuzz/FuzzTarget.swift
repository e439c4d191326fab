import FuzzPromises

/// What the bytes are given to.
enum FuzzTarget: String, CaseIterable {
  case schema
  case feed
  case json
  case wire
  case opml

  /// Set once before the first round, read from the fuzzer's single thread afterwards; the callback is a C
  /// function and cannot carry it.
  nonisolated(unsafe) static var chosen = FuzzTarget.schema

  /// One round. A broken promise ends the process, which is how libFuzzer learns of it.
  func run(_ bytes: UnsafeRawBufferPointer) {
    if let problem = brokenPromise(bytes) { fatalError(problem) }
  }

  private func brokenPromise(_ bytes: UnsafeRawBufferPointer) -> String? {
    switch self {
    case .schema: SchemaPromises.broken(by: Array(bytes))
    case .feed: FeedPromises.broken(by: Array(bytes))
    case .json: JSONPromises.broken(by: Array(bytes))
    case .wire: WirePromises.broken(by: Array(bytes))
    case .opml: OPMLPromises.broken(by: Array(bytes))
    }
  }
}
