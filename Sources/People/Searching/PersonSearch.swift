internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import SchemaLanguage

/// A record that belongs to a person, and how it was recognized.
struct FoundRecord: Sendable {
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
  var relations: [DeclaredRelation] = []
  var lacks: [String: String] = [:]

  /// Finds what belongs to the person. Types that cannot be searched have no records in the result, and the records have
  /// no fields but those that name the person, and texts where the plan says so.
  ///
  /// Throws the container's errors, without the person's name.
  func run(_ plan: PersonSearchPlan) async throws -> [FoundInType] {
    var found: [FoundInType] = []
    do {
      for type in plan.types { found.append(try await search(type)) }
    } catch { throw person.redacted(error) }
    return found
  }

  /// Whether the environment has a user of this name; `nil` if the key may not look it up, and in a mirror, which has no
  /// users.
  func isKnownUser() async throws -> Bool? {
    guard person.standIns == nil else { return nil }
    let outcome = try await container.lookup(LookupRequest([person.userRecordName], desiredKeys: [])).first
    return try outcome?.error?.code == .accessDenied ? nil : outcome.map { try $0.found != nil }
  }

  private func search(_ plan: TypeSearchPlan) async throws -> FoundInType {
    let queries: [Query] =
      switch plan.method {
      case .index: filters(plan).map { Query(plan.recordType, filters: [$0]) }
      case .scan: [Query(plan.recordType)]
      case .name, .not: []
      }
    var found: [FoundRecord] = []
    for query in queries {
      try await container.forEachRecord(of: query, desiredKeys: plan.searchedKeys) { record in
        let traces = traces(of: record, plan)
        if !traces.isEmpty { found.append(FoundRecord(record: record, traces: traces)) }
      }
    }
    var plan = plan
    if plan.method != .not { found += try await lookUpDerivedNames(&plan) }
    // Each record once, with everything that connects it with the person.
    let records = found.groups(by: \.record.recordName).map { same in
      FoundRecord(
        record: same[same.count - 1].record, traces: same.reduce(into: []) { $0.formUnion($1.traces) })
    }
    // The person's own records are proof that the key reads those of others.
    if plan.problem == .perhapsOwnOnly, records.contains(where: { !$0.isOfOthers }) { plan.problem = nil }
    return FoundInType(plan: plan, records: records)
  }

  private func filters(_ plan: TypeSearchPlan) -> [Filter] {
    person.names.map { Filter("___createdBy", equals: .reference(Reference($0))) }
      + plan.identifiers.filter { $0.indexes.contains(.queryable) }.flatMap { field in
        values(of: field).map { Filter(FieldName(field.name), equals: $0) }
      }
  }

  /// What stands for the person in a field.
  private func values(of field: Field) -> [FieldValue] {
    let texts =
      person.names
      + pseudonyms.filter { $0.field == field.name }.flatMap { person.names(for: $0.value) }
    return texts.map { field.type == .scalar(.reference) ? .reference(Reference($0)) : .string($0) }
  }

  private func traces(of record: Record, _ plan: TypeSearchPlan) -> Set<FoundRecord.Trace> {
    var traces: Set<FoundRecord.Trace> = []
    if let creator = record.created?.userRecordName, person.names.contains(creator) {
      traces.insert(.creator)
    }
    for field in plan.identifiers {
      guard let value = record[field.name]?.referredName else { continue }
      if values(of: field).contains(where: { $0.referredName == value }) { traces.insert(.field(field.name)) }
    }
    return traces
  }

  /// Looks up the names that the person's records must have. That needs no index, finds what an index does not show yet,
  /// and finds records that a restore or an import wrote again under another creator.
  private func lookUpDerivedNames(_ plan: inout TypeSearchPlan) async throws -> [FoundRecord] {
    var names: [String] = []
    for type in plan.namedAfter {
      do {
        names += try await container.allRecords(Query(type), desiredKeys: []).map {
          CatalogRecordNames.subscription(feed: $0.recordName, user: person.userRecordName)
        }
      } catch let refusal as ServerError where [.badRequest, .accessDenied].contains(refusal.code) {
        plan.problem = plan.problem ?? (refusal.code == .accessDenied ? .denied : .noIndex)
      } catch let refusal as ServerError where refusal.code == .notFound {}
    }
    var found: [FoundRecord] = []
    for outcome in try await container.lookupAll(names, desiredKeys: plan.searchedKeys) {
      switch outcome {
      case .record(let record) where record.recordType == plan.recordType:
        found.append(FoundRecord(record: record, traces: traces(of: record, plan).union([.name])))
      case .failed(_, let error) where error.code == .accessDenied: plan.problem = .denied
      default: _ = try outcome.found
      }
    }
    return found
  }
}

extension TypeSearchPlan {
  var way: String {
    let names = namedAfter.isEmpty ? "" : " and derived names"
    return switch method {
    case .index: "by index\(names)"
    case .scan: "by reading all records\(names)"
    case .name: "by derived names only"
    case .not: "cannot be searched"
    }
  }

  /// Why the type cannot be searched completely, with what to do; `nil` if it can.
  var problemText: String? {
    switch problem {
    case nil: nil
    case .noIndex:
      // An index of creators would leave out records of others that name the person in a field without an index.
      "it lacks an index: add \(identifiers.allSatisfy { $0.indexes.contains(.queryable) } ? "\"___createdBy\" REFERENCE QUERYABLE or " : "")\"___recordID\" REFERENCE QUERYABLE to the schema, or name it in schema.privateTypes if its records are in the private database"
    case .unindexedFields(let fields):
      "records of others may name the person in \(fields.joined(separator: ", ")), which has no index: make it QUERYABLE"
    case .denied: "this key may not read it\(remedyOfDenial)"
    case .perhapsOwnOnly:
      "no record of another person is visible: either none exists yet, or this key may not read them\(remedyOfDenial)"
    case .lacking(let reason): reason
    }
  }

  private var remedyOfDenial: String {
    let grant = missingGrant.flatMap {
      $0.privileges.contains(.read) ? "write in the schema \($0.text)" : nil
    }
    // The roles of jobs are not for the key that answers requests.
    let readers = roles.read.contains(Person.officer) ? [Person.officer] : roles.read
    let role =
      readers.isEmpty ? nil : "give the key's user record the role \(readers.joined(separator: " or "))"
    let remedies = [grant, role].compactMap(\.self).joined(separator: ", or ")
    return remedies.isEmpty ? ", and no role may: grant READ to one in the schema" : ": \(remedies)"
  }

  var isDenied: Bool { problem == .denied || problem == .perhapsOwnOnly }

  /// A type's JSON, with what the key may do and how it is searched at its end.
  func json(_ members: JSONObject) -> JSONValue {
    JSONValue.object(["type": recordType.json]).adding(members).adding([
      "mayErase": mayDelete.rawValue.json, "missingGrant": missingGrant?.text.json,
      "searchedBy": method.rawValue.json, "derivedNames": .bool(!namedAfter.isEmpty),
      "problem": problemText?.json,
    ])
  }
}

extension [TypeSearchPlan] {
  /// The failure of a search that left something out, for lack of an index or of a permission.
  var searchFailure: CommandFailure? {
    let problems = filter { $0.problem != nil }
    guard !problems.isEmpty else { return nil }
    let isDenied = problems.contains(where: \.isDenied)
    return CommandFailure(
      "\(counted(problems.count, "record type")) could not be searched completely",
      details: problems.compactMap { plan in plan.problemText.map { "\(plan.recordType): \($0)" } },
      code: isDenied ? "not-permitted" : "not-searched",
      hint: problems.allSatisfy { $0.problem == .perhapsOwnOnly }
        ? "If the key has its role, run the command again once such records exist."
        : "Correct this, and run the command again.", status: .findings)
  }
}

/// A mirror of the container on this machine, with the record types that it copies; `nil` when they are not known.
package typealias KnownMirror = (path: String, types: Set<String>?)

/// Where a person's data may also be: what no search of the public database reaches
/// (Documentation/Privacy.md#what-this-tool-cannot-reach).
struct PersonalDataPlaces {
  /// Copies that were made before, and that keep what is erased.
  let copies: [String]

  /// - Parameter plans: of the types that a person's records may have. A mirror without any of them holds none.
  init(_ container: ContainerIdentity, _ mirrors: [KnownMirror] = [], of plans: [TypeSearchPlan] = []) {
    let other = Environment.allCases.first { $0 != container.environment } ?? .development
    copies =
      mirrors.compactMap { path, types -> String? in
        let held = plans.map(\.recordType).filter { types?.contains($0) ?? true }.sorted()
        guard !held.isEmpty else { return nil }
        let words = types == nil ? "" : ", with \(held.joined(separator: ", "))"
        return "the mirror \(path)\(words): renew it with 'container backup \(path) --deletions'"
      } + [
        "the \(other.rawValue) environment, where the person has another user record name",
        "backups of containers ('container backup') and other copies of their files",
        "exports of records ('records export'), and earlier exports of this person",
        "saved plans and checkpoints of recounts",
      ]
  }

  /// What a server-to-server key cannot read or delete.
  static let unreachable = [
    "the person's private database, and zones that are shared with them",
    "the person's record of type Users, which only the person can change",
    "a block of this person and what moderators decided, which stay: 'moderation unblock' takes a block back",
    "subscriptions to push messages, and tokens on the person's devices",
    "copies on devices and in other programs",
    "lists in records of others, and stamps that say who changed a record last",
  ]

  @ReportBodyBuilder var body: ReportBody {
    ListItem("\("Copies to look through by hand:", .dim)", details: copies.map { "· \($0)" })
    ListItem("\("What this tool cannot reach:", .dim)", details: Self.unreachable.map { "· \($0)" })
  }

  /// A report's JSON with these places at its end.
  func json(after members: JSONObject) -> JSONValue {
    JSONValue.object(members).adding([
      "copies": copies.json, "notReached": Self.unreachable.json,
    ])
  }
}
