package import Diagnostics

/// Merges two schemas with their comments: the first one, plus what the second one adds or changes.
///
/// What the second one leaves out stays. A field of both schemas gets the second one's type and the options of both that this type
/// allows; a role of both gets the second one's privileges on the type.
package struct MergedSchema: Sendable {
  package let text: String
  package let schema: Schema
  /// The merged changes that are not additions: a field's new type, or a role that loses a privilege or may write.
  package let changes: [SchemaChange]
  private let delta: ParsedSchema

  package init(_ base: ParsedSchema, _ delta: ParsedSchema) {
    self.delta = delta
    schema = base.schema.merging(delta.schema)
    text = CanonicalSchemaPrinter.text(schema, commentedIn: [base, delta], for: base.source)
    changes = SchemaDiff.changes(from: base.schema, to: schema).filter {
      $0.kind == .changeFieldType || $0.additiveRefusal != nil
    }
  }

  /// Findings about ``changes`` in the second file. Errors if `policy` forbids them.
  package func diagnostics(_ policy: SchemaPolicy) -> [Diagnostic] {
    SchemaDiffDiagnostics.diagnostics(for: changes, in: delta, policy: policy)
  }

  package var report: PlainReport {
    PlainReport(json: text.json, notes: diagnostics(.none)) { ReportBody.document(text) }
  }
}

extension Schema {
  package func merging(_ delta: Schema) -> Schema {
    let (own, others) = (Set(recordTypes.map(\.name)), delta.recordTypes.keyed(by: \.name))
    let known = Set(roles.map(\.name))
    return Schema(
      roles: roles + delta.roles.filter { !known.contains($0.name) },
      recordTypes: recordTypes.map { type in others[type.name].map(type.merging) ?? type }
        + delta.recordTypes.filter { !own.contains($0.name) })
  }

  /// The schema to import instead of `current`: this schema, plus the types that CloudKit manages (`Users`,
  /// `cloudkit.share`) if it leaves them out. An import replaces everything, and the service refuses to delete those
  /// types.
  package func completedForImport(replacing current: Schema) -> (schema: Schema, kept: [String]) {
    let declared = Set(recordTypes.map(\.name))
    let kept = current.recordTypes.filter { SystemNames.isManaged($0.name) && !declared.contains($0.name) }
    return (Schema(roles: roles, recordTypes: recordTypes + kept), kept.map(\.name))
  }
}

extension RecordType {
  fileprivate func merging(_ delta: RecordType) -> RecordType {
    let (own, others) = (Set(fields.map(\.name)), delta.fields.keyed(by: \.name))
    let granted = Set(delta.grants.map(\.role))
    return RecordType(
      name,
      fields: fields.map { field in others[field.name].map(field.merging) ?? field }
        + delta.fields.filter { !own.contains($0.name) },
      grants: grants.filter { !granted.contains($0.role) } + delta.grants)
  }
}

extension Field {
  /// The field with the other's type, the other's options, and those of its own that the type allows.
  fileprivate func merging(_ delta: Field) -> Field {
    Field(name, delta.type, indexes.intersection(delta.type.possibleIndexes).union(delta.indexes))
  }
}
