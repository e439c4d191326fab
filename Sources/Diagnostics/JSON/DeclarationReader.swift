package protocol DeclarationRuleCode: RuleCode {
  static var unknownKey: Self { get }
  static var missing: Self { get }
  static var wrongType: Self { get }
}

/// Reads the JSON of a file of declarations, and collects the findings in it. A value that is wrong is reported, and read
/// as missing.
package final class DeclarationReader<Code: DeclarationRuleCode> {
  package let source: SourceText
  package var diagnostics: [Diagnostic] = []

  package init(_ source: SourceText) { self.source = source }

  package func keys(of node: JSONNode, allowed: [String]) {
    guard let members = node.members else {
      report(.wrongType, "expected an object, found \(node.value.kindName)", at: node)
      return
    }
    for member in members where !allowed.contains(member.key) {
      unknown(member, "key", among: allowed)
    }
  }

  package func list(_ node: JSONNode?) -> [JSONNode] {
    guard let node else { return [] }
    if let elements = node.elements { return elements }
    report(.wrongType, "expected a list, found \(node.value.kindName)", at: node)
    return []
  }

  package func required(_ key: String, of node: JSONNode) -> JSONNode? {
    if let value = node[key] { return value }
    if node.members != nil { report(.missing, "'\(key)' is missing", at: node) }
    return nil
  }

  package func string(_ key: String, of node: JSONNode) -> String? { required(key, of: node).flatMap(text) }

  package func text(_ node: JSONNode) -> String? {
    if let value = node.string, !value.isEmpty { return value }
    report(.wrongType, "expected a string that is not empty, found \(node.value.kindName)", at: node)
    return nil
  }

  package func flag(_ node: JSONNode) -> Bool? {
    if case .scalar(.bool(let value)) = node.content { return value }
    report(.wrongType, "expected true or false, found \(node.value.kindName)", at: node)
    return nil
  }

  package func unknown(_ member: JSONMember, _ kind: String, among known: [String]) {
    diagnostics.append(
      Diagnostic(
        Code.unknownKey, "unknown \(kind) '\(member.key)'", at: source.range(member.keyRange),
        help: SpellingSuggestion.help(member.key, among: known, quote: "'")
          ?? "write one of \(known.filter { !$0.hasPrefix("$") }.joined(separator: ", "))"))
  }

  package func report(
    _ rule: Code, _ message: String, at node: JSONNode, help: String? = nil,
    note: Diagnostic.Note? = nil
  ) {
    diagnostics.append(
      Diagnostic(
        rule, message, at: source.range(of: node), notes: note.map { [$0] } ?? [], help: help))
  }
}
