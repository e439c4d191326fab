package import CloudKitModel
internal import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// How the records of one type are searched for a person.
package struct TypeSearchPlan: Sendable {
  /// The way to the records that a person created.
  package enum Method: String, Sendable, Hashable {
    /// Queries of indexed fields.
    case index
    /// All records are read.
    case scan
    /// Lookups of the names that the person's records must have.
    case name
    /// The type cannot be searched.
    case not
  }

  /// Why a type cannot be searched, or not completely.
  package enum Problem: Sendable, Hashable {
    /// Neither the creator nor the record name has an index.
    case noIndex
    /// Records of others could name the person in these fields, which have no index.
    case unindexedFields([String])
    /// The key may not read the type.
    case denied
    /// No visible record proves that the key may read records of others: the type grants READ to `_creator`, too.
    case perhapsOwnOnly
  }

  package let recordType: String
  package internal(set) var method: Method
  package internal(set) var problem: Problem?
  /// The fields that may name the person.
  package let identifiers: [Field]
  /// The types of the records from whose names the names of this type's records are derived; empty for most types.
  package let namedAfter: [String]
  /// The custom roles that may read the type, and those that may also delete its records.
  var roles: (read: [String], delete: [String]) = ([], [])
  /// Whether the schema has the role of the key that answers requests, and does not let it read the type.
  var lacksOfficer = false
  /// Whether the key may delete records of others, as far as the grants say.
  package let mayDelete: AccessRightsCheck.Answer
}

/// How every record type that users may write is searched.
package struct PersonSearchPlan: Sendable {
  /// In the order in which records are erased: those that refer to others come first.
  package internal(set) var types: [TypeSearchPlan]

  /// Whether each type can be searched completely.
  package var isComplete: Bool { types.allSatisfy { $0.problem == nil } }

  /// The plan of an earlier search, with what it learned.
  init(types: [TypeSearchPlan]) { self.types = types }

  /// Finds out by queries that return no or few records how each type can be searched.
  ///
  /// - Parameters:
  ///   - references: the links between the types.
  ///   - pseudonyms: their fields are searched as well.
  ///
  /// Throws the container's errors, and ``CommandFailure`` for a pseudonym's field that no type has.
  package init(
    of container: any Container, _ schema: Schema, references: ReferenceFields,
    pseudonyms: [PseudonymCondition] = []
  ) async throws {
    let rights = try await AccessRightsCheck(container, schema: schema).run()
    let userMade = schema.recordTypes.filter { $0.isMadeByUsers }
    try Self.check(pseudonyms, userMade)
    types = []
    for type in Self.ordered(userMade, references) {
      let planner = TypeSearchPlanner(
        container: container, schema: schema, type: type, rights: rights, references: references,
        pseudonyms: pseudonyms)
      if let plan = try await planner.plan() { types.append(plan) }
    }
  }

  /// No message repeats what was given: field and value could be exchanged by mistake.
  private static func check(_ pseudonyms: [PseudonymCondition], _ types: [RecordType]) throws {
    for pseudonym in pseudonyms {
      let fields = types.compactMap { $0[field: pseudonym.field] }
      guard fields.contains(where: { $0.type == .scalar(.plain(.string)) || $0.type == .scalar(.reference) })
      else {
        let known = types.flatMap { $0.fields.filter { !$0.isSystem }.map(\.name) }
        throw CommandFailure.usage(
          fields.isEmpty
            ? "no record type that users write has the field of --also"
            : "the field of --also holds neither texts nor references",
          hint: SpellingSuggestion.question(pseudonym.field, among: known))
      }
    }
  }

  /// Types that others refer to come after these.
  private static func ordered(_ types: [RecordType], _ references: ReferenceFields) -> [RecordType] {
    var placed: [RecordType] = []
    func place(_ type: RecordType, below path: Set<String>) {
      guard !placed.contains(where: { $0.name == type.name }), !path.contains(type.name) else { return }
      for other in types
      where references.all.contains(where: {
        $0.recordType == other.name && $0.targets.contains(type.name)
      }) {
        place(other, below: path.union([type.name]))
      }
      placed.append(type)
    }
    for type in types { place(type, below: []) }
    return placed
  }
}
