/// Detects repeating result pages, in constant memory (Brent's method): a continuation marker is kept for comparison
/// and replaced after 1, 2, 4, 8 … pages. Used wherever continuation markers are followed.
public struct PageLoopDetector: Sendable {
  private var kept: String?
  private var pages = 0
  private var span = 1

  public init() {}

  /// Takes the marker of the next page. Throws ``RepeatedPagesError``.
  public mutating func pass(_ marker: String) throws(RepeatedPagesError) {
    if marker == kept { throw RepeatedPagesError() }
    pages += 1
    if pages == span {
      (kept, pages, span) = (marker, 0, span * 2)
    }
  }
}

/// The error for a query whose continuation markers repeat, so that its pages would never end.
public struct RepeatedPagesError: Error, Sendable {
  public init() {}

  /// The failure for the user. The service may give correct pages later.
  public func failure(of recordType: String) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: nil), "the pages of the query of \(recordType) repeat and would never end",
      hint: "The results are incomplete and were not used. Try again later.")
  }
}
