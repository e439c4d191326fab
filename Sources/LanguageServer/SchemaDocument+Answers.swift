internal import Diagnostics
internal import SchemaLanguage

/// The answers to an editor's questions about a place in a schema, as the protocol's JSON.
extension SchemaDocument {
  // MARK: Meaning

  func hover(at offset: Int) -> JSONValue {
    guard let (element, range) = element(at: offset), let text = meaning(of: element) else { return .null }
    return ["contents": ["kind": "markdown", "value": .string(text)], "range": self.text.range(range)]
  }

  private func meaning(of element: Element) -> String? {
    switch element {
    case .keyword(let keyword): return SchemaVocabulary.meaning(of: keyword.rawValue)
    case .role(let name):
      if name.hasPrefix("_"), let system = SchemaVocabulary.meaning(of: name) { return system }
      let grants = parsed.recordTypes.flatMap { type in
        type.grants.filter { $0.grant.role == name }.map { "- \($0.grant.privileges.list) on `\(type.name)`" }
      }
      return joined([
        "**\(name)**", grants.joined(separator: "\n"), SchemaVocabulary.meaning(of: "ROLE") ?? "",
      ])
    case .recordType(let name):
      guard let place = parsed.recordTypes.firstIndex(where: { $0.name == name }) else { return nil }
      let type = parsed.recordTypes[place]
      let fields = type.fields.filter { !$0.isSystem }.count
      let grants = type.grants.map { "- \($0.grant.privileges.list) to `\($0.grant.role)`" }
      return joined([
        "**\(name)**: \(counted(fields, "field"))", CommentAttachment(parsed).words(.opening(place)),
        grants.joined(separator: "\n"), SchemaVocabulary.meaning(of: "RECORD") ?? "",
      ])
    case .field(let place, let index):
      let field = parsed.recordTypes[place].fields[index]
      if field.isSystem { return SchemaVocabulary.meaning(of: field.name) }
      let line = field.field?.declaration ?? "an unknown type"
      let keyword = field.type.flatMap { type in
        SchemaVocabulary.meaning(of: String(type.description.prefix { $0.isLetter || $0.isNumber }))
      }
      return joined([
        "**\(field.name)**: `\(line)`", CommentAttachment(parsed).words(.field(place, index)), keyword ?? "",
      ])
    }
  }

  private func joined(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: "\n\n") }

  // MARK: Places

  func definition(at offset: Int, uri: String) -> JSONValue {
    guard let (element, _) = element(at: offset), let range = declaration(of: element) else { return .null }
    return ["uri": .string(uri), "range": text.range(range)]
  }

  func references(at offset: Int, uri: String) -> JSONValue {
    guard let (element, _) = element(at: offset) else { return .null }
    return .array(occurrences(of: element).map { ["uri": .string(uri), "range": text.range($0)] })
  }

  /// The range of a name that can be renamed: a record type's or a role's that the file declares.
  func renamable(at offset: Int) -> Range<Int>? {
    guard let (element, range) = element(at: offset), declaration(of: element) != nil else { return nil }
    switch element {
    case .recordType(let name): return SystemNames.isManaged(name) ? nil : range
    case .role: return range
    case .field, .keyword: return nil
    }
  }

  func rename(at offset: Int, to name: String, uri: String) -> JSONValue? {
    guard renamable(at: offset) != nil, Schema.isPlainName(name), !SystemNames.isManaged(name),
      let (element, own) = element(at: offset), !names(like: element).contains(name)
    else { return nil }
    // Of two declarations, such as a copy that was pasted, one gets another name.
    let isDeclaredTwice = parsed.recordTypes.count { element == .recordType($0.name) } > 1
    let edits = (isDeclaredTwice ? [own] : occurrences(of: element)).map { range -> JSONValue in
      ["range": text.range(range), "newText": .string(name)]
    }
    return ["changes": .object([uri: .array(edits)])]
  }

  /// The names of all record types, or of all roles, which must differ.
  private func names(like element: Element) -> [String] {
    if case .role = element { parsed.roles.map(\.name) } else { parsed.recordTypes.map(\.name) }
  }

  /// The record types with their fields, and the roles.
  func symbols() -> JSONValue {
    let roles = parsed.roles.map { symbol($0.name, .role, $0.range, $0.nameRange) }
    let types = parsed.recordTypes.map { type in
      symbol(
        type.name, .type, type.range, type.nameRange,
        type.fields.map { symbol($0.name, .field, $0.range, $0.nameRange, detail: $0.type?.description) })
    }
    return .array(roles + types)
  }

  /// The protocol's numbers of kinds: Constant, Struct, Field.
  private enum SymbolKind: Int64 { case role = 14, type = 23, field = 8 }

  private func symbol(
    _ name: String, _ kind: SymbolKind, _ range: Range<Int>, _ nameRange: Range<Int>,
    _ children: [JSONValue] = [],
    detail: String? = nil
  ) -> JSONValue {
    .object([
      "name": .string(name.isEmpty ? "?" : name), "detail": detail.map(JSONValue.string),
      "kind": .integer(kind.rawValue), "range": text.range(range), "selectionRange": text.range(nameRange),
      "children": .array(children),
    ])
  }

  /// Record types and comments of several lines.
  func folding() -> JSONValue {
    func fold(_ range: Range<Int>, _ kind: String) -> JSONValue {
      let lines = [range.lowerBound, range.upperBound].map { JSONValue(text.source.lineNumber(at: $0) - 1) }
      return ["startLine": lines[0], "endLine": lines[1], "kind": .string(kind)]
    }
    let folds =
      parsed.recordTypes.map { fold($0.range.lowerBound..<$0.end, "region") }
      + parsed.comments.filter(\.isBlock).map { fold($0.range, "comment") }
    return .array(folds.filter { $0["startLine"] != $0["endLine"] })
  }

  // MARK: Semantic tokens

  /// The kinds of tokens, in the order of their numbers.
  static let tokenKinds = ["keyword", "type", "property", "modifier", "class", "enumMember", "comment"]

  /// Five numbers a token: lines and units since the one before, length, kind, and no modifiers.
  func semanticTokens() -> JSONValue {
    var marks: [(range: Range<Int>, kind: Int)] = tokens.compactMap { token in
      switch token.keyword {
      case nil: nil
      case .queryable, .sortable, .searchable: (token.range, 3)
      case let keyword? where keyword.startsType: (token.range, 1)
      case _?: (token.range, 0)
      }
    }
    var names: [Range<Int>: Int] = [:]
    for role in parsed.roles { names[role.nameRange] = 5 }
    for type in parsed.recordTypes {
      names[type.nameRange] = 4
      for field in type.fields { names[field.nameRange] = 2 }
      for grant in type.grants { names[grant.roleRange] = 5 }
    }
    marks.removeAll { names[$0.range] != nil }
    marks += names.map { ($0.key, $0.value) } + commentLines()
    marks.sort { $0.range.lowerBound < $1.range.lowerBound }
    var numbers: [JSONValue] = []
    numbers.reserveCapacity(marks.count * 5)
    var (line, start) = (1, text.source.lineStart(1))
    for mark in marks where !mark.range.isEmpty {
      let next = text.source.lineNumber(at: mark.range.lowerBound)
      if next != line { start = text.source.lineStart(next) }
      numbers += [
        next - line, text.units(in: start..<mark.range.lowerBound), text.units(in: mark.range), mark.kind, 0,
      ]
      .map { JSONValue($0) }
      (line, start) = (next, mark.range.lowerBound)
    }
    return ["data": .array(numbers)]
  }

  /// The comments, each line of a block by itself: a token does not go over the end of a line.
  private func commentLines() -> [(range: Range<Int>, kind: Int)] {
    parsed.comments.flatMap { comment -> [(range: Range<Int>, kind: Int)] in
      var lines: [(range: Range<Int>, kind: Int)] = []
      var start = comment.range.lowerBound
      for index in comment.range where text.source.bytes[index].endsLine {
        if index > start { lines.append((start..<index, 6)) }
        start = index + 1
      }
      return lines + [(start..<comment.range.upperBound, 6)]
    }
  }

  // MARK: Changes

  /// The edits that format the text, or the record types that a range touches; none while the text has errors, because
  /// unreadable parts would be lost.
  func formatting(_ range: Range<Int>? = nil) -> JSONValue {
    guard !parsed.diagnostics.hasErrors else { return .array([]) }
    let parts = range.map { range in
      parsed.recordTypes.map(\.range).filter { $0.contains(range.lowerBound) || $0.overlaps(range) }
    }
    return .array(text.edits(to: SchemaFormatter.format(parsed, keepsOrder: true), in: parts))
  }
}
