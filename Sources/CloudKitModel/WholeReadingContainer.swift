package import SchemaLanguage

/// A container whose queries never pass off the caller's own records as all records of a type.
///
/// Where a type grants READ to `_creator`, a key without a role that reads every record gets its own records, and no
/// refusal (Documentation/reference/web-services.md#roles). A job that counts, checks or copies would take the others for
/// absent, so such a query is refused here as one of a type that may not be read. It is also refused when nothing proves
/// that all records are shown: no type that shows the caller's role, and no records of two creators. Queries by creator are
/// answered.
package struct WholeReadingContainer: ContainerWrapper {
  package let base: any Container
  private let rights: ReadingRights
  private let onOwnOnly: @Sendable (ServerError) throws -> Void

  /// - Parameters:
  ///   - onOwnOnly: called with the refusal for a query that shows only the caller's own records; throws it, or says it.
  package init(
    _ base: any Container, _ rights: ReadingRights,
    onOwnOnly: @escaping @Sendable (ServerError) throws -> Void = { throw $0 }
  ) {
    self.base = base
    self.rights = rights
    self.onOwnOnly = onOwnOnly
  }

  package func query(_ request: QueryRequest) async throws -> QueryPage {
    let type = request.query.recordType
    let page: QueryPage
    do { page = try await base.query(request) } catch let refusal as ServerError
      where refusal.code == .accessDenied
    {
      throw try await rights.explained(refusal, of: type)
    }
    let isByCreator = request.query.filters.contains { $0.field == .system(.createdUserRecordName) }
    if request.continuationMarker == nil, !isByCreator,
      let refusal = try await rights.refusal(of: type, showing: page.records)
    {
      try onOwnOnly(refusal)
    }
    return page
  }
}

/// Finds out, once for each type, whether queries show a caller all records or only its own.
package actor ReadingRights {
  private let container: any Container
  private let usual: @Sendable () throws -> [Schema]
  private let schema: @Sendable () async throws -> Schema?
  private var known: Task<Schema?, any Error>?
  private var answers: [String: Task<ServerError?, any Error>] = [:]
  private var proven: Set<String> = []

  /// - Parameters:
  ///   - usual: the schemas of this project. What they let everyone read needs no request.
  ///   - schema: the container's; `nil` if it is not known, and then nothing is refused.
  package init(
    _ container: any Container, usual: @escaping @Sendable () throws -> [Schema],
    schema: @escaping @Sendable () async throws -> Schema?
  ) {
    self.container = container
    self.usual = usual
    self.schema = schema
  }

  /// The refusal for a query without it, when the caller reads only its own records; `nil` if nothing says so. Throws the
  /// errors of reading the schema and of testing roles.
  ///
  /// - Parameter records: the query's first page. Records of two creators prove that all are read.
  func refusal(of recordType: String, showing records: [Record]) async throws -> ServerError? {
    if proven.contains(recordType) { return nil }
    if Set(records.compactMap(\.created?.userRecordName)).count > 1 {
      proven.insert(recordType)
      return nil
    }
    if let answer = answers[recordType] { return try await answer.value }
    let answer = Task { try await test(recordType) }
    answers[recordType] = answer
    return try await answer.value
  }

  /// The refusal of a query with the roles that may read the type by the container's schema; without roles if that is not
  /// known. Throws the errors of reading the schema.
  func explained(_ refusal: ServerError, of recordType: String) async throws -> ServerError {
    var refusal = refusal.ofQuery(of: recordType)
    refusal.roles = try await knownSchema()?[recordType: recordType]?.customRoles(for: .read) ?? []
    return refusal
  }

  private func knownSchema() async throws -> Schema? {
    let task = known ?? Task { try await schema() }
    known = task
    return try await task.value
  }

  private func test(_ recordType: String) async throws -> ServerError? {
    let known = try usual().compactMap { $0[recordType: recordType] }
    if !known.isEmpty, known.allSatisfy({ !$0.showsCreatorsTheirOwn }) { return nil }
    guard let schema = try await knownSchema(), let type = schema[recordType: recordType],
      type.showsCreatorsTheirOwn
    else { return nil }
    let roles = Set(type.customRoles(for: .read))
    let answer = try await AccessRightsCheck(container, schema: schema).isMember(ofOneOf: roles)
    if answer == .yes { return nil }
    if answer == .unknown, try await showsOthers(type) { return nil }
    var refusal = ServerError(.accessDenied, "only the records that this key or user created can be read")
      .ofQuery(of: recordType)
    refusal.isUnproved = answer == .unknown
    let shown = schema.recordTypes.compactMap(\.onlyReaders).filter { $0.isSubset(of: roles) }
    refusal.roles = (refusal.isUnproved ? roles.intersection(shown.joined()) : roles).sorted()
    return refusal
  }

  /// Whether there are records of two creators to be read: one of them is not the caller.
  private func showsOthers(_ type: RecordType) async throws -> Bool {
    let field = SystemField.createdUserRecordName
    let first = try await container.query(QueryRequest(Query(type.name), desiredKeys: []))
    let creators = Set(first.records.compactMap(\.created?.userRecordName))
    guard creators.count == 1, let creator = creators.first else { return creators.count > 1 }
    guard type[field: field.storedName]?.indexes.contains(.queryable) ?? false else { return false }
    let others = Query(
      type.name, filters: [Filter(.system(field), .notEquals, .reference(Reference(creator)))])
    do {
      let page = try await container.query(QueryRequest(others, desiredKeys: [], resultsLimit: 1))
      return !page.records.isEmpty
    } catch let refusal as ServerError where refusal.code == .badRequest {
      // The service lacks the index.
      return false
    }
  }
}
