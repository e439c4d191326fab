internal import Aggregates
internal import Catalog
internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import Reporting
internal import SchemaLanguage
internal import SystemPackage

extension ContainerBackup {
  /// Brings the mirror of a CloudKit container up to date, or makes it.
  func mirror(_ id: String, _ context: CommandContext) async throws -> MirrorReport {
    let files = try assets ? context.assetFetching(id, maxBytes: maxBytes ?? 10_000_000_000) : nil
    let source = try await context.container()
    let schema = try await context.schemaOfMirror(file: schema)
    let named = types?.split(separator: ",").map { $0.filter { $0 != " " } }
    let isNew = try LocalStore.isMissing(path)
    // Before a new file is made.
    if isNew { _ = try schema.mirrored(by: nil, named: named) }
    var settings = LocalContainerSettings(now: { Timestamp(context.process.now()) })
    settings.waits = context.waits
    let file = try await MirrorFile(
      path, of: source.identity, hasChosenTypes: named != nil, settings: settings)
    context.warn(about: file.store)
    context.monitor?.workBegan()
    let isRemembered = try context.didRemember(mirror: path, of: file.source)
    do {
      let mirrored = try await schema.mirrored(by: file.mark, named: named)
      let kept = Set(mirrored.recordTypes.map(\.name)).subtracting(named ?? [])
      if named != nil, !kept.isEmpty {
        context.note("note: the mirror keeps its other types, too: \(kept.sorted().joined(separator: ", "))")
      }
      let persons = try await context.personDigests(file.key, schema, mirrored, source)
      var options = MirrorRun.Options(
        settle: try context.settleTime(), readsNames: deletions, persons: persons)
      options.assets = files
      options.acceptsMassDeletion = !acceptRisk.isEmpty
      options.uncounted = [LeaseRecord.recordType]
      options.leftOut = schema.recordTypes.map(\.name).filter {
        mirrored[recordType: $0] == nil && !SystemNames.isManaged($0)
      }
      if isNew, named == nil, !options.leftOut.isEmpty {
        let names = options.leftOut.joined(separator: ", ")
        context.note(
          "note: left out, because users can create their records: \(names); --types A,B copies them, too")
      }
      var run = MirrorRun(of: source, in: file, mirrored, options)
      var result = try await run.run()
      for (name, refusal) in result.refusals where refusal.roles.isEmpty && !refusal.isUnproved {
        result.refusals[name]?.roles = schema[recordType: name]?.customRoles(for: .read) ?? []
      }
      let isGone = try await discardIfUseless(file, isRemembered, context)
      return MirrorReport(path: path, result: result, requests: source.counts, isGone: isGone)
    } catch {
      // Also in a cancelled task.
      _ = try await Task { try await discardIfUseless(file, isRemembered, context) }.value
      throw error
    }
  }

  /// A file that says nothing of the service is not left behind: it would look like a copy.
  private func discardIfUseless(
    _ file: MirrorFile, _ isRemembered: Bool, _ context: CommandContext
  ) async throws -> Bool {
    guard try await file.discardIfUseless() else { return false }
    if isRemembered { try context.remember(mirror: path, of: file.source, isGone: true) }
    return true
  }
}

extension CommandContext {
  /// False, with a note, on a read-only file system, where a mirror can be made as well.
  fileprivate func didRemember(mirror path: String, of source: ContainerIdentity) throws -> Bool {
    do { try remember(mirror: path, of: source) } catch let failure as FileFailure {
      note("note: 'status' will not name this mirror: \(failure.message)")
      return false
    }
    return true
  }

  fileprivate func assetFetching(_ id: String, maxBytes: Int64) throws -> AssetFetching {
    let downloads = AssetDownloads(
      try clientSettings(id, environment), dependencies: try clientDependencies())
    let progress = progress(of: "files of assets")
    return AssetFetching(maxBytes: maxBytes, progress: { progress($0, nil) }, fetch: downloads.file)
  }

  fileprivate func personDigests(
    _ key: MirrorKey, _ schema: Schema, _ mirrored: Schema, _ source: some Container
  ) async throws -> PersonDigests {
    let counted = try aggregates(aggregateFile(nil), in: schema).declarations.filter { recount in
      recount.hasCreatorNames && mirrored[recordType: recount.source.recordType] != nil
    }
    var keys: Set<String> = []
    for recount in counted {
      keys.formUnion(try await LastJobRun.keys(of: LeaseName("recount \(recount.name)"), in: source))
    }
    let relations = try relations(in: [schema.parsed])
    return PersonDigests(
      key, fields: schema.fieldsOfPersons(relations), unknown: PersonFields(schema, relations),
      groups: Dictionary(counted.map { ($0.source.recordType, $0.source.groupField) }) { first, _ in first },
      ownKeys: keys)
  }

  fileprivate func schemaOfMirror(file: String?) async throws -> Schema {
    if let file { return try await validSchema(in: file).schema }
    if let schema = try await schemaIfAvailable() { return schema }
    throw CommandFailure(
      "a mirror needs the schema, which cannot be read without a management token", code: "no-token",
      hint: "Give the schema's file (--schema), or set CLOUDKIT_MANAGEMENT_TOKEN and CLOUDKIT_TEAM_ID.",
      status: .denied)
  }
}

extension Schema {
  /// The schema with the types to mirror: those of the file, with those that are named, or that the default adds.
  ///
  /// - Parameter mark: `nil` for a new file.
  fileprivate func mirrored(by mark: MirrorMark?, named: [String]?) throws -> Schema {
    guard named != [] else { throw CommandFailure.usage("--types names no record type") }
    if let name = named?.first(where: SystemNames.isManaged) {
      throw CommandFailure.usage("'\(name)' is a record type of CloudKit's own, which no mirror copies")
    }
    for name in named ?? [] where self[recordType: name] == nil {
      throw CommandFailure.usage(
        "the schema has no record type '\(name)'",
        hint: SpellingSuggestion.question(name, among: recordTypes.map(\.name)))
    }
    let known = Set(mark?.types.map(\.name) ?? []).union(named ?? [])
    let hasChosenTypes = mark?.hasChosenTypes ?? (named != nil)
    let types = recordTypes.filter { type in
      guard !SystemNames.isManaged(type.name) else { return false }
      let isDefault = !type.isMadeByUsers || type.name == CatalogRecordType.publicArticle
      return known.contains(type.name) || !hasChosenTypes && isDefault
    }
    guard mark != nil || !types.isEmpty else {
      throw CommandFailure.usage(
        "users can create records of each type of the schema, and a mirror copies such types only if they are named",
        hint: "Name the types to copy: --types A,B.")
    }
    return Schema(roles: roles, recordTypes: types)
  }
}

extension CommandContext {
  /// The file of the state folder that lists the mirrors: in each line ``ContainerIdentity/key`` and the path.
  private static let listName = "mirrors"
  private static let listSize = 1 << 20

  /// Remembers where a mirror is, for ``knownMirrors(of:)``, or forgets one that has no file any more. Throws `FileFailure`.
  fileprivate func remember(mirror path: String, of source: ContainerIdentity, isGone: Bool = false) throws {
    let file = FilePath(process.absolutePath(path)).lexicallyNormalized()
    let line = "\(source.key) \(file.string)"
    try StateFolder.open(stateDirectory, making: true).changeLines(of: Self.listName, upTo: Self.listSize) {
      if isGone { return $0.filter { $0 != line } }
      return $0.contains(line) ? $0 : $0 + [line]
    }
  }

  /// The mirrors of a container that this machine made, in their order. Throws `FileFailure`.
  func knownMirrors(of source: ContainerIdentity) throws -> [StatusReport.Mirror] {
    guard let folder = try StateFolder.existing(stateDirectory) else { return [] }
    let start = "\(source.key) "
    return try folder.lines(of: Self.listName, upTo: Self.listSize).filter { $0.hasPrefix(start) }
      .map { mirror(at: String($0.dropFirst(start.count)), of: source) }
  }

  private func mirror(at path: String, of source: ContainerIdentity) -> StatusReport.Mirror {
    func unknown(_ problem: String) -> StatusReport.Mirror {
      StatusReport.Mirror(path: path, asOf: nil, problem: problem)
    }
    do {
      guard try !LocalStore.isMissing(path) else { return unknown("not there any more") }
      let mark = try LocalStore(.file(path), access: .readOnly).mirror
      guard let mark, mark.source.isSameContainer(as: source) else {
        return unknown("not a mirror of this container any more")
      }
      let behind = mark.types.filter { $0.behind != nil }.compactMap(\.delay)
      let problems = [mark.gap].compactMap(\.self) + behind
      return StatusReport.Mirror(
        path: path, types: Set(mark.types.map(\.name)), asOf: mark.asOf,
        problem: problems.isEmpty ? nil : problems.joined(separator: "; "))
    } catch {
      return unknown(CommandFailure(error).message)
    }
  }
}
