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
  /// What the file gets because every container has it: system fields, also those of new types, and the type `Users`.
  private let system: (fieldCount: Int, hasUsers: Bool)

  /// - Parameters:
  ///   - container: the container's schema.
  ///   - file: the file; without declarations if it does not exist yet.
  package init(_ container: ParsedSchema, into file: ParsedSchema) {
    text = CanonicalSchemaPrinter.text(
      container.schema, commentedIn: [file, container], for: file.source)
    // They are made in a file: no record is lost, and no environment is asked.
    changes = SchemaDiff.changes(from: file.schema, to: container.schema, isImport: false).map {
      $0.withoutImport(risk: .none)
    }
    let known = file.schema.recordTypes.keyed(by: \.name)
    system = (
      container.schema.recordTypes.reduce(0) { count, type in
        count + type.fields.count { $0.isSystem && known[type.name]?[field: $0.name] == nil }
      }, known[SystemNames.users] == nil && container.schema[recordType: SystemNames.users] != nil
    )
    isChanged = Array(text.utf8) != file.source.bytes
    lostComments = Self.lostComments(of: file, without: container.schema)
  }

  private static func lostComments(of file: ParsedSchema, without schema: Schema) -> [Diagnostic] {
    let attached = CommentAttachment(file)
    var lost: [Diagnostic] = []
    func report(_ owners: [CommentAttachment.Owner], _ what: String, at range: Range<Int>) {
      let count = owners.reduce(0) { $0 + attached[$1].leading.count + attached[$1].trailing.count }
      guard count > 0 else { return }
      lost.report(
        SchemaCode.lostComment, "the container has no \(what): \(counted(count, "comment")) left out",
        at: file.source.range(range))
    }
    let roles = Set(schema.roles.map(\.name))
    for (place, role) in file.roles.enumerated() where !roles.contains(role.name) {
      report([.role(place)], "role '\(role.name)'", at: role.nameRange)
    }
    let types = schema.recordTypes.keyed(by: \.name)
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

  package func report(file: String, isNew: Bool, isWritten: Bool) -> PlainReport {
    var json = SchemaDiffJSON.render(changes).object ?? [:]
    json["file"] = file.json
    json["written"] = .bool(isWritten && isChanged)
    let verb = isNew ? "create" : "update"
    return PlainReport(json: .object(json), notes: lostComments, isConfirmation: isWritten || !isChanged) {
      if isChanged {
        "\(isWritten ? "\(verb)d" : "would \(verb)") \(file)"
        ReportBody.space
        changes.body()
        "\(parts.isEmpty ? "only the layout changes" : parts.joined(separator: "; "))"
      } else {
        "\(file) has the container's schema already"
      }
    }
  }

  private var parts: [String] {
    let lines = system.fieldCount == 0 ? [] : ["\(counted(system.fieldCount, "line")) of system fields"]
    let additions = (lines + (system.hasUsers ? ["the type Users"] : [])).joined(separator: " and ")
    return (changes.isEmpty ? [] : [counted(changes.count, "change")])
      + (additions.isEmpty ? [] : ["added: \(additions), which every container has"])
  }
}
