internal import Catalog
package import CloudKitModel
internal import Diagnostics
package import SchemaLanguage

/// The result of one query of an app's screen.
package struct QueryRehearsalResult: Sendable {
  package let name: String
  package let recordType: String
  /// Why the service would refuse the query, each reason one sentence.
  package internal(set) var problems: [String] = []
  /// The lines to add to the schema.
  package internal(set) var missingIndexes: [String] = []
  /// The name of the schema that the screen needs, if the container has another one.
  package internal(set) var needsSchema: String?
  /// The number of rows, over all values of the query's parameters.
  package internal(set) var rows = 0
  /// The number of rows at which a screen ends although there are more.
  package internal(set) var truncatedAt: Int?
  /// The values for which the screen is empty.
  package internal(set) var emptyFor: [String] = []
  /// The titles that each phrase finds.
  package internal(set) var found: [(phrase: String, titles: [String])] = []
  /// What the screen gets for each record whose references it follows.
  package internal(set) var followed: [FollowedReferences] = []
  /// References to records that do not exist.
  package var missingRecords: [String] {
    var seen: Set<String> = []
    return followed.flatMap(\.missing).filter { seen.insert($0).inserted }
  }
  package internal(set) var requests = 0
  var mayBeEmpty = false
  /// The app's subscription with the filters of the query, and the lines that the schema lacks for these.
  var subscription: AppSubscription?
  var subscriptionIndexes: [String] = []
  /// Why a message of the subscription cannot contain its fields.
  var subscriptionProblems: [String] = []

  package var allowed: Bool { problems.isEmpty && needsSchema == nil }
  package var isEmpty: Bool { allowed && rows == 0 }
}

/// The references of one record that a screen follows, such as the feeds of a collection that a person imports.
package struct FollowedReferences: Sendable, Hashable {
  /// The field with the references.
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
    let present = Set(queries.filter { schema?[recordType: $0.recordType] != nil }.map(\.schema))
    var results: [QueryRehearsalResult] = []
    for query in queries {
      if schema != nil, let needed = query.schema, !present.contains(needed) {
        results.append(
          QueryRehearsalResult(name: query.name, recordType: query.recordType, needsSchema: needed))
      } else {
        results.append(try await run(query, values))
      }
    }
    return results
  }

  private func run(_ query: AppScreenQuery, _ values: ParameterValues) async throws -> QueryRehearsalResult {
    var result = QueryRehearsalResult(name: query.name, recordType: query.recordType)
    result.mayBeEmpty = query.mayBeEmpty
    result.subscription = query.subscription
    let runs = self.runs(of: query, values)
    if let schema {
      let shape = shape(of: query)
      // Ranges are checked by the stricter of the two rules that the documentation gives.
      let problems = shape.problems(in: schema, ranges: .queryable)
      result.problems = problems.map(\.explanation)
      result.missingIndexes = Self.lines(shape, in: schema)
      if query.subscription != nil, !shape.filters.isEmpty {
        result.subscriptionIndexes = Self.lines(Query(shape.recordType, filters: shape.filters), in: schema)
      }
      if let type = schema[recordType: query.recordType] {
        result.subscriptionProblems = query.subscription?.problems(with: type) ?? []
      }
      guard problems.isEmpty else { return result }
    }
    do {
      for run in runs.prefix(Self.maxValues) { try await show(run, query, &result) }
    } catch let error as ServerError where error.code == .badRequest || error.code == .notFound {
      result.problems.append(error.description)
    }
    return result
  }

  /// The lines to add to a schema for a query.
  private static func lines(_ query: Query, in schema: Schema) -> [String] {
    query.missingIndexes(in: schema, ranges: .queryable).map { "\($0.recordType): \($0.line)" }
  }

  /// One display of the screen, with one value for each parameter.
  private struct Run {
    let query: Query
    /// The readable names of the values.
    let label: String
    let phrase: String?
  }

  /// The query with placeholder values, for checking the schema's indexes independently of the container's records.
  private func shape(of query: AppScreenQuery) -> Query {
    let filters = query.conditions.map { condition in
      let anyName = ParameterValues.named("any")
      let value = choices(for: condition, of: query, anyName).first?.value ?? .string("any")
      return Filter(FieldName(condition.field), condition.comparator, value)
    }
    return Query(query.recordType, filters: filters, sorts: query.sorts)
  }

  /// A value that a condition is tried with.
  private struct Choice {
    let value: FieldValue
    var label = ""
    var phrase: String?
  }

  private func choices(
    for condition: AppScreenQuery.Condition, of query: AppScreenQuery, _ values: ParameterValues
  ) -> [Choice] {
    switch condition.value {
    case .plain(let json): FieldValue(plain: json).map { [Choice(value: $0)] } ?? []
    case .parameter(.phrase):
      query.phrases.map { Choice(value: .string($0), label: "“\($0)”", phrase: $0) }
    case .parameter(.now): [Choice(value: .timestamp(now))]
    case .parameter(.lastMonth):
      [Choice(value: .timestamp(Timestamp(milliseconds: now.milliseconds - 30 * 86_400_000)))]
    case .parameter(.feeds): [Choice(value: .references(values[.feed].prefix(Self.maxList).map(\.name)))]
    case .parameter(.tag): values[.tag].map { Choice(value: .string($0.name), label: $0.label) }
    case .parameter(let parameter):
      values[parameter].map { Choice(value: name($0.name, for: condition, of: query), label: $0.label) }
    }
  }

  /// A record's name as the field stores it. Some apps store it as text.
  private func name(_ name: String, for condition: AppScreenQuery.Condition, of query: AppScreenQuery)
    -> FieldValue
  {
    let field = schema?[recordType: query.recordType]?[field: condition.field]
    return field?.type == .string ? .string(name) : .reference(Reference(name))
  }

  private func runs(of query: AppScreenQuery, _ values: ParameterValues) -> [Run] {
    var runs: [(filters: [Filter], label: String, phrase: String?)] = [([], "", nil)]
    for condition in query.conditions {
      let choices = choices(for: condition, of: query, values)
      runs = runs.flatMap { run in
        choices.map { choice in
          let filter = Filter(FieldName(condition.field), condition.comparator, choice.value)
          let label = [run.label, choice.label].filter { !$0.isEmpty }.joined(separator: ", ")
          return (run.filters + [filter], label, choice.phrase ?? run.phrase)
        }
      }
    }
    return runs.map {
      Run(
        query: Query(query.recordType, filters: $0.filters, sorts: query.sorts), label: $0.label,
        phrase: $0.phrase)
    }
  }

  private func show(_ run: Run, _ query: AppScreenQuery, _ result: inout QueryRehearsalResult) async throws {
    var records: [Record] = []
    let page = QueryRequest(
      run.query, resultsLimit: min(query.limit, ContainerLimits.recordsPerRequest))
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
      result.found.append((phrase, records.prefix(10).map { $0["title"]?.string ?? $0.recordName }))
    }
    if let field = query.lookup { try await lookUp(field, of: records, &result) }
  }

  /// Looks up the records that a field of the given records refers to, and notes what each record brings.
  private func lookUp(_ field: String, of records: [Record], _ result: inout QueryRehearsalResult)
    async throws
  {
    let lists = records.map { record in
      var seen: Set<String> = []
      let names = record[field]?.elements?.compactMap { $0.reference?.recordName } ?? []
      return (record, names: names.filter { seen.insert($0).inserted })
    }
    let distinct = Set(lists.flatMap(\.names)).sorted()
    result.requests +=
      (distinct.count + ContainerLimits.recordsPerRequest - 1) / ContainerLimits.recordsPerRequest
    let outcomes = zip(distinct, try await container.lookupAll(distinct, desiredKeys: []))
    let missing = Set(outcomes.filter { $1.record == nil }.map(\.0))
    result.followed += lists.map { record, names in
      FollowedReferences(
        field: field, recordName: record.recordName,
        label: record["title"]?.string ?? record["name"]?.string ?? record.recordName, named: names.count,
        missing: names.filter(missing.contains))
    }
  }
}

/// The values of the container's records and tags that replace the parameters of queries.
private struct ParameterValues {
  private var values: [AppScreenQuery.Parameter: [(name: String, label: String)]] = [:]

  /// One value of every parameter, with this name.
  static func named(_ name: String) -> ParameterValues {
    var made = ParameterValues()
    for parameter in AppScreenQuery.Parameter.allCases { made.values[parameter] = [(name, name)] }
    return made
  }

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
      var records: [Record] = []
      try await container.forEachPage(of: Query(type), desiredKeys: ["title", "name", "slug", "tags"]) {
        records += $0.records
      }
      records.sort { $0.recordName < $1.recordName }
      read.values[parameter] = records.map { record in
        let label = record["slug"]?.string ?? record["title"]?.string ?? record["name"]?.string
        return (record.recordName, label ?? record.recordName)
      }
      guard parameter == .feed, wanted.contains(.tag) else { continue }
      let tags = Set(records.flatMap { $0["tags"]?.elements?.compactMap(\.string) ?? [] })
      read.values[.tag] = tags.sorted().map { ($0, $0) }
    }
    return read
  }
}

extension FieldValue {
  /// A value as text; `nil` if a field cannot have it.
  fileprivate init?(plain json: JSONValue) {
    switch json {
    case .string(let text): self = .string(text)
    case .integer(let number): self = .int64(number)
    case .double(let number): self = .double(number)
    case .bool(let flag): self = .int64(flag ? 1 : 0)
    default: return nil
    }
  }
}
