internal import Diagnostics
package import SchemaLanguage

/// An open schema with what it declares, for questions about a place in it.
package struct SchemaDocument: Sendable {
  package let text: TextDocument
  package let parsed: ParsedSchema
  package let tokens: [Token]

  package init(_ text: TextDocument) {
    self.text = text
    parsed = SchemaParser.parse(text.source)
    tokens = Token.all(in: text.source)
  }

  package enum Element: Sendable, Equatable {
    case recordType(String)
    case role(String)
    /// The indexes of the type and of the field.
    case field(Int, Int)
    case keyword(Keyword)
  }

  /// The token at an offset, or the one that ends there.
  package func token(at offset: Int) -> Token? {
    let first = tokens.partitioningIndex(where: { $0.range.upperBound >= offset })
    let found = tokens[first...].prefix(2).filter {
      $0.range.lowerBound <= offset && offset <= $0.range.upperBound
    }
    return found.last { $0.kind == .word || $0.kind == .quoted } ?? found.first
  }

  package func element(at offset: Int) -> (element: Element, range: Range<Int>)? {
    if let comment = parsed.comments.first(where: { $0.range.contains(offset) }) {
      return reference(in: comment, at: offset)
    }
    guard let token = token(at: offset), token.kind == .word || token.kind == .quoted else { return nil }
    let range = token.range
    if let role = parsed.roles.first(where: { $0.nameRange == range }) { return (.role(role.name), range) }
    if let place = typeIndex(at: range.lowerBound) {
      let type = parsed.recordTypes[place]
      if type.nameRange == range { return (.recordType(type.name), range) }
      if let field = type.fields.firstIndex(where: { $0.nameRange == range }) {
        return (.field(place, field), range)
      }
      if let grant = type.grants.first(where: { $0.roleRange == range }) {
        return (.role(grant.grant.role), range)
      }
    }
    // CREATE is a privilege elsewhere.
    let isOfRole = parsed.roles.contains { $0.range.contains(range.lowerBound) }
    return token.keyword.map { (.keyword(isOfRole ? .role : $0), range) }
  }

  /// The index of the record type whose statement a place is in.
  package func typeIndex(at offset: Int) -> Int? {
    parsed.recordTypes.firstIndex { $0.range.contains(offset) || $0.end == offset }
  }

  package func occurrences(of element: Element) -> [Range<Int>] {
    switch element {
    case .recordType(let name):
      let declared = parsed.recordTypes.filter { $0.name == name }.map(\.nameRange)
      return
        (declared + parsed.comments.flatMap { references(in: $0).filter { $0.name == name }.map(\.range) })
        .sorted { $0.lowerBound < $1.lowerBound }
    case .role(let name):
      let grants = parsed.recordTypes.flatMap(\.grants).filter { $0.grant.role == name }
      return (parsed.roles.filter { $0.name == name }.map(\.nameRange) + grants.map(\.roleRange))
        .sorted { $0.lowerBound < $1.lowerBound }
    case .field(let type, let field): return [parsed.recordTypes[type].fields[field].nameRange]
    case .keyword: return []
    }
  }

  package func declaration(of element: Element) -> Range<Int>? {
    switch element {
    case .recordType(let name): parsed.recordTypes.first { $0.name == name }?.nameRange
    case .role(let name): parsed.roles.first { $0.name == name }?.nameRange
    case .field(let type, let field): parsed.recordTypes[type].fields[field].nameRange
    case .keyword: nil
    }
  }

  // MARK: References in comments

  private func reference(in comment: Comment, at offset: Int) -> (element: Element, range: Range<Int>)? {
    references(in: comment).first { $0.range.lowerBound <= offset && offset <= $0.range.upperBound }
      .map { (.recordType($0.name), $0.range) }
  }

  /// The record types that a comment names after an arrow.
  private func references(in comment: Comment) -> [(name: String, range: Range<Int>)] {
    let bytes = text.source.bytes
    var found: [(name: String, range: Range<Int>)] = []
    var rest = comment.range
    while let arrow = bytes[rest].firstRange(of: "->".utf8) {
      var start = arrow.upperBound
      while start < rest.upperBound, bytes[start] == UInt8(ascii: " ") { start += 1 }
      var end = start
      while end < rest.upperBound, bytes[end].isIdentifierByte { end += 1 }
      let name = text.source.text(in: start..<end)
      if parsed.recordTypes.contains(where: { $0.name == name }) { found.append((name, start..<end)) }
      rest = max(end, arrow.upperBound)..<rest.upperBound
    }
    return found
  }
}
