package import Diagnostics

package struct SchemaDiffReport: Report {
  private let changes: [SchemaChange]
  private let new: ParsedSchema
  private let policy: SchemaPolicy
  package let title: StyledText?
  private let name: String
  private let countsDifferences: Bool
  /// False for a base that is not a schema, such as an older file: then there are no changes to report.
  package var isCompared = true
  /// The maximum number of annotations in GitHub's format; `nil` for all.
  package var maxAnnotations: Int?
  package var tool = (name: "celestra-admin", version: "")

  /// - Parameters:
  /// - names: the names of the two schemas.
  /// - countsDifferences: whether differences lead to exit status 2.
  package init(
    _ changes: [SchemaChange], to new: ParsedSchema, names: (from: String, to: String), policy: SchemaPolicy,
    countsDifferences: Bool
  ) {
    self.changes = changes
    self.new = new
    self.policy = policy
    name = names.to
    title = "Schema: \(names.from, .code) → \(names.to, .code)"
    self.countsDifferences = countsDifferences
  }

  package var status: ExitStatus {
    if !policy.violations(in: changes).isEmpty { return .findings }
    return countsDifferences && !changes.isEmpty ? .differences : .done
  }

  package var isConfirmation: Bool { changes.isEmpty }
  package var json: JSONValue {
    var json = SchemaDiffJSON.render(changes, policy).object ?? [:]
    if !isCompared { json["compared"] = false }
    return .object(json)
  }
  package var findings: [Diagnostic] { policy.policy == .none ? [] : diagnostics }
  package var notes: [Diagnostic] { isCompared ? policy.unusedExceptions(changes) : [] }
  package var maxPageBytes: Int? { MarkdownRenderer.maxCommentBytes }
  package var body: ReportBody { changes.body(policy) }
  package var conclusion: ReportBody {
    if isCompared {
      changes.verdict
      if changes.contains(where: { $0.development == .unknown }) {
        "what development does depends on what production has: name its schema with --production, a file or container:production"
      }
      policy.demand(changes)
    } else {
      "nothing was compared"
    }
  }

  package var checked: DiagnosticReport? {
    var report = DiagnosticReport(
      tool: tool, inputs: [name], diagnostics: diagnostics, rules: SchemaRules.all)
    report.notices = notes
    report.maxAnnotations = maxAnnotations
    return report
  }

  private var diagnostics: [Diagnostic] {
    SchemaDiffDiagnostics.diagnostics(for: changes, in: new, policy: policy)
  }
}

package enum SchemaDiffJSON {
  /// With a policy, a change that it refuses has the reason as `refusal` and the entry that would allow it as
  /// `allowedChange`; one that an exception allows has its reason as `exception`, and one that corrects an error the code
  /// as `corrects`.
  ///
  /// - Parameter kept: the exceptions for what production keeps, in the place of the policy's.
  package static func render(
    _ changes: [SchemaChange], _ policy: SchemaPolicy = .none, kept: [SchemaChange: String] = [:]
  ) -> JSONValue {
    let summary: JSONObject = [
      "changes": JSONValue(changes.count),
      "refusedInDevelopment": JSONValue(changes.count(of: .refused, \.development)),
      "refusedInProduction": JSONValue(changes.count(of: .refused, \.production)),
      "unknownInDevelopment": JSONValue(changes.count(of: .unknown, \.development)),
      "unknownInProduction": JSONValue(changes.count(of: .unknown, \.production)),
      "refusedByPolicy": policy.policy == .none
        ? nil : .integer(Int64(policy.violations(in: changes).count)),
    ]
    return [
      "changes": .array(changes.map { value($0, policy, kept: kept[$0]) }), "summary": .object(summary),
    ]
  }

  /// `recordType` is always present, and empty for a change of roles.
  package static func value(
    _ change: SchemaChange, _ policy: SchemaPolicy = .none, kept: String? = nil
  ) -> JSONValue {
    let refusal = policy.refusal(of: change)
    let fields = change.whole?.fields.map(value)
    let grants = change.whole?.grants.map(value)
    return .object([
      "kind": .string(change.kind.rawValue), "recordType": .string(change.recordType ?? ""),
      "field": change.field.map(JSONValue.string), "role": change.role.map(JSONValue.string),
      "from": change.from.map(JSONValue.string), "to": change.to.map(JSONValue.string),
      "risk": .string(change.risk.rawValue), "development": .string(change.development.rawValue),
      "production": .string(change.production.rawValue), "hint": change.hint.map(JSONValue.string),
      "refusal": refusal.map(JSONValue.string),
      "exception": (kept ?? policy.exception(for: change)?.reason).map(JSONValue.string),
      "corrects": policy.correction(of: change).map(JSONValue.string),
      "allowedChange": refusal.map { _ in AllowedChange.json(for: change) },
      "fields": fields.map(JSONValue.array), "grants": grants.map(JSONValue.array),
    ])
  }

  private static func value(_ field: Field) -> JSONValue {
    [
      "name": field.name.json, "type": field.type.description.json,
      "options": field.indexes.map(\.rawValue).json,
    ]
  }

  static func value(_ grant: Grant) -> JSONValue {
    ["role": grant.role.json, "privileges": grant.privileges.map(\.rawValue).json]
  }
}

extension ParsedSchema {
  /// What `schema inspect` prints: the parsed model with the line of each field. System fields are only included if
  /// declared. Unreadable parts are left out and reported.
  package var model: PlainReport {
    let types = recordTypes.map { type -> JSONValue in
      let fields = type.fields.map { field -> JSONValue in
        [
          "name": field.name.json, "type": (field.type?.description ?? "unknown").json,
          "options": field.indexes.map(\.rawValue).sorted().json,
          "line": source.location(at: field.nameRange.lowerBound).line.json,
        ]
      }
      return [
        "name": type.name.json, "fields": .array(fields),
        "grants": .array(type.grants.map { SchemaDiffJSON.value($0.grant) }),
      ]
    }
    return PlainReport(
      diagnostics.hasErrors ? .failed : .done,
      json: ["roles": roles.map(\.name).json, "recordTypes": .array(types)],
      notes: SchemaValidator.syntax(self))
  }
}

/// Converts a diff to findings in the new file, so that GitHub annotations, SARIF and JUnit show each change on its
/// line.
package enum SchemaDiffDiagnostics {
  /// One finding for each line: an error if `policy` forbids the change, a warning if it has a risk, otherwise a
  /// note.
  package static func diagnostics(
    for changes: [SchemaChange], in new: ParsedSchema?, policy: SchemaPolicy = .none
  ) -> [Diagnostic] {
    let places = new.map(Places.init)
    return SchemaChangeLine.lines(of: changes, policy).map { line in
      let change = line.first
      let refusal = policy.refusal(of: change)
      let severity: Diagnostic.Severity = refusal != nil ? .error : change.risk == .none ? .note : .warning
      let caution = change.caution.isEmpty ? "" : " (\(change.caution))"
      let grants = change.whole.map { type in
        type.grants.isEmpty
          ? " without grants" : ": " + type.grants.map(\.text).joined(separator: ", ")
      }
      let message = "\(change.heading): \(change.sign) \(line.summary)\(grants ?? "")\(caution)"
      let entry = refusal.map { _ in
        "to accept it, add \(AllowedChange.json(for: change).text()) with a reason to schema.allowedChanges"
      }
      let help = policy.remarks(on: change) + [entry].compactMap(\.self)
      return Diagnostic(
        refusal == nil ? SchemaCode.changed : .notAdditive, message, at: places?.range(of: change),
        severity: severity,
        help: help.isEmpty ? nil : help.joined(separator: "; "))
    }
  }

  /// The place of a change in the new file: the field, otherwise its record type, otherwise the beginning of the
  /// file.
  private struct Places {
    let parsed: ParsedSchema
    private let types: [String: RecordTypeDeclaration]

    init(_ parsed: ParsedSchema) {
      self.parsed = parsed
      types = parsed.recordTypes.keyed(by: \.name)
    }

    func range(of change: SchemaChange) -> SourceRange {
      parsed.source.range(offsets(of: change) ?? 0..<min(parsed.source.bytes.count, 13))
    }

    private func offsets(of change: SchemaChange) -> Range<Int>? {
      guard let name = change.recordType else { return parsed.roles.first { $0.name == change.role }?.range }
      guard let type = types[name] else { return nil }
      if let field = change.field { return type.fields.first { $0.name == field }?.range ?? type.nameRange }
      if change.kind == .addGrant {
        return type.grants.first { $0.grant.role == change.role }?.range ?? type.nameRange
      }
      return type.nameRange
    }
  }
}
