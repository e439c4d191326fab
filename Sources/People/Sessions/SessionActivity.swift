internal import Catalog
internal import CloudKitModel
internal import SchemaLanguage

/// What happened in sessions: who takes part, and which sessions were used since a moment.
struct SessionActivity {
  private typealias Types = LiveSessionRecordType

  let container: any Container

  /// The participants that are marked active. A container without the type has none.
  func activeParticipants() async throws -> [Record] {
    var found: [String: Record] = [:]
    let active = Query(Types.participant, filters: [Filter("isActive", equals: .flag(true))])
    do {
      try await container.forEachPage(of: active, desiredKeys: ["sessionId", "isActive", "leftAt"]) { page in
        for record in page.records { found[record.recordName] = record }
      }
    } catch let refusal as ServerError where refusal.code == .notFound {}
    return found.values.sorted { $0.recordName < $1.recordName }
  }

  /// The sessions that a person joined, or wrote a message in, at or after a moment.
  ///
  /// A request is for 100 sessions, and each request after it proves that at least one more of them was used: so a busy
  /// session costs no more than a quiet one.
  func used(among names: some Collection<String>, since moment: Timestamp) async throws -> Set<String> {
    var used: Set<String> = []
    for type in [Types.participant, Types.message] {
      var waiting = names.filter { !used.contains($0) }[...]
      while !waiting.isEmpty {
        var asked = Set(waiting.prefix(ContainerLimits.namesPerQuery))
        waiting = waiting.dropFirst(ContainerLimits.namesPerQuery)
        while !asked.isEmpty {
          let found = try await firstUsed(type, asked, since: moment)
          if found.isEmpty { break }
          used.formUnion(found)
          asked.subtract(found)
        }
      }
    }
    return used
  }

  /// The sessions on the first page that has any of them.
  private func firstUsed(_ type: String, _ names: Set<String>, since moment: Timestamp) async throws -> Set<
    String
  > {
    let created = FieldName.system(.createdTimestamp)
    let query = Query(
      type,
      filters: [
        Filter("sessionId", .in, .strings(names.sorted())),
        Filter(created, .greaterThanOrEquals, .timestamp(moment)),
      ])
    var found: Set<String> = []
    do {
      try await container.walkPages(of: QueryRequest(query, desiredKeys: ["sessionId"])) { page in
        found = names.intersection(page.records.compactMap { $0["sessionId"]?.string })
        return found.isEmpty
      }
    } catch let refusal as ServerError where refusal.code == .notFound {}
    return found
  }
}
