internal import Diagnostics

extension Container {
  /// Calls `body` with every page of a query, following markers and never judging by a page's length. The next page is
  /// asked for while `body` works. Throws as ``walkPages(of:_:)`` does.
  package func forEachPage(
    of query: Query, desiredKeys: [String]? = nil, _ body: (QueryPage) async throws -> Void
  ) async throws {
    try await forEachPage(of: QueryRequest(query, desiredKeys: desiredKeys), body)
  }

  /// As ``forEachPage(of:desiredKeys:_:)``, from the page that the request asks for.
  package func forEachPage(
    of request: QueryRequest, _ body: (QueryPage) async throws -> Void
  ) async throws {
    var walk = PageWalk(request)
    try Task.checkCancellation()
    var page = try await query(request)
    do {
      while try walk.goesOn(after: page) {
        let following = walk.request
        async let next = query(following)
        // The request goes out before the work begins, also where one thread is left for both.
        await Task.yield()
        try await body(consume page)
        try Task.checkCancellation()
        page = try await next
      }
    } catch let error as RepeatedPagesError {
      throw error.failure(of: request.query.recordType)
    }
    try await body(page)
  }

  /// Calls `body` with every record of a query, page by page. Throws as ``walkPages(of:_:)`` does.
  package func forEachRecord(
    of query: Query, desiredKeys: [String]? = nil, _ body: (Record) throws -> Void
  ) async throws {
    try await forEachPage(of: query, desiredKeys: desiredKeys) { try $0.records.forEach(body) }
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

  /// As ``walkPages(of:_:)``, for a caller that starts over when markers repeat: throws ``RepeatedPagesError`` then.
  package func followMarkers(
    of request: QueryRequest, _ body: (QueryPage) async throws -> Bool
  ) async throws {
    var walk = PageWalk(request)
    while true {
      try Task.checkCancellation()
      let page = try await query(walk.request)
      guard try await body(page), try walk.goesOn(after: page) else { return }
    }
  }

  /// Every record of a query. Only for results known to be small: everything else goes page by page.
  package func allRecords(_ query: Query, desiredKeys: [String]? = nil) async throws -> [Record] {
    var records: [Record] = []
    try await forEachPage(of: query, desiredKeys: desiredKeys) { records += $0.records }
    return records
  }

  /// Looks up any number of names, in requests of the permitted size; outcomes in the order asked.
  ///
  /// - Parameter recordType: see ``LookupRequest/recordType``.
  package func lookupAll(
    _ recordNames: [String], desiredKeys: [String]? = nil, of recordType: String? = nil
  ) async throws -> [RecordOutcome] {
    var outcomes: [RecordOutcome] = []
    for names in recordNames.chunks(of: ContainerLimits.recordsPerRequest) {
      outcomes += try await lookup(LookupRequest(Array(names), desiredKeys: desiredKeys, of: recordType))
    }
    return outcomes
  }

  /// The records with these names, by name, without those that do not exist. Throws every other refusal: it does not say
  /// whether the record exists.
  package func existingRecords(
    _ names: some Collection<String>, desiredKeys: [String]? = []
  ) async throws -> [String: Record] {
    try await lookupAll(Set(names).sorted(), desiredKeys: desiredKeys).compactMap { try $0.found }.keyed(
      by: \.recordName)
  }

  /// The records of names that users wrote, by name. They may write anything, so what may not be read, and what is not a
  /// record name, is left out as if it did not exist.
  package func readableRecords(
    _ names: some Sequence<String>, desiredKeys: [String]?
  ) async throws -> [String: Record] {
    try await lookupAll(names.filter(Record.isName).sorted(), desiredKeys: desiredKeys)
      .filter { $0.error?.code != .accessDenied }.compactMap { try $0.found }.keyed(by: \.recordName)
  }

  /// The names that no record has. One that the key may not read is not among them: it may exist, and the right to refer to
  /// it does not include the right to read.
  package func absentRecords(_ names: Set<String>) async throws -> Set<String> {
    let names = names.sorted()
    let outcomes = zip(names, try await lookupAll(names, desiredKeys: []))
    return Set(try outcomes.filter { try $1.error?.code != .accessDenied && $1.found == nil }.map(\.0))
  }
}

extension RandomAccessCollection {
  /// The elements in their order, as many together as one request takes.
  package func chunks(of count: Int) -> [SubSequence] {
    stride(from: 0, to: self.count, by: count).map { dropFirst($0).prefix(count) }
  }
}

private struct PageWalk {
  private(set) var request: QueryRequest
  private var emptyPages = 0
  /// Detects repeating pages in constant memory (Brent's method): a marker is kept for comparison and replaced after 1, 2, 4,
  /// 8 … pages.
  private var kept = (marker: nil as String?, pages: 0, span: 1)

  init(_ request: QueryRequest) { self.request = request }

  /// Whether there is another page, which ``request`` then asks for. Throws ``RepeatedPagesError`` and ``ContainerFailure``
  /// if the pages would never end.
  mutating func goesOn(after page: QueryPage) throws -> Bool {
    guard let marker = page.continuationMarker else { return false }
    if marker == kept.marker { throw RepeatedPagesError() }
    kept.pages += 1
    if kept.pages == kept.span { kept = (marker, 0, kept.span * 2) }
    emptyPages = page.records.isEmpty ? emptyPages + 1 : 0
    guard emptyPages < ContainerLimits.emptyPages else {
      throw ContainerFailure(
        .unavailable(retryAfter: nil),
        "the query of \(request.query.recordType) brought no record on \(emptyPages) pages in a row, the last one "
          + "with the continuation marker '\(marker.unicodeScalars.prefix(100).map(String.init).joined())'",
        hint:
          "The results are incomplete and were not used. Try again later, and report the marker if it stays so."
      )
    }
    request.continuationMarker = marker
    return true
  }
}

/// The error for a query whose continuation markers repeat, so that its pages would never end.
package struct RepeatedPagesError: Error, Sendable {
  /// The failure for the user. The service may give correct pages later.
  package func failure(of recordType: String) -> ContainerFailure {
    ContainerFailure(
      .unavailable(retryAfter: nil), "the pages of the query of \(recordType) repeat and would never end",
      hint: "The results are incomplete and were not used. Try again later.")
  }
}

extension Container {
  /// Whether the container has a record type. A query says so without the right to read the schema, also one that is refused
  /// for another reason than that the type was not found (Documentation/reference/web-services.md#query-refusals).
  package func hasRecordType(_ recordType: String) async throws -> Bool {
    let refusal = try await self.refusal(
      of: Query(recordType), asking: "is there a record type \(recordType)")
    guard let refusal, ![.badRequest, .accessDenied].contains(refusal.code) else { return true }
    if refusal.code == .notFound { return false }
    throw refusal
  }

  /// Whether a record type has a field. A query says so without the right to read the schema: only of a field
  /// that does not exist is the refusal that it was not found (Documentation/reference/web-services.md#query-refusals).
  ///
  /// - Parameter sample: any value of the field's type.
  package func hasField(_ field: String, of recordType: String, sample: FieldValue) async throws -> Bool {
    let query = Query(recordType, filters: [Filter(FieldName(field), equals: sample)])
    let refusal = try await self.refusal(of: query, asking: "has \(recordType) a field \(field)")
    guard let refusal else { return true }
    if refusal.code == .notFound { return false }
    if refusal.code == .badRequest {
      if refusal.reason.hasPrefix("Did not find field: '\(field)'") { return false }
      if refusal.isForLackOfIndex { return true }
    }
    throw refusal
  }

  private func refusal(of asked: Query, asking question: String) async throws -> ServerError? {
    try await RequestPurpose.$current.withValue(question) { () async throws -> ServerError? in
      do {
        _ = try await query(QueryRequest(asked, desiredKeys: [], resultsLimit: 1))
        return nil
      } catch let error as ServerError { return error }
    }
  }
}

/// What a request that may be refused asks, for the log.
package enum RequestPurpose {
  @TaskLocal package static var current: String?
}

extension ServerError {
  /// The schema lacks an index. The service may name the field, or a type without any index
  /// (Documentation/reference/web-services.md#query-refusals). No schema can add one to `Users`.
  package var isForLackOfIndex: Bool {
    code == .badRequest && (reason.contains("' is not marked ") || namesUnindexedType)
  }

  private var namesUnindexedType: Bool {
    reason.hasPrefix("Type is not marked indexable: ") && !reason.hasSuffix(": Users")
  }

  /// The schema lacks one of the fields, or its index.
  package func refusesFilter(on fields: [String]) -> Bool {
    code == .badRequest && (fields.contains { reason.contains("'\($0)'") } || namesUnindexedType)
  }
}
