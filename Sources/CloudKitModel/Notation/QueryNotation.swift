/// The notations for queries on the command line.
public enum QueryNotation: Sendable {
  /// Filters as ``FilterExpression`` has them, `field` or `field:desc` to sort by.
  case own
  /// As Apple's cktool takes them: a filter's value may say its type, `field desc` sorts.
  case cktool

  /// The query. Throws ``NotationError``.
  ///
  /// - Parameters:
  ///   - declared: the types of the record type's fields, where they are known; they decide how the values of
  ///     filters are read.
  ///   - now: what `now` and `-30d` in a filter count from.
  public func query(
    _ recordType: String, filters: [String] = [], sorts: [String] = [], declared: [String: FieldType]? = nil,
    now: Timestamp
  ) throws(NotationError) -> Query {
    var query = Query(recordType)
    for text in filters {
      let expression = try self == .own ? FilterExpression(text) : FilterExpression(cktool: text)
      query.filters.append(try expression.filter(declaredType: declared?[expression.field], now: now))
    }
    for text in sorts { query.sorts.append(try sort(text)) }
    return query
  }

  private func sort(_ text: String) throws(NotationError) -> Sort {
    let mark: Character = self == .own ? ":" : " "
    let parts = text.split(separator: mark, omittingEmptySubsequences: self == .cktool).map(String.init)
    let direction = parts.count == 2 ? parts[1].lowercased() : "asc"
    guard let field = parts.first, !field.isEmpty, parts.count <= 2, ["asc", "desc"].contains(direction)
    else {
      throw NotationError(
        "cannot sort by '\(text)'", hint: "Write a field, or 'field\(mark)desc' for descending order.")
    }
    return Sort(FieldName(field), ascending: direction == "asc")
  }
}
