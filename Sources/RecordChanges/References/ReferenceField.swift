internal import CloudKitModel
package import SchemaLanguage

/// A field that holds the names of other records.
package struct ReferenceField: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case name, reference, list }

  package var recordType: String
  package var field: String
  package var kind: Kind
  /// The types of the records it names; empty for any type.
  package var targets: Set<String>
  /// True if the record is of no use without its target and is deleted with it, instead of keeping it.
  package var isDependent: Bool

  package init(
    _ recordType: String, _ field: String, _ kind: Kind, to targets: Set<String>, isDependent: Bool = false
  ) {
    self.recordType = recordType
    self.field = field
    self.kind = kind
    self.targets = targets
    self.isDependent = isDependent
  }

  func mayName(_ recordType: String) -> Bool { targets.isEmpty || targets.contains(recordType) }
}

/// The fields of a container that name other records: those that are declared with their targets, and every other
/// REFERENCE field of the schema, which may name any record.
///
/// The schema language has no place for a reference's target
/// (Documentation/reference/schema-language.md#types-and-indexes).
package struct ReferenceFields: Sendable {
  package let all: [ReferenceField]

  /// - Parameters:
  ///   - declared: fields with known targets. With a schema, those are left out that it does not have.
  ///   - schema: `nil` when it is not known.
  package init(_ declared: [ReferenceField], in schema: Schema?) {
    guard let schema else {
      all = declared
      return
    }
    let known = declared.filter { schema[recordType: $0.recordType]?[field: $0.field] != nil }
    let names = Set(known.map { [$0.recordType, $0.field] })
    all =
      known
      + schema.recordTypes.flatMap { type in
        type.fields.filter {
          $0.type.primitive == .reference && !$0.isSystem && !names.contains([type.name, $0.name])
        }.map {
          ReferenceField(type.name, $0.name, $0.type == .scalar(.reference) ? .reference : .list, to: [])
        }
      }
  }

  func of(_ recordType: String) -> [ReferenceField] { all.filter { $0.recordType == recordType } }
}

extension FieldValue {
  /// The record names in a REFERENCE field, or a list of them.
  var references: [String] { leaves.compactMap { $0.reference?.recordName } }

  /// The record names in a STRING or REFERENCE field, or a list of them.
  package var referredNames: [String] { leaves.compactMap { $0.string ?? $0.reference?.recordName } }

  /// The names of the records with which the record of this field is deleted.
  var cascadeTargets: [String] {
    leaves.compactMap(\.reference).filter { $0.action == .deleteSelf }.map(\.recordName)
  }

  private var leaves: [FieldValue] { elements ?? [self] }
}
