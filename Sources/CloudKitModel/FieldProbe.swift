extension Container {
  /// Whether a record type has a field. A query says so without the right to read the schema: only of a field
  /// that does not exist is the refusal that it was not found (Documentation/reference/web-services.md#query-refusals).
  ///
  /// - Parameter sample: any value of the field's type.
  package func hasField(_ field: String, of recordType: String, sample: FieldValue) async throws -> Bool {
    let filter = Filter(FieldName(field), equals: sample)
    do {
      _ = try await query(
        QueryRequest(Query(recordType, filters: [filter]), desiredKeys: [], resultsLimit: 1))
      return true
    } catch let error as ServerError where error.code == .notFound {
      return false
    } catch let error as ServerError where error.code == .badRequest {
      if error.reason.hasPrefix("Did not find field: '\(field)'") { return false }
      if error.reason.contains("is not marked queryable") { return true }
      throw error
    }
  }
}

extension ServerError {
  /// The schema lacks one of the fields, or its index.
  package func refusesFilter(on fields: [String]) -> Bool {
    code == .badRequest && fields.contains { reason.contains("'\($0)'") }
  }
}
