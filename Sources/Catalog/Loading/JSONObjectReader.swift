import Diagnostics

/// Reads the members of one JSON object, and reports all mistakes in them.
///
/// An invalid value is read as absent, so that one mistake gives one finding.
struct JSONObjectReader {
  let source: SourceText
  let node: JSONNode
  /// With its article, for messages: "a feed".
  let phrase: String
  private(set) var diagnostics: [Diagnostic] = []

  mutating func report(_ diagnostic: Diagnostic) { diagnostics.append(diagnostic) }

  mutating func report(
    _ rule: SeedRule, _ message: String, at node: JSONNode, severity: Diagnostic.Severity? = nil,
    help: String? = nil
  ) {
    report(Diagnostic(rule, message, at: source.range(of: node), severity: severity, help: help))
  }

  // MARK: Values

  /// `null` is the same as leaving the key out.
  func member(_ key: String) -> JSONNode? {
    guard let member = node[key] else { return nil }
    if case .scalar(.null) = member.content { return nil }
    return member
  }

  mutating func text(_ key: String) -> String? { member(key).flatMap { text($0, key) } }

  mutating func text(_ member: JSONNode, _ key: String) -> String? {
    guard let text = member.string else { return wrongType(key, member, expected: "a string") }
    return usable(text, "'\(key)'", at: member)
  }

  /// The text in the form in which the catalog stores it; `nil` for text that it cannot store.
  private mutating func usable(
    _ text: String, _ subject: @autoclosure () -> String, at node: JSONNode
  ) -> String? {
    // Most texts are printable ASCII, which is stored as it is.
    let isPlain = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy { (0x20..<0x7F).contains($0) } }
    if isPlain == true { return text }
    if let problem = SeedValueRules.control(text) {
      report(.unusableText, "\(subject()) cannot be stored: \(problem)", at: node)
      return nil
    }
    let composed = text.composed
    guard !composed.utf8.elementsEqual(text.utf8) else { return text }
    let range = source.range(node.range)
    report(
      Diagnostic(
        SeedRule.notComposed,
        "\(subject()) is stored in composed form (Unicode NFC), as '\(composed.trimmingWhitespace)'",
        at: range,
        help: "Write it composed: queries compare code points, not letters.",
        fix: Diagnostic.Fix(replacing: range, with: JSONValue.string(composed).text())))
    return composed
  }

  mutating func reportMissing(_ key: String) { report(.missing, "\(phrase) needs '\(key)'", at: node) }

  /// A missing list is reported and read as empty.
  mutating func requiredList(_ key: String) -> [JSONNode] {
    guard let member = member(key) else {
      reportMissing(key)
      return []
    }
    return list(member, key)
  }

  mutating func flag(_ member: JSONNode, _ key: String) -> Bool? {
    guard case .scalar(.bool(let value)) = member.content else {
      return wrongType(key, member, expected: "true or false")
    }
    return value
  }

  mutating func integer(_ member: JSONNode, _ key: String) -> Int64? {
    if case .scalar(let scalar) = member.content, let number = scalar.wholeNumber { return number }
    let number = member.value.number
    let found = number.map {
      $0 == $0.rounded() ? "a number beyond 64 bits" : "a number with a fraction"
    }
    return wrongType(key, member, expected: "a whole number", found: found)
  }

  private mutating func list(_ member: JSONNode, _ key: String) -> [JSONNode] {
    member.elements ?? wrongType(key, member, expected: "a list") ?? []
  }

  /// The strings of a list, each with its place.
  mutating func texts(_ member: JSONNode, _ key: String) -> [(text: String, node: JSONNode)] {
    list(member, key).compactMap { element in
      guard let text = element.string else {
        return wrongType("an element of '\(key)'", quoted: false, element, expected: "a string")
      }
      return usable(text, "an element of '\(key)'", at: element).map { ($0, element) }
    }
  }

  private mutating func wrongType<Value>(
    _ key: String, quoted: Bool = true, _ member: JSONNode, expected: String, found: String? = nil
  ) -> Value? {
    let subject = quoted ? "'\(key)'" : key
    report(.wrongType, "\(subject) must be \(expected), not \(found ?? member.value.kindName)", at: member)
    return nil
  }

  // MARK: Keys

  /// Reports unknown keys, except those that begin with `$`, which are for editors.
  mutating func checkKeys(_ known: [String]) {
    for member in node.members ?? [] where !known.contains(member.key) && !member.key.hasPrefix("$") {
      report(unknownKey(member.key, at: source.range(member.keyRange), known: known, meant: nil))
    }
  }

  /// Reports keys that no row has.
  ///
  /// - Parameter recordType: the type of the records, for values that other owners compute.
  mutating func checkKeys(of rows: [SeedField], computedIn recordType: String) {
    // Row by row, because an entry has few keys and a catalog many entries.
    for member in node.members ?? [] where !rows.contains(where: { $0.key == member.key }) {
      if member.key.hasPrefix("$") { continue }
      let owner = FieldOwnership.owner(of: member.key, in: recordType)
      let range = source.range(member.keyRange)
      if let owner, owner != .editorial {
        let text = "'\(member.key)' is \(owner.explanation), so the value here is ignored"
        report(Diagnostic(SeedRule.computedField, text, at: range, help: "Leave it out."))
      } else {
        let meant = rows.first { $0.recordField == member.key }?.key
        report(unknownKey(member.key, at: range, known: rows.map(\.key), meant: meant))
      }
    }
  }

  private func unknownKey(
    _ key: String, at range: SourceRange, known: [String], meant: String?
  ) -> Diagnostic {
    // A key that is there, too, would be there twice.
    let free = known.filter { node[$0] == nil }.sorted()
    let nearest =
      meant.flatMap { free.contains($0) ? $0 : nil } ?? SpellingSuggestion.nearest(to: key, among: free)
    return Diagnostic(
      SeedRule.unknownKey, "\(phrase) has no key '\(key)'", at: range,
      help: nearest.map { "Did you mean '\($0)'?" }
        ?? "Known keys: \(known.sorted().joined(separator: ", ")).",
      fix: nearest.map { Diagnostic.Fix(replacing: range, with: "\"\($0)\"") })
  }
}

extension FieldOwner {
  /// Completes "this field is …".
  fileprivate var explanation: String {
    switch self {
    case .editorial: "editorial"
    case .seedAtCreation: "set when the record is made"
    case .seedAtChange: "set when the record changes"
    case .computed(let job): "computed by '\(job.rawValue)'"
    case .app: "written by the apps"
    case .unused: "never written by this tool"
    case .system: "kept by CloudKit"
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character is visible: not white space, and not an invisible one such as a zero-width space.
  package var isVisible: Bool {
    if isASCII { return value > 0x20 && value != 0x7F }
    return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
      && properties.generalCategory != .format
  }
}
