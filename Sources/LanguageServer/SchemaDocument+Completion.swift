internal import Diagnostics
internal import SchemaLanguage

extension SchemaDocument {
  private enum ItemKind: Int64 { case field = 5, type = 7, keyword = 14, constant = 21 }

  private struct Item {
    let label: String
    let kind: ItemKind
    let meaning: String?
    /// What is written for it, if not the label.
    var written: String?
    /// What a menu shows beside the label, in a few words.
    var detail: String?
  }

  /// Each item replaces what is written of it: editors cut words at quotes and colons in ways of their own.
  ///
  /// - Parameter isTyping: whether a space was typed, and the user did not ask.
  func completion(at offset: Int, isTyping: Bool = false) -> JSONValue {
    let comment = parsed.comments.first { $0.range.lowerBound < offset && offset <= $0.range.upperBound }
    let found =
      comment.map { commentItems(text.source.text(in: $0.range.lowerBound..<offset), isTyping) }
      ?? items(at: offset)
    let place = written(before: offset, in: comment)
    let range = text.range(place)
    let isQuoted = text.source.text(in: place).hasPrefix("\"")
    return .array(
      found.filter { !isQuoted || $0.label.hasPrefix("\"") }.map { item in
        // A name that is typed without its quote is found, too.
        let isBare = !isQuoted && item.label.hasPrefix("\"")
        return .object([
          "label": .string(item.label), "filterText": isBare ? .string(String(item.label.dropFirst())) : nil,
          "kind": .integer(item.kind.rawValue), "detail": item.detail.map(JSONValue.string),
          "documentation": item.meaning.map { ["kind": "markdown", "value": .string($0)] },
          "textEdit": ["range": range, "newText": .string(item.written ?? item.label)],
        ])
      })
  }

  /// The word or the quoted name up to an offset, with the closing quote that an editor put behind it.
  private func written(before offset: Int, in comment: Comment?) -> Range<Int> {
    let bytes = text.source.bytes
    if let comment {
      let word = bytes[comment.range.lowerBound..<offset].reversed().prefix {
        $0.isIdentifierByte || $0 == UInt8(ascii: ":")
      }
      return offset - word.count..<offset
    }
    guard let token = token(at: offset), token.kind == .word || token.kind == .quoted,
      token.range.lowerBound < offset, offset <= token.range.upperBound
    else { return offset..<offset }
    let isClosed = token.kind == .quoted && offset < bytes.count && bytes[offset] == UInt8(ascii: "\"")
    return token.range.lowerBound..<(isClosed ? offset + 1 : offset)
  }

  private func items(at offset: Int) -> [Item] {
    let before = tokens.filter {
      $0.range.upperBound < offset || ($0.kind.isMark && $0.range.upperBound <= offset)
    }
    guard let statement = lastStatement(before) else { return keywords(["DEFINE SCHEMA"]) }
    switch statement.first?.keyword {
    case .grant: return grantItems(statement)
    case _ where isInsideType(before): return memberItems(statement, at: offset)
    case .create: return statement.count == 1 ? keywords(["ROLE"]) : []
    case .record: return statement.count == 1 ? keywords(["TYPE"]) : []
    case .define: return keywords(["SCHEMA"])
    default: return keywords(["RECORD TYPE", "CREATE ROLE"])
    }
  }

  /// The tokens since the last mark that separates statements or members, or since DEFINE SCHEMA, which has none. Empty
  /// after these.
  private func lastStatement(_ before: [Token]) -> [Token]? {
    guard !before.isEmpty else { return nil }
    let start = before.lastIndex {
      [.semicolon, .comma, .leftParenthesis, .rightParenthesis].contains($0.kind)
    }
    var tail = Array(before[(start.map { $0 + 1 } ?? 0)...])
    if tail.count > 1, tail[0].keyword == .define { tail.removeFirst(2) }
    // The privileges of a grant are separated by commas, too.
    if let grant = before.lastIndex(where: { $0.keyword == .grant }),
      before[grant...].allSatisfy({
        $0.kind == .comma || $0.keyword?.privilege != nil || $0.keyword == .grant || $0.keyword == .to
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

  private func memberItems(_ member: [Token], at offset: Int) -> [Item] {
    guard let first = member.first else {
      // The type that is being written has no end yet.
      let type = typeIndex(at: offset) ?? parsed.recordTypes.lastIndex { $0.range.lowerBound < offset }
      let declared = type.map { Set(parsed.recordTypes[$0].fields.map(\.name)) } ?? []
      return keywords(["GRANT"])
        + SystemField.allCases.filter { !declared.contains($0.storedName) }.map {
          Item(
            label: "\"\($0.storedName)\" \($0.dataType)", kind: .field,
            meaning: SchemaVocabulary.meaning(of: $0.storedName))
        }
    }
    guard member.count > 1 else {
      let name = text.source.text(in: first.range).filter { $0 != "\"" }
      return SystemField(storedName: name).map { keywords([$0.dataType.description]) }
        ?? keywords(SchemaVocabulary.types)
    }
    switch member.last?.keyword {
    case .encrypted: return keywords(SchemaVocabulary.types.filter { $0.encryptable != nil })
    case .list: return [Item(label: "<", kind: .keyword, meaning: nil)]
    case .preferred: return keywords([.as])
    case .as: return keywords([Keyword.int64, .double])
    case _ where member.last?.kind == .leftAngle:
      return keywords(SchemaVocabulary.types.filter { $0 != .list })
    default: break
    }
    let place = typeIndex(at: first.range.lowerBound)
    let field = place.flatMap { parsed.recordTypes[$0].fields.first { $0.nameRange == first.range } }
    let present = Set(member.compactMap(\.keyword))
    return keywords(SchemaVocabulary.options(of: field?.type).filter { !present.contains($0) })
  }

  private func grantItems(_ grant: [Token]) -> [Item] {
    guard grant.contains(where: { $0.keyword == .to }) else {
      // Behind a privilege a comma or TO follows.
      if grant.last?.keyword?.privilege != nil { return keywords([.to]) }
      let given = Set(grant.compactMap(\.keyword))
      return keywords([Keyword.read, .create, .write].filter { !given.contains($0) })
    }
    return [Role.world, Role.icloud, Role.creator].map {
      Item(label: "\"\($0)\"", kind: .constant, meaning: SchemaVocabulary.meaning(of: $0))
    } + parsed.roles.map { Item(label: $0.name, kind: .constant, meaning: nil) }
  }

  private func commentItems(_ written: String, _ isTyping: Bool) -> [Item] {
    if let arrow = written.ranges(of: "->").last,
      written[arrow.upperBound...].allSatisfy({ $0 == " " || $0.isLetter || $0.isNumber || $0 == "_" })
    {
      return parsed.recordTypes.map { Item(label: $0.name, kind: .type, meaning: nil) }
    }
    let words = written.dropFirst(2).drop { $0 == " " }
    if words.hasPrefix(SchemaVocabulary.ignoring) {
      // Behind the code stands a reason in a person's words.
      guard !words.dropFirst(SchemaVocabulary.ignoring.count).contains(" ") else { return [] }
      return SchemaRules.all.filter { !$0.code.hasPrefix("CK01") }.map {
        Item(label: $0.code, kind: .constant, meaning: nil, detail: $0.summary)
      }
    }
    guard !isTyping else { return [] }
    return SchemaVocabulary.marks.filter { $0.text.hasPrefix(words) }.map { mark in
      Item(
        label: mark.text, kind: .keyword, meaning: mark.meaning,
        written: mark.text.hasPrefix(SchemaVocabulary.ignoring) ? SchemaVocabulary.ignoring : nil)
    }
  }

  private func keywords(_ keywords: [Keyword]) -> [Item] {
    keywords.map {
      Item(label: $0.rawValue, kind: .keyword, meaning: SchemaVocabulary.meaning(of: $0.rawValue))
    }
  }

  private func keywords(_ words: [String]) -> [Item] {
    words.map { Item(label: $0, kind: .keyword, meaning: nil) }
  }
}

extension Token.Kind {
  /// Whether the token is a mark, after which the next word begins at once.
  fileprivate var isMark: Bool { self != .word && self != .quoted && self != .end }
}
