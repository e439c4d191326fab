/// Notices results that go in circles, in constant memory (Brent's method): a marker is kept for comparison and
/// replaced after 1, 2, 4, 8 … pages. Everything that follows continuation markers has one.
public struct MarkerWatch: Sendable {
  private var kept: String?
  private var pages = 0
  private var span = 1

  public init() {}

  /// Takes the marker of the next page. Throws ``PagesRepeat``.
  public mutating func pass(_ marker: String) throws(PagesRepeat) {
    if marker == kept { throw PagesRepeat() }
    pages += 1
    if pages == span {
      (kept, pages, span) = (marker, 0, span * 2)
    }
  }
}

/// The pages of a query would never end (Documentation/reference/web-services.md#comparators-and-indexes).
public struct PagesRepeat: Error, Sendable {
  public init() {}

  /// A service that cannot give its pages now may be able to later.
  public func failure(of recordType: String) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: nil), "the pages of the query of \(recordType) repeat and would never end",
      hint: "The results are incomplete and were not used. Try again later.")
  }
}
