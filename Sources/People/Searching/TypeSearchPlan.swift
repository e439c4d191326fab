package import CloudKitModel
package import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// How the records of one type are searched for a person.
package struct TypeSearchPlan: Sendable {
  /// The way to the records that a person created.
  package enum Method: String, Sendable, Hashable {
    case index
    case scan
    /// Lookups of the names that the person's records must have.
    case name
    case not
  }

  package enum Problem: Sendable, Hashable {
    /// Neither the creator nor the record name has an index.
    case noIndex
    /// Records of others could name the person in these fields, which have no index.
    case unindexedFields([String])
    case denied
    /// No visible record proves that the key may read records of others: the type grants READ to `_creator`, too.
    case perhapsOwnOnly
    /// A mirror does not have all of its records; why, with what to do.
    case lacking(String)
  }

  package let recordType: String
  package internal(set) var method: Method
  package internal(set) var problem: Problem?
  /// The fields in which what stands for the person is looked for.
  package let identifiers: [Field]
  /// The types of the records from whose names the names of this type's records are derived; empty for most types.
  package let namedAfter: [String]
  /// The custom roles that may read the type, and those that may also delete its records.
  var roles: (read: [String], delete: [String]) = ([], [])
  /// What the type lacks of the grant to the role of the key that answers requests.
  var missingGrant: Grant?
  /// Whether the key may delete records of others, as far as the grants say.
  package let mayDelete: AccessRightsCheck.Answer
  /// All fields that may name a person: the identifiers, and those with names that users see.
  var names: [Field] = []
  /// The fields with texts and references, which a search reads if records of the type stay; else empty.
  var texts: [Field] = []

  /// Whether the grants refuse deletions, at least of what others made.
  var isDeletionDenied: Bool { ![.yes, .unknown].contains(mayDelete) }

  var adviceOnDeletion: StyledText? {
    missingGrant.map { "\(recordType): to delete its records, write in the schema \($0.text, .code)" }
  }

  var searchedKeys: [String] { Set((identifiers + texts).map(\.name)).sorted() }
}

/// How every record type that users may write is searched.
package struct PersonSearchPlan: Sendable {
  /// In the order in which records are erased: those that refer to others come first.
  package internal(set) var types: [TypeSearchPlan]

  package var isComplete: Bool { types.allSatisfy { $0.problem == nil } }

  /// The report of `person check`: how each record type can be searched for a person, without one.
  package func report(in container: ContainerIdentity, _ mirrors: [KnownMirror]) -> PlainReport {
    let json = types.map { type in
      type.json(["identifiers": type.identifiers.map(\.name).json])
    }
    let places = PersonalDataPlaces(container, mirrors, of: types)
    var table = Table([
      .init("record type"), .init("searched"), .init("may name a person"), .init("may delete"),
    ])
    for type in types {
      let mayDelete = type.isDeletionDenied ? "no" : type.mayDelete.rawValue
      table.add(
        StyledText(type.recordType, type.problem == nil ? .plain : .caution), "\(type.way)",
        "\(type.identifiers.map(\.name).joined(separator: ", "))", "\(mayDelete)")
    }
    return PlainReport(
      json: places.json(after: ["types": .array(json), "complete": isComplete.json]),
      failure: types.searchFailure, isConfirmation: isComplete
    ) {
      table
      for type in types {
        if type.problem == nil, type.mayDelete != .yes { type.adviceOnDeletion }
      }
      places.body
    }
  }
}

extension PersonSearchPlan {
  /// Finds out by queries that return no or few records how each type can be searched.
  ///
  /// Throws the container's errors, and ``CommandFailure`` for a pseudonym's field that no type has.
  ///
  /// - Parameter lacks: the types that a mirror does not have, or not whole, and why.
  package init(
    of container: any Container, _ schema: Schema, references: ReferenceFields,
    pseudonyms: [PseudonymCondition] = [], relations: [DeclaredRelation] = [], keeping kept: Set<String> = [],
    lacks: [String: String] = [:]
  ) async throws {
    let persons = PersonFields(schema, relations)
    let rights = try await AccessRightsCheck(container, schema: schema).run()
    let userMade = schema.recordTypes.filter { $0.isMadeByUsers }
    try Self.check(pseudonyms, userMade)
    var types: [TypeSearchPlan] = []
    for type in Self.ordered(userMade, references) {
      let planner = TypeSearchPlanner(
        container: container, schema: schema, type: type, rights: rights, references: references,
        pseudonyms: pseudonyms, persons: persons)
      guard var plan = try await planner.plan() else { continue }
      if let lack = lacks[type.name] { plan.problem = .lacking(lack) }
      if kept.contains(type.name) {
        plan.texts = type.fields.filter {
          !$0.isSystem && [.reference, .plain(.string)].contains($0.type.primitive)
        }
      }
      types.append(plan)
    }
    for (name, lack) in lacks.sorted(by: { $0.key < $1.key }) where schema[recordType: name] == nil {
      types.append(
        TypeSearchPlan(
          recordType: name, method: .not, problem: .lacking(lack), identifiers: [], namedAfter: [],
          mayDelete: .unknown))
    }
    self.init(types: types)
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
    WritingOrder(count: types.count) { target in
      types.indices.filter { other in
        references.all.contains {
          $0.recordType == types[other].name && $0.targets.contains(types[target].name)
        }
      }
    }.indices.map { types[$0] }
  }
}

/// Finds out how the records of one type can be searched for a person.
struct TypeSearchPlanner {
  let container: any Container
  let schema: Schema
  let type: RecordType
  let rights: AccessRightsCheck.Findings
  let references: ReferenceFields
  let pseudonyms: [PseudonymCondition]
  let persons: PersonFields

  /// The outcome of a query that is only tried.
  private enum Answer { case records, noIndex, denied, noType }

  /// `nil` if the environment does not have the type, so that there is nothing to search.
  func plan() async throws -> TypeSearchPlan? {
    var plan = TypeSearchPlan(
      recordType: type.name, method: .not, identifiers: identifiers, namedAfter: namedAfter,
      mayDelete: rights.recordTypes.first { $0.recordType == type.name }?.write ?? .unknown)
    plan.names = persons.names(of: type)
    plan.roles.read = type.customRoles(for: .read)
    plan.missingGrant = schema.missingOfficerGrant(on: type)
    plan.roles.delete = type.customRoles(for: .write).filter(plan.roles.read.contains)
    let creator = Query(
      type.name, filters: [Filter("___createdBy", equals: .reference(Reference(Self.nobody)))])
    let unindexed = identifiers.filter { !$0.indexes.contains(.queryable) }.map(\.name)
    let byCreator = try await answer(creator)
    let scan = byCreator == .records && unindexed.isEmpty ? .noIndex : try await answer(Query(type.name))
    switch (byCreator, scan) {
    case (.noType, _), (_, .noType): return nil
    case (.denied, _), (_, .denied): plan.problem = .denied
    case (_, .records): plan.method = .scan
    case (.records, _):
      plan.method = .index
      plan.problem = unindexed.isEmpty ? nil : .unindexedFields(unindexed)
    default:
      plan.method = namedAfter.isEmpty ? .not : .name
      plan.problem = .noIndex
    }
    if plan.problem == nil, try await !isReadingProven() { plan.problem = .perhapsOwnOnly }
    return plan
  }

  /// A user record name that no user has.
  private static let nobody = "_" + String(repeating: "0", count: 32)

  private var identifiers: [Field] {
    let others = pseudonyms.compactMap { type[field: $0.field] }
    return persons.identifiers(of: type).filter { !others.contains($0) } + others
  }

  /// The types of the records that a subscription can be for.
  private var namedAfter: [String] {
    guard type.name == PersonSearch.subscription else { return [] }
    return references.all.filter { $0.recordType == type.name }.flatMap(\.targets)
      .filter { schema[recordType: $0] != nil }.sorted()
  }

  private func answer(_ query: Query) async throws -> Answer {
    if !query.missingIndexes(in: schema).isEmpty { return .noIndex }
    do {
      _ = try await container.query(QueryRequest(query, desiredKeys: [], resultsLimit: 1))
      return .records
    } catch let refusal as ServerError {
      switch refusal.code {
      case .badRequest: return .noIndex
      case .accessDenied: return .denied
      case .notFound: return .noType
      default: throw refusal
      }
    }
  }

  /// Whether the key reads records of others. With READ for `_creator`, a key without another role gets its own records
  /// and no refusal: only a role that it has, or a record of another user, proves more.
  private func isReadingProven() async throws -> Bool {
    guard type.showsCreatorsTheirOwn else { return true }
    let readers = type.customRoles(for: .read)
    if rights.roles.contains(where: { readers.contains($0.role) && $0.isMember == .yes }) { return true }
    guard try await answer(Query(type.name)) == .records else { return false }
    let sample = try await container.firstRecords(
      Query(type.name), desiredKeys: [], limit: ContainerLimits.recordsPerRequest)
    let creators = Set(sample.records.compactMap(\.created?.userRecordName))
    return creators.count > 1
      || container.callerRecordName.map { own in creators.contains { $0 != own } } ?? false
  }
}
