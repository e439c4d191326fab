public import Diagnostics

/// The report of `schema diff`.
public struct SchemaDiffReport: Report {
  private let changes: [SchemaChange]
  private let new: ParsedSchema
  private let policy: SchemaChangePolicy
  private let title: MarkdownText
  private let countsDifferences: Bool
  /// The maximum number of annotations in GitHub's format; `nil` for all.
  public var maxAnnotations: Int?

  /// - Parameters:
  /// - names: the names of the two schemas.
  /// - countsDifferences: whether differences lead to exit status 2.
  public init(
    _ changes: [SchemaChange], to new: ParsedSchema, names: (from: String, to: String),
    policy: SchemaChangePolicy,
    countsDifferences: Bool
  ) {
    self.changes = changes
    self.new = new
    self.policy = policy
    title = "Schema: \(code: names.from) → \(code: names.to)"
    self.countsDifferences = countsDifferences
  }

  public var status: ExitStatus {
    if !policy.violations(in: changes).isEmpty { return .findings }
    return countsDifferences && !changes.isEmpty ? .differences : .done
  }

  public var isConfirmation: Bool { changes.isEmpty }
  public var json: JSONValue { SchemaDiffJSON.render(changes) }
  public var findings: [Diagnostic] { policy == .none ? [] : diagnostics }
  public func text(_ style: TerminalStyle) -> PrintableText { SchemaDiffText.render(changes, style) }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .github: GitHubRenderer().render(diagnostics, limit: maxAnnotations)
    case .markdown: PrintableText(SchemaDiffMarkdown.render(changes, title: title))
    default: text(style)
    }
  }

  private var diagnostics: [Diagnostic] {
    SchemaDiffDiagnostics.diagnostics(for: changes, in: new, policy: policy)
  }
}

/// The `result` of `schema diff --format json`.
public enum SchemaDiffJSON {
  public static func render(_ changes: [SchemaChange]) -> JSONValue {
    [
      "changes": .array(changes.map(value)),
      "summary": [
        "changes": JSONValue(changes.count),
        "refusedInDevelopment": JSONValue(changes.refusedInDevelopment),
        "refusedInProduction": JSONValue(changes.refusedInProduction),
      ],
    ]
  }

  /// `recordType` is always present, and empty for a change of roles.
  public static func value(_ change: SchemaChange) -> JSONValue {
    var object: JSONObject = [
      "kind": .string(change.kind.rawValue), "recordType": .string(change.recordType ?? ""),
    ]
    object["field"] = change.field.map(JSONValue.string)
    object["role"] = change.role.map(JSONValue.string)
    object["from"] = change.from.map(JSONValue.string)
    object["to"] = change.to.map(JSONValue.string)
    object["risk"] = .string(change.risk.rawValue)
    object["development"] = .string(change.development.rawValue)
    object["production"] = .string(change.production.rawValue)
    object["hint"] = change.hint.map(JSONValue.string)
    if let whole = change.whole {
      object["fields"] = .array(whole.fields.map(value))
      object["grants"] = .array(whole.grants.map(value))
    }
    return .object(object)
  }

  private static func value(_ field: Field) -> JSONValue {
    [
      "name": .string(field.name), "type": .string(field.type.description),
      "options": .array(field.indexes.map { .string($0.rawValue) }),
    ]
  }

  private static func value(_ grant: Grant) -> JSONValue {
    ["role": .string(grant.role), "privileges": .array(grant.privileges.map { .string($0.rawValue) })]
  }
}

/// Converts a diff to findings in the new file, so that GitHub annotations, SARIF and JUnit show each change on its
/// line.
public enum SchemaDiffDiagnostics {
  public static let changed = "CK0410"
  public static let notAdditive = "CK0411"

  /// One finding for each line: an error if `policy` forbids the change, a warning if it has a risk, otherwise a
  /// note.
  public static func diagnostics(
    for changes: [SchemaChange], in new: ParsedSchema?, policy: SchemaChangePolicy = .none
  ) -> [Diagnostic] {
    let places = new.map(Places.init)
    let violations = Set(policy.violations(in: changes))
    return SchemaChangeLine.lines(of: changes).map { line in
      let change = line.first
      let isViolation = violations.contains(change)
      let severity: Diagnostic.Severity = isViolation ? .error : change.risk == .none ? .note : .warning
      let caution = change.caution.isEmpty ? "" : " (\(change.caution))"
      let grants = change.whole.map { type in
        type.grants.isEmpty
          ? " without grants" : ": " + type.grants.map(CanonicalSchemaText().grant).joined(separator: ", ")
      }
      let message = "\(change.heading): \(change.sign) \(line.summary)\(grants ?? "")\(caution)"
      return Diagnostic(
        isViolation ? notAdditive : changed, severity, message, at: places?.range(of: change),
        help: change.hint)
    }
  }

  /// The place of a change in the new file: the field, otherwise its record type, otherwise the beginning of the
  /// file.
  private struct Places {
    let parsed: ParsedSchema
    private let types: [String: RecordTypeDeclaration]

    init(_ parsed: ParsedSchema) {
      self.parsed = parsed
      types = Dictionary(parsed.recordTypes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func range(of change: SchemaChange) -> SourceRange {
      parsed.source.range(offsets(of: change) ?? 0..<min(parsed.source.bytes.count, 13))
    }

    private func offsets(of change: SchemaChange) -> Range<Int>? {
      guard let name = change.recordType else {
        return parsed.roles.first { $0.name == change.role }?.range
      }
      guard let type = types[name] else { return nil }
      if let field = change.field { return type.fields.first { $0.name == field }?.range ?? type.nameRange }
      if change.kind == .addGrant {
        return type.grants.first { $0.grant.role == change.role }?.range ?? type.nameRange
      }
      return type.nameRange
    }
  }
}

/// The codes under which a diff is reported as findings.
enum DiffRules {
  static let all = [
    Rule(
      SchemaDiffDiagnostics.changed, "schema-change", .note,
      summary: "Two schemas differ",
      rationale:
        "A note for a plain addition, a warning for a change that risks data, an index or a permission.",
      example: "", useInstead: "", source: Rule.reference("schema-language", "allowed-changes")),
    Rule(
      SchemaDiffDiagnostics.notAdditive, "not-additive", .error,
      summary: "A change removes something or changes a type, which `--policy additive` forbids",
      rationale:
        "Production accepts additions only. A removal that is merged today makes every later deployment "
        + "fail.",
      example: "", useInstead: "", source: Rule.reference("schema-language", "allowed-changes")),
  ]
}
