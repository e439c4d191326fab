internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

/// Finds out how the records of one type can be searched for a person.
struct TypeSearchPlanner {
  let container: any Container
  let schema: Schema
  let type: RecordType
  let rights: AccessRightsCheck.Findings
  let references: ReferenceFields
  let pseudonyms: [PseudonymCondition]

  /// The outcome of a query that is only tried.
  private enum Answer { case records, noIndex, denied, noType }

  /// `nil` if the environment does not have the type, so that there is nothing to search.
  func plan() async throws -> TypeSearchPlan? {
    var plan = TypeSearchPlan(
      recordType: type.name, method: .not, identifiers: identifiers, namedAfter: namedAfter,
      mayDelete: rights.recordTypes.first { $0.recordType == type.name }?.write ?? .unknown)
    plan.roles.read = type.customRoles(for: .read)
    plan.lacksOfficer =
      schema.roles.contains(Role(Person.officer)) && !plan.roles.read.contains(Person.officer)
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
    return schema.personIdentifierFields(of: type).filter { !others.contains($0) } + others
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
