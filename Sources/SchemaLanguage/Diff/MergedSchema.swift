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
    var merged = self
    let known = Set(roles.map(\.name))
    merged.roles += delta.roles.filter { !known.contains($0.name) }
    var places = Dictionary(recordTypes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    for type in delta.recordTypes {
      if let place = places[type.name] {
        merged.recordTypes[place] = merged.recordTypes[place].merging(type)
      } else {
        places[type.name] = merged.recordTypes.count
        merged.recordTypes.append(type)
      }
    }
    return merged
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
  func merging(_ delta: RecordType) -> RecordType {
    var merged = self
    var places = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    for field in delta.fields {
      if let place = places[field.name] {
        merged.fields[place] = merged.fields[place].merging(field)
      } else {
        places[field.name] = merged.fields.count
        merged.fields.append(field)
      }
    }
    let granted = Set(delta.grants.map(\.role))
    merged.grants = grants.filter { !granted.contains($0.role) } + delta.grants
    return merged
  }
}

extension Field {
  /// The field with the other's type, the other's options, and those of its own that the type allows.
  fileprivate func merging(_ delta: Field) -> Field {
    Field(name, delta.type, indexes.intersection(delta.type.possibleIndexes).union(delta.indexes))
  }
}
