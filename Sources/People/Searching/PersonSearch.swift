internal import Catalog
internal import CloudKitModel
internal import SchemaLanguage

/// A record that belongs to a person, and how it was recognized.
struct FoundRecord: Sendable {
  /// How a record names the person.
  enum Trace: Sendable, Hashable {
    case creator
    /// Its name is derived from the person's.
    case name
    case field(String)
  }

  var record: Record
  var traces: Set<Trace>

  /// Another user or a key made it.
  var isOfOthers: Bool { !traces.contains(.creator) }
}

struct FoundInType: Sendable {
  var plan: TypeSearchPlan
  var records: [FoundRecord] = []
}

/// Searches the record types that users write for the records of one person.
struct PersonSearch: Sendable {
  static let subscription = CatalogRecordType.feedSubscription

  let container: any Container
  let person: Person
  let pseudonyms: [PseudonymCondition]

  /// Finds what belongs to the person. Types that cannot be searched have no records in the result, and the records have
  /// no fields but those that name the person.
  ///
  /// Throws the container's errors, without the person's name.
  func run(_ plan: PersonSearchPlan) async throws -> [FoundInType] {
    var found: [FoundInType] = []
    do {
      for type in plan.types { found.append(try await search(type)) }
    } catch { throw person.redacted(error) }
    return found
  }

  /// Whether the environment has a user of this name; `nil` if the key may not look it up.
  func isKnownUser() async throws -> Bool? {
    let outcome = try await container.lookup(LookupRequest([person.userRecordName], desiredKeys: [])).first
    switch outcome {
    case .failed(_, let error)? where error.code == .accessDenied: return nil
    case let outcome?: return try outcome.found != nil
    case nil: return nil
    }
  }

  private func search(_ plan: TypeSearchPlan) async throws -> FoundInType {
    var collector = RecordCollector(traces: { traces(of: $0, plan) })
    switch plan.method {
    case .index:
      for filter in filters(plan) {
        try await collector.add(
          Query(plan.recordType, filters: [filter]), plan.identifiers.map(\.name), from: container)
      }
    case .scan: try await collector.add(Query(plan.recordType), plan.identifiers.map(\.name), from: container)
    case .name, .not: break
    }
    var plan = plan
    if plan.problem != .denied { try await lookUpDerivedNames(&plan, &collector) }
    // The person's own records are proof that the key reads those of others.
    let records = collector.records
    if plan.problem == .perhapsOwnOnly, records.contains(where: { !$0.isOfOthers }) { plan.problem = nil }
    return FoundInType(plan: plan, records: records)
  }

  private func filters(_ plan: TypeSearchPlan) -> [Filter] {
    [Filter("___createdBy", equals: .reference(Reference(person.userRecordName)))]
      + plan.identifiers.filter { $0.indexes.contains(.queryable) }.flatMap { field in
        values(of: field).map { Filter(FieldName(field.name), equals: $0) }
      }
  }

  /// What stands for the person in a field.
  private func values(of field: Field) -> [FieldValue] {
    let texts = [person.userRecordName] + pseudonyms.filter { $0.field == field.name }.map(\.value)
    return texts.map { field.type == .scalar(.reference) ? .reference(Reference($0)) : .string($0) }
  }

  private func traces(of record: Record, _ plan: TypeSearchPlan) -> Set<FoundRecord.Trace> {
    var traces: Set<FoundRecord.Trace> = []
    if record.created?.userRecordName == person.userRecordName { traces.insert(.creator) }
    for field in plan.identifiers {
      guard let value = record[field.name]?.string ?? record[field.name]?.reference?.recordName else {
        continue
      }
      let names = values(of: field).compactMap { $0.string ?? $0.reference?.recordName }
      if names.contains(value) { traces.insert(.field(field.name)) }
    }
    return traces
  }

  /// Looks up the names that the person's records must have. That needs no index, finds what an index does not show yet,
  /// and finds records that a restore or an import wrote again under another creator.
  private func lookUpDerivedNames(_ plan: inout TypeSearchPlan, _ collector: inout RecordCollector)
    async throws
  {
    var names: [String] = []
    for type in plan.namedAfter {
      do {
        try await container.forEachPage(of: Query(type), desiredKeys: []) { page in
          names += page.records.map {
            CatalogRecordNames.subscription(feed: $0.recordName, user: person.userRecordName)
          }
        }
      } catch let refusal as ServerError where [.badRequest, .accessDenied].contains(refusal.code) {
        plan.problem = plan.problem ?? (refusal.code == .accessDenied ? .denied : .noIndex)
      } catch let refusal as ServerError where refusal.code == .notFound {}
    }
    for outcome in try await container.lookupAll(names, desiredKeys: plan.identifiers.map(\.name)) {
      switch outcome {
      case .record(let record) where record.recordType == plan.recordType: collector.add(record, .name)
      case .failed(_, let error) where error.code == .accessDenied: plan.problem = .denied
      default: _ = try outcome.found
      }
    }
  }
}

/// Records of one type, each once, with everything that connects them with the person.
private struct RecordCollector {
  let traces: (Record) -> Set<FoundRecord.Trace>
  private var byName: [String: FoundRecord] = [:]
  private var names: [String] = []

  init(traces: @escaping (Record) -> Set<FoundRecord.Trace>) { self.traces = traces }

  /// In the order in which they were found.
  var records: [FoundRecord] { names.compactMap { byName[$0] } }

  mutating func add(_ query: Query, _ keys: [String], from container: any Container) async throws {
    var found: [Record] = []
    try await container.forEachPage(of: query, desiredKeys: keys) { page in
      found += page.records.filter { !traces($0).isEmpty }
    }
    for record in found { add(record) }
  }

  mutating func add(_ record: Record, _ trace: FoundRecord.Trace? = nil) {
    if byName[record.recordName] == nil { names.append(record.recordName) }
    let known = byName[record.recordName]?.traces ?? []
    byName[record.recordName] = FoundRecord(
      record: record, traces: known.union(traces(record)).union([trace].compactMap(\.self)))
  }
}
