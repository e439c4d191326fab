package import Diagnostics
package import SchemaLanguage

/// Reads a query as a user types it on the command line: filters as ``FilterExpression`` has them, `field` or
/// `field:desc` to sort by.
package enum QueryNotation {
  /// The query. Throws a usage failure.
  ///
  /// - Parameters:
  ///   - declared: the types of the record type's fields, where they are known; they decide how the values of
  ///     filters are read.
  ///   - now: what `now` and `-30d` in a filter count from.
  package static func query(
    _ recordType: String, filters: [String] = [], sorts: [String] = [], declared: [String: FieldType]? = nil,
    now: Timestamp
  ) throws(CommandFailure) -> Query {
    var query = Query(recordType)
    for text in filters {
      let expression = try FilterExpression(text)
      query.filters.append(try expression.filter(declaredType: declared?[expression.field], now: now))
    }
    for text in sorts { query.sorts.append(try sort(text)) }
    return query
  }

  private static func sort(_ text: String) throws(CommandFailure) -> Sort {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let direction = parts.count == 2 ? parts[1].lowercased() : "asc"
    guard let field = parts.first, !field.isEmpty, parts.count <= 2, ["asc", "desc"].contains(direction)
    else {
      throw .usage("cannot sort by '\(text)'", hint: "Write a field, or 'field:desc' for descending order.")
    }
    return Sort(FieldName(field), ascending: direction == "asc")
  }
}

/// Reads a filter as a user types it on the command line: `field OP value`.
///
/// The value has the field's type if the schema is known. Otherwise its type is guessed as Apple's tool does: whole
/// number, number, date, place, or else text (Documentation/reference/schema-language.md#cktool-filters).
package struct FilterExpression: Sendable {
  package let field: String
  package let comparator: Comparator
  private let value: String

  package var countsFromNow: Bool { value == "now" || value.hasPrefix("+") || value.hasPrefix("-") }

  /// The only value of a list, if it has blanks outside double quotes: perhaps several values without their commas.
  package var valueWithBlanks: String? {
    guard comparator.takesList, !Self.isQuoted(value), !value.contains(","),
      value.split(separator: " ").count > 1
    else { return nil }
    return value
  }

  /// Apple's tool has a name of its own for NOT_LIST_CONTAINS_ANY.
  private static let cktoolName = "LIST_NOT_CONTAINS_ANY"

  package init(_ text: String) throws(CommandFailure) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
    guard parts.count == 3 else {
      throw .usage("'\(text)' is not a filter", hint: "Write it as 'field == value'.")
    }
    field = parts[0]
    let word = parts[1]
    let isCktoolName = word == Self.cktoolName
    let known =
      isCktoolName
      ? .notListContainsAny : Comparator(symbolOrName: word) ?? Comparator(rawValue: word.uppercased())
    guard let known else {
      let names = Comparator.symbols.map(\.text) + [Self.cktoolName] + Comparator.allCases.map(\.rawValue)
      throw .usage(
        "'\(word)' is not a comparison operator",
        hint: Comparator.nearest(to: word, among: names).map { "Did you mean '\($0)'?" }
          ?? "Use one of \(names.joined(separator: " ")).")
    }
    comparator = known
    value = String(parts[2].drop { $0 == " " })
  }

  /// The filter. Throws a usage failure if the value does not fit the field.
  ///
  /// - Parameter now: what `now`, `-30d` and `+2h` count from.
  package func filter(declaredType: FieldType?, now: Timestamp) throws(CommandFailure) -> Filter {
    if comparator == .near { return try nearby() }
    guard comparator.takesList else {
      return Filter(FieldName(field), comparator, try scalar(value, declaredType, now))
    }
    let texts = listTexts
    var elements: [FieldValue] = []
    for text in texts { elements.append(try scalar(text, declaredType, now)) }
    let types = Set(elements.map(\.type.element))
    // Guessed one by one, the values may differ in type; those of a list have one.
    if types.count > 1 {
      let type: ScalarType = types == [.int64, .double] ? .double : .string
      elements = []
      for text in texts { elements.append(try scalar(text, .scalar(type), now)) }
    }
    return Filter(
      FieldName(field), comparator, .list(of: elements.first?.type.element ?? .string, elements))
  }

  /// The values of a list as they are written, without the spaces before them. A comma between double quotes belongs to
  /// its value.
  private var listTexts: [String] {
    var texts: [String] = []
    var rest = value[...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == " " }
      let quoted = rest.prefixMatch(of: /"[^"]*"(?= *(,|$))/)?.output.0
      let text = quoted ?? rest.prefix { $0 != "," }
      if !text.isEmpty { texts.append(String(text)) }
      rest = rest[text.endIndex...].drop { $0 != "," }.dropFirst()
    }
    return texts
  }

  /// A place, and the meters that a record may be away from it.
  private func nearby() throws(CommandFailure) -> Filter {
    let parts = value.filter { $0 != " " }.split(separator: ",")
    guard parts.count == 3, let place = Self.place(parts[..<2].joined(separator: ",")),
      let meters = Double(parts[2]), meters >= 0
    else {
      throw .usage(
        "'\(value)' is not a latitude, a longitude and a distance",
        hint:
          "Write 'field NEAR latitude,longitude,meters', with a latitude from -90 to 90 and a longitude from -180 to 180."
      )
    }
    return Filter(FieldName(field), .near, place, distance: meters)
  }

  /// A value as it is written in a filter: in double quotes if it would otherwise be read as another value.
  package static func written(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.first != " " && !value.contains(",") && !isQuoted(value)
    return isPlain ? value : "\"\(value)\""
  }

  private static func isQuoted(_ text: String) -> Bool {
    text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
  }

  /// A value in double quotes is the text between them.
  private func scalar(
    _ text: String, _ declaredType: FieldType?, _ now: Timestamp
  ) throws(CommandFailure) -> FieldValue {
    let isQuoted = Self.isQuoted(text)
    let type = FieldName(field).systemType ?? declaredType?.element ?? (isQuoted ? .string : nil)
    let text = isQuoted ? String(text.dropFirst().dropLast()) : text
    let value: FieldValue? =
      switch type {
      case .string?: .string(text)
      case .int64?: Int64(text).map(FieldValue.int64) ?? Self.flags[text].map(FieldValue.flag)
      case .double?: Double(text).map(FieldValue.double)
      case .timestamp?: Timestamp(text: text, now: now).map(FieldValue.timestamp)
      case .reference?: .reference(Reference(text))
      case .location?: Self.place(text)
      case nil: Self.guess(text)
      case .bytes?, .asset?: nil
      }
    guard let value else {
      throw .usage(
        "'\(text)' is not a value for \(field), which is \(type?.rawValue ?? "unknown")",
        hint: Self.advice(type))
    }
    return value
  }

  private static func advice(_ type: ScalarType?) -> String? {
    switch type {
    case .location?: "Write a place as 48.2,16.4."
    case .bytes?, .asset?, nil: nil
    case .string?, .int64?, .double?, .timestamp?, .reference?: type.map { FieldType.scalar($0).advice }
    }
  }

  /// The words for the numbers 1 and 0, as ``FieldNotation`` has them.
  private static let flags = ["true": true, "false": false]

  private static func guess(_ text: String) -> FieldValue {
    Int64(text).map(FieldValue.int64)
      ?? Double(text).flatMap { $0.isFinite ? FieldValue.double($0) : nil }
      ?? Timestamp(text: text).map(FieldValue.timestamp) ?? place(text) ?? .string(text)
  }

  private static func place(_ text: String) -> FieldValue? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
    let place = FieldValue.location(Location(latitude: latitude, longitude: longitude))
    return place.outOfRange == nil ? place : nil
  }
}

extension FieldName {
  fileprivate var systemType: ScalarType? { if case .system(let field) = self { field.type } else { nil } }
}
