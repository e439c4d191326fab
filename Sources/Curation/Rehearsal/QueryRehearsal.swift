internal import Catalog
package import CloudKitModel
internal import Diagnostics
internal import RecordChanges
package import SchemaLanguage

package struct QueryRehearsalResult: Sendable {
  let query: AppScreenQuery
  /// What the schema shows against the query.
  var schemaProblems: [AppQueryProblem] = []
  var refusal: String?
  /// The name of the schema that the screen needs, if the container has another one.
  package internal(set) var needsSchema: String?
  /// The number of rows, over all values of the query's parameters.
  package internal(set) var rows = 0
  /// The number of rows at which a screen ends although there are more.
  package internal(set) var truncatedAt: Int?
  /// The parameters without any value, so that the query was not run.
  var withoutValues: [AppScreenQuery.Parameter] = []
  /// The values for which the screen is empty.
  package internal(set) var emptyFor: [String] = []
  /// The titles that each phrase finds.
  package internal(set) var found: [(phrase: String, titles: [String])] = []
  /// What the screen gets for each record whose references it follows.
  package internal(set) var followed: [FollowedReferences] = []
  /// References to records that do not exist.
  package var missingRecords: [String] { followed.flatMap(\.missing).unique }
  package internal(set) var requests = 0
  var isTypeMissing = false
  /// Why a message of the subscription cannot contain its fields.
  var subscriptionProblems: [String] = []

  package var name: String { query.name }
  /// Why the service would refuse the query, each reason one sentence.
  package var problems: [String] {
    schemaProblems.filter(\.isRefusal).map(\.message) + [refusal].compactMap(\.self)
      + (query.isWhole ? [] : ["the query is not valid, so it was not run"])
  }
  /// The lines to add to the schema.
  package var missingIndexes: [String] { lines(of: schemaProblems) }
  /// The lines that the schema lacks for the filters of the app's subscription.
  var subscriptionIndexes: [String] {
    query.subscription == nil ? [] : lines(of: schemaProblems.filter(\.isOfFilter))
  }

  private func lines(of problems: [AppQueryProblem]) -> [String] {
    problems.compactMap(\.line).unique.map { "\(query.recordType): \($0)" }
  }

  package var allowed: Bool { problems.isEmpty && needsSchema == nil }
  package var isEmpty: Bool { allowed && rows == 0 }
}

/// The references of one record that a screen follows, such as the feeds of a collection that a person imports.
package struct FollowedReferences: Sendable, Hashable {
  package let field: String
  package let recordName: String
  /// The record's title or name, else its record name.
  package let label: String
  /// Different records that the field names.
  package let named: Int
  /// The record names of those that do not exist.
  package let missing: [String]

  /// `15 of 16 feeds`.
  package var text: String { "\(named - missing.count) of \(named) \(field)" }
}

/// Tests the queries of an app's screens before they are used: runs each with the parameter values that the container
/// offers, and reports the queries that CloudKit would refuse and the screens that would be empty or truncated.
package struct QueryRehearsal: Sendable {
  private let container: any Container
  private let schema: Schema?
  private let now: Timestamp
  /// The maximum number of values with which one query is run.
  private static let maxValues = 200
  /// The maximum length of a list in a filter (Documentation/reference/web-services.md#limits).
  private static let maxList = 100

  /// - Parameter schema: the container's schema; `nil` if it cannot be read.
  package init(container: any Container, schema: Schema?, now: Timestamp) {
    self.container = container
    self.schema = schema
    self.now = now
  }

  /// Runs all queries and returns one result for each. Does not run the queries of apps whose record types the
  /// container's schema does not have.
  ///
  /// Throws the container's errors, but not its refusals of queries, which are part of the results.
  package func run(_ queries: [AppScreenQuery]) async throws -> [QueryRehearsalResult] {
    let values = try await ParameterValues.read(queries, from: container, schema: schema)
    let check = schema.map { AppQueryCheck(queries.map(\.query), against: $0) }
    let present = Set(queries.filter { schema?[recordType: $0.recordType] != nil }.map(\.schema))
    var results: [QueryRehearsalResult] = []
    for query in queries {
      if schema != nil, let needed = query.schema, !present.contains(needed) {
        results.append(QueryRehearsalResult(query: query, needsSchema: needed))
      } else {
        results.append(try await run(query, values, check?.problems(of: query.query) ?? []))
      }
    }
    return results
  }

  private func run(
    _ query: AppScreenQuery, _ values: ParameterValues, _ problems: [AppQueryProblem]
  ) async throws -> QueryRehearsalResult {
    var result = QueryRehearsalResult(query: query)
    result.schemaProblems = problems
    if let type = schema?[recordType: query.recordType] {
      result.subscriptionProblems = query.subscription?.problems(with: type) ?? []
    } else {
      result.isTypeMissing = schema != nil
    }
    guard result.allowed else { return result }
    do {
      let runs = try runs(of: query, values)
      if runs.isEmpty { result.withoutValues = query.parameters.filter { values[$0].isEmpty } }
      for run in runs.prefix(Self.maxValues) { try await show(run, query, &result) }
    } catch let error as ServerError where error.code == .badRequest || error.code == .notFound {
      result.refusal = error.description
    } catch let error as FieldValueError {
      result.refusal = error.reason
    }
    return result
  }

  private struct Run {
    var filters: [Filter] = []
    /// The readable names of the values.
    var label = ""
    var phrase: String?
  }

  /// A value that a condition is tried with.
  private typealias Choice = (value: FieldValue, label: String, phrase: String?)

  private func choices(
    for condition: AppScreenQuery.Condition, of query: AppScreenQuery, _ values: ParameterValues
  ) throws(FieldValueError) -> [Choice] {
    switch condition.value {
    case .plain(let json): try plain(json, for: condition, of: query).map { [($0, "", nil)] } ?? []
    case .parameter(.phrase):
      query.phrases.map { (.string($0), "“\($0)”", $0) }
    case .parameter(.now): [(.timestamp(now), "", nil)]
    case .parameter(.lastMonth): [(.timestamp(now + .seconds(-30 * 86_400)), "", nil)]
    case .parameter(.feeds): [(.references(values[.feed].prefix(Self.maxList).map(\.name)), "", nil)]
    case .parameter(.tag): values[.tag].map { (.string($0.name), $0.label, nil) }
    case .parameter(let parameter):
      values[parameter].map { (name($0.name, for: condition, of: query), $0.label, nil) }
    }
  }

  /// A record's name as the field stores it. Some apps store it as text.
  private func name(_ name: String, for condition: AppScreenQuery.Condition, of query: AppScreenQuery)
    -> FieldValue
  {
    dataType(of: condition, in: query) == .string ? .string(name) : .reference(Reference(name))
  }

  /// A value of the file, of the field's type where it is known.
  private func plain(
    _ json: JSONValue, for condition: AppScreenQuery.Condition, of query: AppScreenQuery
  ) throws(FieldValueError) -> FieldValue? {
    let type = dataType(of: condition, in: query).map { FieldType($0).element }
    do {
      return try FieldNotation.filterValue(json, condition.filter.comparator, as: type, now: now)
    } catch {
      throw .invalid("field \(condition.filter.field): \(error.reason)")
    }
  }

  private func dataType(of condition: AppScreenQuery.Condition, in query: AppScreenQuery) -> DataType? {
    let name = storedName(of: condition.filter.field, in: query)
    let type = schema?[recordType: query.recordType]
    return SystemField(storedName: name)?.dataType ?? type?[field: name]?.type
  }

  private func storedName(of field: String, in query: AppScreenQuery) -> String {
    query.query.storedName(of: field, in: schema?[recordType: query.recordType])
  }

  private func runs(of query: AppScreenQuery, _ values: ParameterValues) throws(FieldValueError) -> [Run] {
    var runs = [Run()]
    for condition in query.conditions {
      let choices = try choices(for: condition, of: query, values)
      let field = FieldName(storedName(of: condition.filter.field, in: query))
      runs = runs.flatMap { run in
        choices.map { choice in
          let filter = Filter(
            field, condition.filter.comparator, choice.value, distance: condition.filter.distance)
          return Run(
            filters: run.filters + [filter],
            label: [run.label, choice.label].filter { !$0.isEmpty }.joined(separator: ", "),
            phrase: choice.phrase ?? run.phrase)
        }
      }
    }
    return runs
  }

  private func show(_ run: Run, _ query: AppScreenQuery, _ result: inout QueryRehearsalResult) async throws {
    var records: [Record] = []
    let sorts = query.query.sorts.map { sort in
      Sort(FieldName(storedName(of: sort.field, in: query)), ascending: sort.isAscending)
    }
    let page = QueryRequest(
      Query(query.recordType, filters: run.filters, sorts: sorts),
      resultsLimit: min(query.limit, ContainerLimits.recordsPerRequest))
    try await container.walkPages(of: page) { page in
      result.requests += 1
      records += page.records
      guard records.count >= query.limit else { return true }
      if records.count > query.limit || page.continuationMarker != nil { result.truncatedAt = query.limit }
      records.removeSubrange(query.limit...)
      return false
    }
    result.rows += records.count
    if records.isEmpty { result.emptyFor.append(run.label) }
    if let phrase = run.phrase {
      result.found.append((phrase, records.prefix(10).map { $0.shownTitle ?? $0.recordName }))
    }
    if let field = query.lookup { try await lookUp(field, of: records, &result) }
  }

  /// Looks up the records that a field of the given records refers to, and notes what each record brings.
  private func lookUp(_ field: String, of records: [Record], _ result: inout QueryRehearsalResult)
    async throws
  {
    let lists = records.map { ($0, names: ($0[field]?.references ?? []).unique) }
    let distinct = Set(lists.flatMap(\.names))
    result.requests +=
      (distinct.count + ContainerLimits.recordsPerRequest - 1) / ContainerLimits.recordsPerRequest
    let missing = try await container.absentRecords(distinct)
    result.followed += lists.map { record, names in
      FollowedReferences(
        field: field, recordName: record.recordName,
        label: record.shownTitle ?? record.recordName, named: names.count,
        missing: names.filter(missing.contains))
    }
  }
}

/// The values of the container's records and tags that replace the parameters of queries.
private struct ParameterValues {
  private var values: [AppScreenQuery.Parameter: [(name: String, label: String)]] = [:]

  subscript(parameter: AppScreenQuery.Parameter) -> [(name: String, label: String)] {
    values[parameter] ?? []
  }

  private static let types: [AppScreenQuery.Parameter: String] = [
    .category: CatalogRecordType.feedCategory, .collection: CatalogRecordType.feedCollection,
    .feed: CatalogRecordType.publicFeed, .session: LiveSessionRecordType.session,
  ]

  static func read(
    _ queries: [AppScreenQuery], from container: any Container, schema: Schema?
  ) async throws -> ParameterValues {
    var read = ParameterValues()
    var wanted = Set(queries.flatMap(\.parameters))
    if wanted.contains(.feeds) || wanted.contains(.tag) { wanted.insert(.feed) }
    for (parameter, type) in types.sorted(by: { $0.value < $1.value }) where wanted.contains(parameter) {
      if let schema, schema[recordType: type] == nil { continue }
      let records = try await container.allRecords(
        Query(type), desiredKeys: ["title", "name", "slug", "tags"]
      ).sorted { $0.recordName < $1.recordName }
      read.values[parameter] = records.map { record in
        (record.recordName, record["slug"]?.string ?? record.shownTitle ?? record.recordName)
      }
      guard parameter == .feed, wanted.contains(.tag) else { continue }
      let tags = Set(records.flatMap { $0["tags"]?.elements?.compactMap(\.string) ?? [] })
      read.values[.tag] = tags.sorted().map { ($0, $0) }
    }
    return read
  }
}
