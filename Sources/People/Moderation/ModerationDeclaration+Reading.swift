package import Diagnostics

extension ModerationDeclaration {
  /// Reads the file and reports all that is wrong with it. If one of the findings is an error, the caller must not use
  /// the declaration.
  package static func load(_ source: SourceText) -> (
    declaration: ModerationDeclaration, diagnostics: [Diagnostic]
  ) {
    let reader = DeclarationReader<ModerationRule>(source)
    do {
      let declaration = try reader.moderation(JSONNode(parsing: source.bytes))
      return (declaration, reader.diagnostics)
    } catch {
      return (Self(), [error.diagnostic(in: source, code: ModerationRule.invalidJSON.code)])
    }
  }
}

extension ModerationRule: DeclarationRuleCode {}

extension DeclarationReader<ModerationRule> {
  fileprivate func moderation(_ node: JSONNode) -> ModerationDeclaration {
    var moderation = ModerationDeclaration()
    keys(of: node, allowed: ["$schema", "types", "reports", "words", "newAccountDays", "role"])
    for node in list(required("types", of: node)) {
      guard let type = contentType(node) else { continue }
      if let first = moderation[recordType: type.recordType] {
        report(
          .duplicate, "the type '\(type.recordType)' is declared twice", at: node,
          note: .init("first declared here", at: first.place))
      }
      moderation.types.append(type)
    }
    if let reports = node["reports"] { moderation.reports = self.reports(reports) }
    moderation.words = list(node["words"]).compactMap(word)
    if let days = node["newAccountDays"].flatMap(count) { moderation.newAccountDays = days }
    if let node = node["role"], let role = text(node) {
      moderation.role = role
      moderation.rolePlace = source.range(of: node)
    }
    return moderation
  }

  private func contentType(_ node: JSONNode) -> ModerationDeclaration.ContentType? {
    keys(of: node, allowed: ["recordType", "texts", "hiddenField", "activeField", "thread", "limit"])
    guard let recordType = string("recordType", of: node) else { return nil }
    let type = ModerationDeclaration.ContentType(
      recordType: recordType, texts: list(node["texts"]).compactMap(text),
      hiddenField: node["hiddenField"].flatMap(text), activeField: node["activeField"].flatMap(text),
      thread: node["thread"].flatMap(thread), limit: node["limit"].flatMap(limit),
      place: source.range(of: node))
    if type.hiddenField == nil, type.activeField == nil {
      report(.missing, "'\(recordType)' needs 'hiddenField' or 'activeField'", at: node)
    } else if type.hiddenField == type.activeField {
      report(.wrongType, "'hiddenField' and 'activeField' of '\(recordType)' are the same field", at: node)
    }
    return type
  }

  private func thread(_ node: JSONNode) -> ModerationDeclaration.Thread? {
    keys(of: node, allowed: ["field", "recordType", "sort"])
    guard let field = string("field", of: node), let type = string("recordType", of: node),
      let sort = string("sort", of: node)
    else { return nil }
    return .init(field: field, recordType: type, sort: sort)
  }

  private func limit(_ node: JSONNode) -> ModerationDeclaration.WritingLimit? {
    keys(of: node, allowed: ["records", "minutes"])
    guard let records = required("records", of: node).flatMap(count),
      let minutes = required("minutes", of: node).flatMap(count)
    else { return nil }
    return (records: records, minutes: minutes)
  }

  private func reports(_ node: JSONNode) -> ModerationDeclaration.Reports {
    var reports = ModerationDeclaration.Reports()
    let members: [(String, WritableKeyPath<ModerationDeclaration.Reports, String>)] = [
      ("recordType", \.recordType), ("target", \.target), ("targetType", \.targetType),
      ("reason", \.reason), ("note", \.note), ("isOpen", \.isOpen), ("decision", \.decision),
    ]
    keys(of: node, allowed: members.map(\.0))
    for (key, path) in members {
      if let value = node[key].flatMap(text) { reports[keyPath: path] = value }
    }
    let fields = members.dropFirst()
    for (key, path) in fields {
      guard let first = fields.first(where: { reports[keyPath: $0.1] == reports[keyPath: path] })?.0,
        first != key
      else { continue }
      report(.wrongType, "'\(first)' and '\(key)' of 'reports' are the same field", at: node)
    }
    reports.place = source.range(of: node)
    return reports
  }

  private func word(_ node: JSONNode) -> String? {
    guard let text = text(node) else { return nil }
    if ModerationWord(text) != nil { return text }
    report(
      .wrongType, "'\(text)' contains neither a letter nor a digit, or a '*' that is not at its end", at: node
    )
    return nil
  }

  private func count(_ node: JSONNode) -> Int? {
    if case .scalar(.integer(let value)) = node.content, (1...10_000).contains(value) { return Int(value) }
    report(.wrongType, "expected a whole number from 1 to 10000", at: node)
    return nil
  }
}
