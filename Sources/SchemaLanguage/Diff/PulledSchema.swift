package import Diagnostics

/// A schema file with a container's schema in place of its own, and with its comments: privacy marks, relations and
/// suppressions stay with what they describe.
package struct PulledSchema: Sendable {
  /// The new content of the file, in canonical form.
  package let text: String
  package let changes: [SchemaChange]
  /// Whether the content of the file changes, layout included.
  package let isChanged: Bool
  /// Findings about comments of declarations that the container does not have; they are left out.
  package let lostComments: [Diagnostic]

  /// - Parameters:
  ///   - container: the container's schema.
  ///   - file: the file; without declarations if it does not exist yet.
  package init(_ container: ParsedSchema, into file: ParsedSchema) {
    text = CanonicalSchemaPrinter.text(
      SchemaLayout(container.schema, commentedIn: [file, container]), for: file.source)
    // They are made in a file: no record is lost, and no environment is asked.
    changes = SchemaDiff.changes(from: file.schema, to: container.schema).map {
      $0.withoutImport(risk: .none)
    }
    isChanged = Array(text.utf8) != file.source.bytes
    lostComments = Self.lostComments(of: file, without: container.schema)
  }

  static let rule = Rule(
    "CK0413", "lost-comment", .warning,
    summary: "`schema pull` leaves out a comment, because the container does not have what it describes",
    rationale:
      "The declaration is not in the container's schema, so the file has no place for its comment any more.",
    example: "", useInstead: "", source: "Documentation/Schemas.md#pulling")

  private static func lostComments(of file: ParsedSchema, without schema: Schema) -> [Diagnostic] {
    let attached = CommentAttachment(file)
    var lost: [Diagnostic] = []
    func report(_ owners: [CommentAttachment.Owner], _ what: String, at range: Range<Int>) {
      let count = owners.reduce(0) { $0 + attached[$1].leading.count + attached[$1].trailing.count }
      guard count > 0 else { return }
      lost.append(
        Diagnostic(
          rule.code, rule.severity, "the container has no \(what): \(counted(count, "comment")) left out",
          at: file.source.range(range)))
    }
    let roles = Set(schema.roles.map(\.name))
    for (place, role) in file.roles.enumerated() where !roles.contains(role.name) {
      report([.role(place)], "role '\(role.name)'", at: role.nameRange)
    }
    let types = Dictionary(schema.recordTypes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (place, type) in file.recordTypes.enumerated() {
      guard let kept = types[type.name] else {
        report(owners(of: type, at: place), "record type '\(type.name)'", at: type.nameRange)
        continue
      }
      for (index, field) in type.fields.enumerated() where kept[field: field.name] == nil {
        report([.field(place, index)], "field '\(type.name).\(field.name)'", at: field.nameRange)
      }
      for (index, grant) in type.grants.enumerated() where kept.privileges(of: grant.grant.role).isEmpty {
        report([.grant(place, index)], "grant of \(type.name) to '\(grant.grant.role)'", at: grant.range)
      }
    }
    return lost
  }

  private static func owners(of type: RecordTypeDeclaration, at place: Int) -> [CommentAttachment.Owner] {
    [.opening(place), .closing(place)] + type.fields.indices.map { .field(place, $0) }
      + type.grants.indices.map { .grant(place, $0) }
  }
}

package struct SchemaPullReport: Report {
  private let pull: PulledSchema
  private let file: String
  private let isWritten: Bool

  package init(_ pull: PulledSchema, file: String, isWritten: Bool) {
    self.pull = pull
    self.file = file
    self.isWritten = isWritten
  }

  package var notes: [Diagnostic] { pull.lostComments }
  package var isConfirmation: Bool { !pull.isChanged }

  package var json: JSONValue {
    var object = SchemaDiffJSON.render(pull.changes).object ?? [:]
    object["file"] = .string(file)
    object["written"] = .bool(isWritten && pull.isChanged)
    return .object(object)
  }

  package var body: ReportBody {
    if pull.isChanged {
      "\(isWritten ? "updated" : "would update") \(file)"
      Space()
      pull.changes.body()
      "\(pull.changes.isEmpty ? "only the layout changes" : counted(pull.changes.count, "change"))"
    } else {
      "\(file) has the container's schema already"
    }
  }
}
