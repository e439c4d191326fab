public import Diagnostics

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
