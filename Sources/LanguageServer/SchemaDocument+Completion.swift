internal import Diagnostics
internal import SchemaLanguage

/// What can stand at a place of a schema.
extension SchemaDocument {
  /// The protocol's numbers of kinds.
  private enum ItemKind: Int64 { case field = 5, type = 7, keyword = 14, constant = 21 }

  func completion(at offset: Int) -> JSONValue {
    .array(items(at: offset))
  }

  private func items(at offset: Int) -> [JSONValue] {
    if let comment = parsed.comments.first(where: {
      $0.range.lowerBound < offset && offset <= $0.range.upperBound
    }) {
      return commentItems(text.source.text(in: comment.range.lowerBound..<offset))
    }
    let before = tokens.filter {
      $0.range.upperBound < offset || ($0.kind.isMark && $0.range.upperBound <= offset)
    }
    guard let statement = lastStatement(before) else { return keywords(["DEFINE SCHEMA"]) }
    switch statement.first?.keyword {
    case .grant: return grantItems(statement)
    case _ where isInsideType(before): return memberItems(statement)
    case .create: return statement.count == 1 ? keywords(["ROLE"]) : []
    case .record: return statement.count == 1 ? keywords(["TYPE"]) : []
    case .define: return statement.count == 1 ? keywords(["SCHEMA"]) : statementItems()
    default: return statementItems()
    }
  }

  private func statementItems() -> [JSONValue] { keywords(["RECORD TYPE", "CREATE ROLE"]) }

  /// The tokens since the last mark that separates statements or members. Empty after such a mark.
  private func lastStatement(_ before: [Token]) -> [Token]? {
    guard !before.isEmpty else { return nil }
    let start = before.lastIndex { [.semicolon, .comma, .leftParenthesis].contains($0.kind) }
    let tail = Array(before[(start.map { $0 + 1 } ?? 0)...])
    // The privileges of a grant are separated by commas, too.
    if let grant = before.lastIndex(where: { $0.keyword == .grant }),
      before[grant...].allSatisfy({
        $0.kind == .comma || $0.keyword?.privilege != nil || $0.keyword == .grant
      })
    {
      return Array(before[grant...])
    }
    return tail
  }

  private func isInsideType(_ before: [Token]) -> Bool {
    let open = before.lastIndex { $0.kind == .leftParenthesis }
    let closed = before.lastIndex { $0.kind == .rightParenthesis || $0.kind == .semicolon }
    return open.map { $0 > closed ?? -1 } ?? false
  }

  private func memberItems(_ member: [Token]) -> [JSONValue] {
    guard let first = member.first else {
      return keywords(["GRANT"])
        + SystemField.allCases.map {
          item("\"\($0.storedName)\" \($0.dataType)", .field, SchemaVocabulary.meaning(of: $0))
        }
    }
    guard member.count > 1 else { return keywords(SchemaVocabulary.types) }
    if let last = member.last, last.keyword == .encrypted || last.kind == .leftAngle {
      return keywords(SchemaVocabulary.types.filter { ![.list, .encrypted].contains($0) })
    }
    if member.last?.keyword == .list { return [item("<", .keyword, nil)] }
    let place = typeIndex(at: first.range.lowerBound)
    let field = place.flatMap { parsed.recordTypes[$0].fields.first { $0.nameRange == first.range } }
    let present = Set(member.compactMap(\.keyword))
    return keywords(SchemaVocabulary.options(of: field?.type).filter { !present.contains($0) })
  }

  private func grantItems(_ grant: [Token]) -> [JSONValue] {
    guard grant.contains(where: { $0.keyword == .to }) else {
      let given = Set(grant.compactMap(\.keyword))
      let privileges = [Keyword.read, .create, .write].filter { !given.contains($0) }
      return keywords(privileges) + (given.count > 1 ? keywords([.to]) : [])
    }
    return SchemaVocabulary.roles.map { item("\"\($0)\"", .constant, SchemaVocabulary.meaning(ofRole: $0)) }
      + parsed.roles.map { item($0.name, .constant, nil) }
  }

  private func commentItems(_ written: String) -> [JSONValue] {
    if let arrow = written.ranges(of: "->").last,
      written[arrow.upperBound...].allSatisfy({ $0 == " " || $0.isLetter || $0.isNumber || $0 == "_" })
    {
      return parsed.recordTypes.map { item($0.name, .type, nil) }
    }
    return SchemaVocabulary.marks.map { item($0.text, .keyword, $0.meaning) }
  }

  private func keywords(_ keywords: [Keyword]) -> [JSONValue] {
    keywords.map { item($0.rawValue, .keyword, SchemaVocabulary.meaning(of: $0)) }
  }

  private func keywords(_ words: [String]) -> [JSONValue] { words.map { item($0, .keyword, nil) } }

  private func item(_ label: String, _ kind: ItemKind, _ meaning: String?) -> JSONValue {
    .object([
      "label": .string(label), "kind": .integer(kind.rawValue),
      "documentation": meaning.map { ["kind": "markdown", "value": .string($0)] },
    ])
  }
}

extension Token.Kind {
  /// Whether the token is a mark, after which the next word begins at once.
  fileprivate var isMark: Bool { self != .word && self != .quoted && self != .end }
}
