extension Container {
  /// Calls `body` with every page of a query, following markers and never judging by a page's length.
  ///
  /// Throws as ``walkPages(of:_:)`` does.
  package func forEachPage(
    of query: Query, desiredKeys: [String]? = nil, _ body: (QueryPage) async throws -> Void
  ) async throws {
    try await walkPages(of: QueryRequest(query, desiredKeys: desiredKeys)) { page in
      try await body(page)
      return true
    }
  }

  /// The first records of a query, and whether these are all it has.
  ///
  /// - Parameter limit: from 1 up; `nil` for no limit.
  package func firstRecords(
    _ query: Query, desiredKeys: [String]? = nil, limit: Int?
  ) async throws -> (records: [Record], isComplete: Bool) {
    var records: [Record] = []
    var isComplete = true
    let pageSize = limit.map { min($0, ContainerLimits.recordsPerRequest) }
    let request = QueryRequest(query, desiredKeys: desiredKeys, resultsLimit: pageSize)
    try await walkPages(of: request) { page in
      records += page.records
      guard let limit, records.count >= limit else { return true }
      isComplete = records.count == limit && page.continuationMarker == nil
      records.removeSubrange(limit...)
      return false
    }
    return (records, isComplete)
  }

  /// Calls `body` with page after page until there are no more, or until it returns false.
  ///
  /// Throws ``ContainerFailure`` when the pages would never end: when their markers go in circles, or when many in a row
  /// bring no record (Documentation/reference/web-services.md#pages).
  package func walkPages(
    of request: QueryRequest, _ body: (QueryPage) async throws -> Bool
  ) async throws {
    do {
      try await followMarkers(of: request, body)
    } catch let error as RepeatedPagesError {
      throw error.failure(of: request.query.recordType)
    }
  }

  /// As ``walkPages(of:_:)``, for a caller that starts over when markers repeat: throws ``RepeatedPagesError`` then. Every
  /// walk through the pages of a query comes here.
  package func followMarkers(
    of request: QueryRequest, _ body: (QueryPage) async throws -> Bool
  ) async throws {
    var request = request
    var markers = PageLoopDetector()
    var emptyPages = 0
    while true {
      try Task.checkCancellation()
      let page = try await self.query(request)
      guard try await body(page), let marker = page.continuationMarker else { return }
      try markers.pass(marker)
      emptyPages = page.records.isEmpty ? emptyPages + 1 : 0
      if emptyPages == ContainerLimits.emptyPages {
        throw Self.emptyPages(of: request.query.recordType, marker)
      }
      request.continuationMarker = marker
    }
  }

  private static func emptyPages(of recordType: String, _ marker: String) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: nil),
      "the query of \(recordType) brought no record on \(ContainerLimits.emptyPages) pages in a row, the last one "
        + "with the continuation marker '\(marker.unicodeScalars.prefix(100).map(String.init).joined())'",
      hint:
        "The results are incomplete and were not used. Try again later, and report the marker if it stays so."
    )
  }

  /// Every record of a query. Only for results known to be small: everything else goes page by page.
  package func allRecords(_ query: Query, desiredKeys: [String]? = nil) async throws -> [Record] {
    var records: [Record] = []
    try await forEachPage(of: query, desiredKeys: desiredKeys) { records += $0.records }
    return records
  }

  /// Looks up any number of names, in requests of the permitted size; outcomes in the order asked.
  package func lookupAll(_ recordNames: [String], desiredKeys: [String]? = nil) async throws
    -> [RecordOutcome]
  {
    var outcomes: [RecordOutcome] = []
    for names in recordNames.chunks(of: ContainerLimits.recordsPerRequest) {
      outcomes += try await lookup(LookupRequest(Array(names), desiredKeys: desiredKeys))
    }
    return outcomes
  }
}

extension RandomAccessCollection {
  /// The elements in their order, as many together as one request takes.
  package func chunks(of count: Int) -> [SubSequence] {
    stride(from: 0, to: self.count, by: count).map { dropFirst($0).prefix(count) }
  }
}

/// Detects repeating result pages, in constant memory (Brent's method): a continuation marker is kept for comparison
/// and replaced after 1, 2, 4, 8 … pages.
struct PageLoopDetector: Sendable {
  private var kept: String?
  private var pages = 0
  private var span = 1

  /// Takes the marker of the next page. Throws ``RepeatedPagesError``.
  mutating func pass(_ marker: String) throws(RepeatedPagesError) {
    if marker == kept { throw RepeatedPagesError() }
    pages += 1
    if pages == span {
      (kept, pages, span) = (marker, 0, span * 2)
    }
  }
}

/// The error for a query whose continuation markers repeat, so that its pages would never end.
package struct RepeatedPagesError: Error, Sendable {
  package init() {}

  /// The failure for the user. The service may give correct pages later.
  package func failure(of recordType: String) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: nil), "the pages of the query of \(recordType) repeat and would never end",
      hint: "The results are incomplete and were not used. Try again later.")
  }
}
