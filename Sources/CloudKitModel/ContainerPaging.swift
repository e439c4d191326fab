extension Container {
  /// Calls `body` with every page of a query, following markers and never judging by a page's length.
  ///
  /// Throws ``ContainerFailure`` when a marker comes back that was already followed: the results would never
  /// end (web-services.md section 3.2).
  public func forEachPage(
    of query: Query, desiredKeys: [String]? = nil, _ body: (QueryPage) async throws -> Void
  ) async throws {
    var request = QueryRequest(query, desiredKeys: desiredKeys)
    while true {
      try Task.checkCancellation()
      let page = try await self.query(request)
      try await body(page)
      guard let marker = page.continuationMarker else { return }
      guard marker != request.continuationMarker else {
        throw ContainerFailure(
          .unavailable(retryAfter: nil),
          "the query of \(query.recordType) repeats its own continuation marker",
          hint: "The results are incomplete and were not used. Try again later.")
      }
      request.continuationMarker = marker
    }
  }

  /// Every record of a query. Only for results known to be small: everything else goes page by page.
  public func allRecords(_ query: Query, desiredKeys: [String]? = nil) async throws -> [Record] {
    var records: [Record] = []
    try await forEachPage(of: query, desiredKeys: desiredKeys) { records += $0.records }
    return records
  }

  /// Looks up any number of names, in requests of the permitted size; outcomes in the order asked.
  public func lookupAll(_ recordNames: [String], desiredKeys: [String]? = nil) async throws -> [RecordOutcome]
  {
    var outcomes: [RecordOutcome] = []
    for start in stride(from: 0, to: recordNames.count, by: ContainerLimits.recordsPerRequest) {
      let names = recordNames[start...].prefix(ContainerLimits.recordsPerRequest)
      outcomes += try await lookup(LookupRequest(Array(names), desiredKeys: desiredKeys))
    }
    return outcomes
  }
}
