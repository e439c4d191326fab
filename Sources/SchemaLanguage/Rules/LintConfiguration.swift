package import Diagnostics

/// The `schema` object of celestra-admin.json: the settings of `schema lint`, the exceptions of `schema diff --policy` and
/// `schema check-app`, and the relations that `schema docs` and `schema generate` use.
///
///     {"schema": {
///       "database": "public",
///       "privateTypes": ["CD_*", "WalletBackup"],
///       "publicTypes": ["CD_Shared*"],
///       "rules": {"CK0203": "note", "CK0306": {"Session*": "off", "*": "error"}},
///       "relations": {"Message.to": "Class"},
///       "queries": "schema/app-queries.json",
///       "allowedChanges": [{"change": "removeIndex", "recordType": "Note", "field": "title", "reason": "…"}],
///       "allowedFindings": [{"code": "AP0102", "recordType": "CD_Note", "field": "CD_text", "reason": "…"}]}}
package struct LintConfiguration: Sendable, Hashable {
  package var databases = DatabasePatterns()
  package var severities = RuleSeverities()
  package fileprivate(set) var relations: [DeclaredRelation] = []
  package fileprivate(set) var allowedChanges: [AllowedChange] = []
  package fileprivate(set) var allowedFindings: [AllowedFinding] = []
  /// The file with the app's queries, from the folder of the settings.
  package fileprivate(set) var queries: String?
  /// All patterns with their places, to report those that match nothing.
  fileprivate(set) var places: [PatternPlace] = []

  struct PatternPlace: Sendable, Hashable {
    let pattern: NamePattern
    let range: SourceRange
  }

  package init() {}

  package enum SettingForm: Sendable, Hashable {
    case word(of: [String])
    case path
    case list
    case object
  }

  package static let settings: [(key: String, form: SettingForm, summary: String)] = [
    (
      "schema.database", .word(of: StatedDatabase.allCases.map(\.rawValue)),
      "the database of types about which nothing else is known"
    ),
    ("schema.privateTypes", .list, "types of the private database, or patterns of their names"),
    ("schema.publicTypes", .list, "types of the public database, or patterns of their names"),
    ("schema.rules", .object, "the severity of a rule, for all types or for patterns of their names"),
    ("schema.relations", .object, "the type that a field refers to, where no comment says it"),
    ("schema.queries", .path, "the app's queries, whose indexes 'schema lint' and editors check"),
    ("schema.allowedChanges", .list, "changes that the policy 'additive' permits, each with its reason"),
    (
      "schema.allowedFindings", .list,
      "findings of 'schema check-app' that are accepted, each with its reason"
    ),
  ]

  /// Reads the `schema` object of a project file, or its dotted keys. Invalid settings are reported and left out.
  package static func read(_ source: SourceText) -> (
    configuration: LintConfiguration, diagnostics: [Diagnostic]
  ) {
    var reader = LintConfigurationReader(source: source)
    reader.read()
    return (reader.configuration, reader.diagnostics)
  }

  /// Findings for settings that are about what none of the schemas has: relations, and patterns that match no record type.
  /// A pattern with wildcards that is not similar to a type's name is a warning only: it may be about types to come.
  package func unmatched(in schemas: [ParsedSchema]) -> [Diagnostic] {
    let types = Set(schemas.flatMap(\.recordTypes).map(\.name))
    let patterns = places.compactMap { place -> Diagnostic? in
      guard !types.contains(where: place.pattern.matches) else { return nil }
      let text = place.pattern.description
      let near = SpellingSuggestion.help(text, among: types.sorted())
      let isOpen = near == nil && place.pattern.hasWildcard
      guard !isOpen || !types.isEmpty else { return nil }
      return Diagnostic(
        SchemaCode.unreadableSettings,
        "no record type \(isOpen ? "matches" : "is named") '\(text)'", at: place.range,
        severity: isOpen ? .warning : .error,
        help: near ?? (isOpen ? "remove it, or check the schema with such types in the same run" : nil))
    }
    return patterns + unknownRelations(in: schemas)
  }
}

/// Converts the settings' JSON to a configuration, and reports invalid parts with their places.
private struct LintConfigurationReader {
  let source: SourceText
  var configuration = LintConfiguration()
  var diagnostics: [Diagnostic] = []

  mutating func read() {
    let root: JSONNode
    do throws(JSONSyntaxError) { root = try JSONNode(parsing: source.bytes) } catch {
      return diagnostics.append(error.diagnostic(in: source, code: SchemaCode.unreadableSettings.code))
    }
    for member in checked(root, \.members, "expected an object with settings") ?? [] {
      if member.key == "schema" {
        let settings =
          checked(member.value, \.members, "expected an object with the settings of schemas") ?? []
        for setting in settings { read(setting, named: setting.key) }
      } else if member.key.hasPrefix("schema.") {
        read(member, named: String(member.key.dropFirst("schema.".count)))
      }
    }
  }

  private mutating func read(_ setting: JSONMember, named name: String) {
    let value = setting.value
    switch name {
    case "database":
      let database: StatedDatabase? = word(
        value, "expected \"public\" or \"private\"", help: "name single types in schema.privateTypes")
      if let database { configuration.databases.database = database }
    case "privateTypes": configuration.databases.privateTypes += patterns(in: value)
    case "publicTypes": configuration.databases.publicTypes += patterns(in: value)
    case "rules": readRules(value)
    case "relations": readRelations(value)
    case "queries": configuration.queries = checked(value, \.string, "expected the path of a file")
    case "allowedChanges":
      let changes = checked(value, \.elements, "expected a list of changes, each with its reason") ?? []
      configuration.allowedChanges += changes.compactMap { allowedChange($0) }
    case "allowedFindings":
      let findings = checked(value, \.elements, "expected a list of findings, each with its reason") ?? []
      configuration.allowedFindings += findings.compactMap { allowedFinding($0) }
    case _ where name.hasPrefix("$"): break  // a comment
    default:
      let known = LintConfiguration.settings.map { String($0.key.dropFirst("schema.".count)) }
      report(
        "there is no setting 'schema.\(name)'", setting.keyRange, .warning,
        help: SpellingSuggestion.help(name, among: known))
    }
  }

  // MARK: Values, of which another kind is reported

  private mutating func checked<Value>(
    _ node: JSONNode, _ kind: KeyPath<JSONNode, Value?>, _ expected: String
  ) -> Value? {
    let value = node[keyPath: kind]
    if value == nil { report(expected, at: node) }
    return value
  }

  private mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ node: JSONNode, _ expected: String, help: String? = nil
  ) -> Word? {
    if let word = node.string.flatMap(Word.init(rawValue:)) { return word }
    let near = node.string.flatMap { SpellingSuggestion.help($0, among: Word.allCases.map(\.rawValue)) }
    report(expected, at: node, help: near ?? help)
    return nil
  }

  // MARK: Databases and severities

  private mutating func patterns(in list: JSONNode) -> [NamePattern] {
    let list = checked(list, \.elements, "expected a list of record types, such as [\"CD_*\"]") ?? []
    return list.compactMap { element in
      let text = checked(element, \.string, "expected a record type or a pattern in quotes")
      return text.flatMap { pattern($0, element.range) }
    }
  }

  private mutating func pattern(_ text: String, _ range: Range<Int>) -> NamePattern? {
    let pattern = NamePattern(text)
    guard pattern.isPossible else {
      report(
        "'\(text)' can match no record type", range, help: "a pattern has letters, digits, '_', '*' and '?'")
      return nil
    }
    configuration.places.append(.init(pattern: pattern, range: source.range(range)))
    return pattern
  }

  private mutating func readRules(_ rules: JSONNode) {
    let codes = checked(rules, \.members, "expected an object of codes, such as {\"CK0203\": \"off\"}")
    for member in codes ?? [] {
      guard let rule = SchemaRules.rule(member.key) else {
        let isOfOther = RuleFamily(code: member.key).map { $0 != .schema } ?? false
        report(
          isOfOther
            ? "the severity of \(member.key) cannot be changed: schema.rules is for 'schema lint', whose codes begin with CK"
            : "there is no rule '\(member.key)'", member.keyRange,
          help: RuleFamily(code: member.key) == .app
            ? "schema.allowedFindings accepts a finding of 'schema check-app'"
            : SpellingSuggestion.help(member.key, among: SchemaRules.codes, quote: "", upTo: 1))
        continue
      }
      guard !rule.isOfValidity else {
        report(
          "the severity of \(rule.code) cannot be changed: the service refuses such a schema", member.keyRange
        )
        continue
      }
      read(member.value, of: rule.code)
    }
  }

  private mutating func read(_ value: JSONNode, of code: String) {
    guard let members = value.members else {
      if let level = level(value) { configuration.severities.set(code, NamePattern("*"), level) }
      return
    }
    for member in members {
      guard let pattern = pattern(member.key, member.keyRange), let level = level(member.value) else {
        continue
      }
      configuration.severities.set(code, pattern, level)
    }
  }

  private mutating func level(_ value: JSONNode) -> RuleSeverities.Level? {
    word(value, "expected \"off\", \"note\", \"warning\" or \"error\"")
  }

  // MARK: Relations and exceptions

  private mutating func readRelations(_ relations: JSONNode) {
    let fields = checked(relations, \.members, "expected an object such as {\"Message.to\": \"Class\"}")
    for member in fields ?? [] {
      let parts = member.key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
        report("expected a field such as \"Message.to\"", member.keyRange)
        continue
      }
      guard let target = checked(member.value, \.string, "expected the name of a record type") else {
        continue
      }
      configuration.relations.append(
        DeclaredRelation(key: member.key, target: target, place: source.range(member.keyRange)))
    }
  }

  private mutating func allowedChange(_ node: JSONNode) -> AllowedChange? {
    let kinds = SchemaChange.Kind.allCases.map(\.rawValue)
    let stated: SchemaChange.Kind? = word(
      node["change"] ?? node, "\"change\" must be one of \(kinds.joined(separator: ", "))")
    guard let kind = stated else { return nil }
    let memberKey = AllowedChange.memberKey(of: kind)
    let keys =
      ["change"] + (AllowedChange.hasRecordType(kind) ? ["recordType"] : [])
      + [memberKey].compactMap(\.self) + ["reason"]
    let hasAll = hasTexts(node, "a change '\(kind.rawValue)'", keys) { key in
      key == "reason"
        ? "say in \"reason\" why apps in use can take the change, such as \"no app sorts by it since 2.0\""
        : "write the name of what changes as \"\(key)\""
    }
    guard hasAll else { return nil }
    return AllowedChange(
      kind: kind, recordType: node["recordType"]?.string, member: memberKey.flatMap { node[$0]?.string },
      reason: node["reason"]?.string ?? "", place: source.range(of: node))
  }

  private mutating func allowedFinding(_ node: JSONNode) -> AllowedFinding? {
    let code = node["code"]?.string ?? ""
    if code == AppRule.refusedPredicate.code {
      report(
        "\(code) is accepted at its line only", at: node["code"] ?? node,
        help: "write the comment // celestra:ignore \(code) REASON there")
      return nil
    }
    guard node["code"] == nil || IgnoreComment.knownCodes.contains(code) else {
      report(
        "'schema check-app' has no rule '\(code)'", at: node["code"] ?? node,
        help: SpellingSuggestion.help(code, among: IgnoreComment.knownCodes, quote: "", upTo: 1))
      return nil
    }
    let subjects = ["recordType", "field"].filter { node[$0] != nil }
    let keys = ["code"] + (subjects.isEmpty ? ["recordType"] : subjects) + ["reason"]
    let hasAll = hasTexts(node, "a finding", keys) { _ in
      "write {\"code\": \"\(code)\", \"recordType\": \"Note\", \"field\": \"title\", \"reason\": \"…\"}"
    }
    guard hasAll else { return nil }
    return AllowedFinding(
      code: code, recordType: node["recordType"]?.string, field: node["field"]?.string,
      place: source.range(of: node))
  }

  /// Whether an entry has these members and no others, each a text that is not empty.
  private mutating func hasTexts(
    _ node: JSONNode, _ what: String, _ keys: [String], help: (_ key: String) -> String
  ) -> Bool {
    for key in keys where node[key]?.string?.isEmpty ?? true {
      report(
        node[key] == nil ? "\(what) needs \"\(key)\"" : "\"\(key)\" must be a text that is not empty",
        at: node[key] ?? node, help: help(key))
      return false
    }
    guard let other = node.members?.first(where: { !keys.contains($0.key) }) else { return true }
    report("\(what) has no \"\(other.key)\"", other.keyRange)
    return false
  }

  private mutating func report(_ message: String, at node: JSONNode, help: String? = nil) {
    report(message, source.range(of: node).offsets, help: help)
  }

  private mutating func report(
    _ message: String, _ range: Range<Int>, _ severity: Diagnostic.Severity = .error, help: String? = nil
  ) {
    diagnostics.append(
      Diagnostic(
        SchemaCode.unreadableSettings, message, at: source.range(range), severity: severity, help: help))
  }
}

/// A finding of `schema check-app` that is accepted: an entry of `schema.allowedFindings` in celestra-admin.json.
///
///     {"code": "AP0102", "recordType": "CD_Note", "field": "CD_text", "reason": "the app never syncs it"}
package struct AllowedFinding: Sendable, Hashable {
  let code: String
  /// `nil` for a field of a record whose type the code does not show.
  package let recordType: String?
  /// `nil` for the type itself.
  let field: String?
  let place: SourceRange

  package func accepts(_ code: String, _ recordType: String?, _ field: String?) -> Bool {
    (self.code, self.recordType, self.field) == (code, recordType, field)
  }

  /// The entry that accepts a finding, without its reason; `nil` for a finding that no entry can name.
  package static func json(_ code: String, _ recordType: String?, _ field: String?) -> JSONValue? {
    guard recordType != nil || field != nil else { return nil }
    return .object([
      "code": .string(code), "recordType": recordType.map(JSONValue.string),
      "field": field.map(JSONValue.string), "reason": "",
    ])
  }

  package var unused: Diagnostic {
    let name = [recordType, field].compactMap(\.self).joined(separator: ".")
    return Diagnostic(
      SchemaCode.unusedSuppression, "no finding in these files needs the exception for \(code) of \(name)",
      at: place,
      help: "if they are the whole app, remove it from schema.allowedFindings")
  }
}

extension Rule {
  /// Whether the service refuses a schema that breaks the rule.
  package var isOfValidity: Bool { severity == .error && code.hasPrefix("CK01") }
}
