/// The texts that the expressions at a place of the code may be.
extension SwiftUseReader {
  /// The text of an expression; `nil` where only running the code shows it, or where it may be one of several.
  func text(at index: Int, level: Int = 0) -> String? {
    let names = self.names(at: index, level: level).names
    return names.count == 1 ? names[0].field : nil
  }

  /// The texts that an expression may be, as names of types or fields.
  ///
  /// - Parameter level: as for ``expression(at:level:depth:)``; whatever follows a value of 2 may do so.
  func names(at index: Int, level: Int = 0) -> (names: [SwiftKey], end: Int) {
    let found = expression(at: index, level: level)
    let isAll = level > 0 || endsExpression(found.end) || tokens[found.end].isMark(":")
    guard isAll, !found.values.isEmpty else { return ([.unknown(index)], found.end) }
    var names: [SwiftKey] = []
    for value in found.values where tokens[value[0].range.lowerBound].word != "nil" {
      let place = found.values.count == 1 ? index : value[0].range.lowerBound
      for text in texts(of: value) {
        let name = SwiftKey(field: SwiftConstants.isWhole(text) ? text : nil, place: place)
        if !names.contains(where: { $0.field == name.field && ($0.field != nil || $0.place == place) }) {
          names.append(name)
        }
      }
    }
    return (names, found.end)
  }

  /// The texts that an expression may be, with ``SwiftConstants/unknownPart`` for what only running the code shows.
  func texts(at index: Int) -> (texts: [String], end: Int) {
    let found = expression(at: index)
    let texts = found.values.filter { tokens[$0[0].range.lowerBound].word != "nil" }.flatMap {
      self.texts(of: $0)
    }
    return (texts.isEmpty ? [SwiftConstants.unknownPart] : texts, found.end)
  }

  /// The texts of values with `+` between them.
  private func texts(of values: [Value]) -> [String] {
    values.reduce([""]) { Self.joined($0, texts(of: $1)) }
  }

  private static func joined(_ first: [String], _ second: [String]) -> [String] {
    first.count * second.count > 32
      ? [SwiftConstants.unknownPart] : first.flatMap { text in second.map { text + $0 } }
  }

  private func texts(of value: Value) -> [String] {
    let (start, last) = (value.range.lowerBound, value.range.upperBound)
    let unknown = [SwiftConstants.unknownPart]
    guard start < last else { return unknown }
    let (found, end) = hiding(value.hidden).constantTexts(at: start)
    guard let found else { return unknown }
    if end <= last, tokens[end..<last].allSatisfy({ $0.isMark(of: "?!") }) { return found }
    // `"a == 1".appending(more)`
    return tokens[start].isLiteral ? Self.joined(found, unknown) : unknown
  }

  /// The texts of a literal or of a constant, and the index behind it.
  private func constantTexts(at start: Int) -> (texts: [String]?, end: Int) {
    switch tokens[start].kind {
    case .string(let text): return ([text], start + 1)
    case .interpolation(let parts, _):
      let texts = parts.reduce([""]) { texts, part -> [String] in
        switch part {
        case .text(let text): return Self.joined(texts, [text])
        case .code(let index):
          let (inner, end) = self.texts(at: index)
          return Self.joined(texts, tokens[end].isMark(")") ? inner : [SwiftConstants.unknownPart])
        }
      }
      return (texts, start + tokens[start].length)
    case .word, .number, .mark, .edge: break
    }
    var (path, isImplicit, end) = tokens.path(at: start)
    // `#keyPath(CKRecord.creationDate)`
    if path == ["keyPath"], tokens[end].isMark("(") {
      let inner = tokens.path(at: end + 1)
      return (inner.words.last.map { [$0] }, inner.end + 1)
    }
    if path.last == "name",
      let (field, _) = constants.queryField(Array(path.dropLast()), in: scopes.typeNames)
    {
      return ([field], end)
    }
    if let key = keyArgument(of: path.last, at: end) {
      let (texts, last) = self.texts(at: key)
      return tokens[last].isMark(")") ? (texts, last + 1) : (nil, end)
    }
    if let last = path.last, SwiftConstants.accessors.contains(last) || isAccessor(path) { path.removeLast() }
    guard let name = path.last, !tokens[end].isMark("(") else { return (nil, end) }
    if isImplicit, path.count == 1, let wantedType { (path, isImplicit) = ([wantedType, name], false) }
    guard path.count == 1, !isImplicit, let variable = scopes.variable(name) else {
      let texts = constant(path, isImplicit: isImplicit, of: "RecordType") { reader, value -> [String]? in
        if let text = value.text { return [text] }
        let (texts, end) = reader.texts(at: value.place)
        // Which case `self` is depends on the value that is asked.
        let isOfCase = texts.count > 1 && reader.tokens[value.place..<end].contains { $0.word == "self" }
        let isKnown = reader.endsExpression(end) && texts.contains(where: SwiftConstants.isWhole)
        return isKnown && !isOfCase ? texts : nil
      }
      return (texts, end)
    }
    guard case .text(let texts) = variable else { return (nil, end) }
    return (texts.contains(SwiftConstants.change) ? [texts.joined(separator: " ")] : texts, end)
  }

  /// The place of the text in `FieldKey("title")`, `Field<Int>(rawValue: "count")`.
  private func keyArgument(of name: String?, at end: Int) -> Int? {
    // `.init("Note")`, `CKRecord.RecordType.init("Note")`
    guard let name, SwiftConstants.isKeyType(name) || name == "init" || name == "String" else { return nil }
    let open = tokens[end].isMark("<") ? tokens.closingGenerics(of: end) + 1 : end
    guard tokens[open].isMark("(") else { return nil }
    let (label, argument) = tokens.labeled(open + 1)
    let isText =
      name != "String" && name != "init" || label.map(["rawValue", "stringLiteral"].contains) ?? true
    return isText && tokens[argument].isLiteral ? argument : nil
  }
}
