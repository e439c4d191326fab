package import CloudKitModel
internal import Diagnostics
package import SchemaLanguage

/// Brings a mirror up to date, type by type (Documentation/Operators.md#a-mirror-of-a-service).
///
/// A first copy is stored every few pages with the marker of the next page, so that a run that is killed continues. Later a
/// type changes in one step: first what changed since its last reading, by the time of changes and its index, or, daily
/// and without that index, the names and change tags of all its records, of which those that differ are read.
package struct MirrorRun {
  package struct Options {
    /// How long an index of the service may lag behind its records.
    package var settle: Duration
    /// Read the names of all types, to find what was deleted.
    package var readsNames: Bool
    /// Delete what the service does not have, even if it is more than half of a type.
    package var acceptsMassDeletion = false
    package var persons: PersonDigests
    /// Types that are copied and not counted, because jobs keep their own state there.
    package var uncounted: Set<String> = []
    /// The types of the service that are not copied.
    package var leftOut: [String] = []
    /// `nil` leaves assets as references.
    package var assets: AssetFetching?

    package init(settle: Duration, readsNames: Bool, persons: PersonDigests) {
      self.settle = settle
      self.readsNames = readsNames
      self.persons = persons
    }
  }

  /// The risk of ``Options/acceptsMassDeletion``, as `--accept-risk` takes it.
  package static let riskOfMassDeletion = "mass-deletion"
  /// A type with fewer records may lose more than half of them.
  private static let guardedSize = 50
  /// How long the pages of a first copy are stored together, which is also what a run that is killed loses. The records of
  /// each page change the same pages of the file, which would be written with each.
  private static let stepDuration = Duration.seconds(1)

  private let source: any Container
  private let file: MirrorFile
  private let schema: Schema
  private let options: Options
  private var result = MirrorResult()

  /// - Parameter schema: the service's, with the types to mirror.
  package init(of source: any Container, in file: MirrorFile, _ schema: Schema, _ options: Options) {
    self.source = source
    self.file = file
    self.schema = schema
    self.options = options
  }

  /// Throws the errors of the container and of the file. A type that the service refuses to show stays as it is, and the
  /// result says why.
  package mutating func run() async throws -> MirrorResult {
    let types = schema.recordTypes
    let rules = Dictionary(types.map { ($0.name, options.persons.rules(of: $0.name)) }) { first, _ in first }
    try await file.follow(schema, leavingOut: options.leftOut, rules)
    let known = try await file.mark.types
    // First copies before the index of names is needed, which makes them slower.
    let copied = Set(known.filter { $0.asOf != nil }.map(\.name))
    try await update(types.filter { !copied.contains($0.name) }, known)
    try await indexNames()
    try await update(types.filter { copied.contains($0.name) }, known)
    // A type that the schema does not have any more keeps its records.
    for var state in known where !types.contains(where: { $0.name == state.name }) {
      state.behind = "the schema does not have this type"
      try await file.save(state)
    }
    result.mark = try await file.mark
    if let assets = options.assets {
      var run = MirrorAssetRun(source, file, assets)
      try await run.run(result.mark?.types ?? [])
      result.files = run.result
    }
    try await file.deleteUnusedFiles()
    result.aside = try await file.keptAside()
    for state in result.mark?.types ?? [] {
      guard let type = types.first(where: { $0.name == state.name }), !type.hasChangeIndex else { continue }
      if try await file.count(state) > ContainerLimits.recordsPerRequest {
        result.unindexed.append(type.name)
      }
    }
    return result
  }

  private mutating func update(_ types: [RecordType], _ known: [MirroredType]) async throws {
    for type in types {
      guard var state = known.first(where: { $0.name == type.name }) else { continue }
      let wasBehind = state.behind != nil
      state.behind = nil
      do { try await update(type, &state, readsNames: wasBehind || options.readsNames) } catch let refusal
        as ServerError where refusal.isRefusalOfType
      {
        // What this run has read of the type is not stored, but for the pages of a first copy.
        guard var kept = try await file.mark.types.first(where: { $0.name == type.name }) else { continue }
        kept.behind = refusal.reason
        try await file.save(kept)
        result.refusals[type.name] = refusal
      }
    }
  }

  /// - Parameter readsNames: also after a run that left the type behind, whose reason changes alone do not show.
  private mutating func update(_ type: RecordType, _ state: inout MirroredType, readsNames: Bool) async throws
  {
    let time = try await self.time()
    let now = time.earliest
    try await file.forgetSeen()
    guard let asOf = state.asOf else { return try await copy(type, &state, now) }
    let isNamesTime = state.deletionsAsOf.map { now.since($0 + options.settle) >= ServiceTime.day } ?? true
    // A service's clock that was set back has given changes times before the last reading.
    let isClockSetBack = time.latest - options.settle < asOf
    let isChangesOnly =
      type.hasChangeIndex && state.isIndexed && !state.needsAllFields && !isNamesTime && !readsNames
      && !isClockSetBack
    var next = state
    next.asOf = isClockSetBack ? now - options.settle : max(asOf, now - options.settle)
    try await file.inOneStep {
      if isChangesOnly {
        try await readChanges(since: asOf, next)
      } else {
        next.isIndexed = type.hasChangeIndex
        try await compareAll(&next)
      }
    }
    state = next
  }

  /// The service's time, to which all times of the mirror refer.
  private func time() async throws -> ServiceTime {
    guard let time = try await source.clock.time(), time.uncertainty <= ServiceTime.limit else {
      throw ContainerFailure(
        .unavailable(retryAfter: nil),
        "the service does not state its time well enough to know what a mirror has missed",
        hint:
          "Run the command again; if it fails again, a proxy removes the header Date from replies, or delays them."
      )
    }
    return time
  }

  // MARK: - The three readings

  private mutating func copy(_ type: RecordType, _ state: inout MirroredType, _ now: Timestamp) async throws {
    state.isIndexed = type.hasChangeIndex
    try await file.setIndexes(of: state, areKept: false)
    if state.marker != nil {
      do { return try await copyPages(&state) } catch let error as ServerError where error.code == .badRequest
      {
        // The service does not know the marker any more.
        state.marker = nil
      }
    }
    state.started = now
    // Of what an earlier copy left, the next reading of names finds what was deleted since.
    let isFirst = try await file.count(state) == 0
    state.deletionsAsOf = isFirst ? now - options.settle : nil
    if !isFirst { try await indexNames() }
    try await copyPages(&state)
  }

  private mutating func copyPages(_ state: inout MirroredType) async throws {
    let origin = state.needsAllFields ? MirrorFile.Origin.newSchema : .query
    let request = QueryRequest(Query(state.name), continuationMarker: state.marker)
    var begin = ContinuousClock.now
    // What was read when the service or a signal ends the run between two pages is kept. A page that is stored in part takes
    // its step back.
    var keeps = true
    do {
      try await source.forEachPage(of: request) { page in
        keeps = false
        try await file.beginStep()
        state.marker = page.continuationMarker
        let isLast = state.marker == nil
        if isLast {
          state.asOf = state.started.map { $0 - options.settle }
          state.needsAllFields = false
        }
        try await take(page.records, from: origin, state)
        if isLast { try await file.setIndexes(of: state, areKept: true) }
        if isLast || ContinuousClock.now - begin > Self.stepDuration {
          try file.endStep(keeping: true)
          begin = .now
        }
        keeps = true
      }
    } catch {
      try file.endStep(keeping: keeps)
      throw error
    }
  }

  /// Ends the time in which a record may be in the file twice. A lookup says which version the service has.
  private mutating func indexNames() async throws {
    try await file.inOneStep {
      let former = try await file.indexNames()
      let records = try await source.lookupAll(Set(former.map(\.name)).sorted()).compactMap { try $0.found }
      for state in try await file.mark.types {
        if isCounted(state) { result.changed -= former.count { $0.recordType == state.name } }
        let current = records.filter { $0.recordType == state.name }
        if !current.isEmpty { try await take(current, from: .lookup, state) }
      }
    }
  }

  private mutating func readChanges(since: Timestamp, _ state: MirroredType) async throws {
    let filter = Filter(.system(.modifiedTimestamp), .greaterThanOrEquals, .timestamp(since))
    try await source.forEachPage(of: Query(state.name, filters: [filter])) { page in
      try await take(page.records, from: .query, state)
    }
    try await file.save(state)
  }

  /// Reads the names and change tags of a type, or all fields after a change of the schema, and deletes what the service
  /// does not have.
  private mutating func compareAll(_ state: inout MirroredType) async throws {
    let readsFields = state.needsAllFields
    state.needsAllFields = false
    // Names whose records are read together, in as few requests as possible.
    var differing: [String] = []
    try await source.forEachPage(of: Query(state.name), desiredKeys: readsFields ? nil : []) { page in
      guard !readsFields else { return try await take(page.records, from: .newSchema, noting: true, state) }
      if isCounted(state) { result.read += page.records.count }
      differing += try await file.compare(page.records, state)
      let full = differing.count - differing.count % ContainerLimits.recordsPerRequest
      guard full > 0 else { return }
      try await look(up: Array(differing.prefix(full)), noting: true, state)
      differing.removeFirst(full)
    }
    try await look(up: differing, noting: true, state)
    try await deleteMissing(&state)
    try await file.save(state)
  }

  private mutating func deleteMissing(_ state: inout MirroredType) async throws {
    let count = try await file.count(state)
    let limit = count >= Self.guardedSize && !options.acceptsMassDeletion ? count / 2 : count
    var gone: [Int64] = []
    var last: Int64 = -1
    while true {
      let unseen = try await file.unseen(state, after: last, limit: ContainerLimits.recordsPerRequest)
      guard let end = unseen.last else { break }
      last = end.id
      let missing = try await look(up: unseen.map(\.name), noting: false, state)
      gone += unseen.filter { missing.contains($0.name) }.map(\.id)
      if gone.count > limit {
        state.behind =
          "more than half of its \(count) records are missing from the service; none was deleted here. If that is right, "
          + "run it once with --accept-risk \(Self.riskOfMassDeletion)"
        return
      }
    }
    try await file.delete(gone)
    if isCounted(state) { result.deleted += gone.count }
    state.deletionsAsOf = state.asOf
  }

  private func isCounted(_ state: MirroredType) -> Bool { !options.uncounted.contains(state.name) }

  /// Stores the records with these names.
  ///
  /// - Returns: the names that no record of the type has.
  @discardableResult
  private mutating func look(
    up names: [String], noting: Bool, _ state: MirroredType
  ) async throws -> Set<String> {
    var records: [Record] = []
    for outcome in try await source.lookupAll(names) {
      if let record = try outcome.found, record.recordType == state.name { records.append(record) }
    }
    try await take(records, from: .lookup, noting: noting, state)
    return Set(names).subtracting(records.map(\.recordName))
  }

  private mutating func take(
    _ records: [Record], from origin: MirrorFile.Origin, noting: Bool = false, _ state: MirroredType
  ) async throws {
    if isCounted(state) { result.read += records.count }
    let kept = records.map { record in
      var record = options.persons.replaced(record)
      for (field, value) in record.fields where !value.assets.isEmpty {
        record.fields[field] = value.withoutAddress
      }
      return record
    }
    let put = try await file.put(kept, from: origin, noting: noting, state)
    if isCounted(state) { result.changed += put.changed }
    if !put.older.isEmpty { try await look(up: put.older, noting: noting, state) }
  }
}

extension ServerError {
  /// The service answers, but does not show the records of the type: a right or an index is missing.
  fileprivate var isRefusalOfType: Bool { [.accessDenied, .notFound, .badRequest].contains(code) }
}

package struct MirrorResult: Sendable {
  /// Records that came from the service, also those of which only the name was read.
  package var read = 0
  /// Records that are new in the file or have another version.
  package var changed = 0
  package var deleted = 0
  package var mark: MirrorMark?
  /// `nil` if assets are copied as references only.
  package var files: MirroredFiles?
  /// How many values of each field are kept aside.
  package var aside: [(recordType: String, field: String, values: Int)] = []
  /// The types without an index on the time of changes whose names take more than one request.
  package var unindexed: [String] = []
  /// What the service said of the types that it did not show, by record type.
  package var refusals: [String: ServerError] = [:]
}
