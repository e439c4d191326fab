internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

extension Moderation {
  func block(_ name: String, _ plan: inout ModerationPlan) async throws {
    let record = try await existing([name])[0]
    guard let author = record.created?.userRecordName, !author.isEmpty else {
      throw CommandFailure("the container does not say who made \(name)", code: "no-author")
    }
    guard try await !isMadeByTool(record) else {
      let alone = contentType(record.recordType).map {
        $0.hiddenField == nil ? "\(Self.removal(of: [name])) deletes" : "\(Self.command("hide", name)) hides"
      }
      throw CommandFailure(
        "a key or user of this tool made \(name): after an import nothing shows who wrote it, and a block would hide all that the key or user made",
        code: "own-record",
        hint: "Name a record that the person made in the app."
          + (alone.map { " \($0) this one alone." } ?? ""))
    }
    let blocks = try await standingBlocks()
    if let failure = try await otherContainerID(of: blocks, by: authors(of: blocks)) { throw failure }
    let blockedUser = blockedUserName(of: author)
    let id: String
    if let standing = blocks.first(where: { $0.blockedUser == blockedUser }) {
      id = standing.id
      plan.notes.append("the author of \(name.nameWithoutPerson) is blocked already, by \(id)")
    } else {
      var decision = plan.decision(.block, name, record.recordType)
      decision.blockedUser = blockedUser
      plan.decisions.append(decision)
      id = decision.id
    }
    plan.block = id
    if try await records([blockedUser], keys: []).isEmpty { plan.blocks.append(.blocking(blockedUser)) }
    plan.rest = .hiding(author: author)
    try await noteUndeclared(of: author, &plan)
    guard declaration[recordType: record.recordType] == nil else { return }
    // What is not among the records of declared types, such as a report.
    plan.close(try await openReportsOfOthers(about: [name])) { _ in id }
    guard isOpenReport(record) else { return }
    // What it says is decided only if it is about a record that the block hides.
    let subject = try await reported([declaration.reports.subject(of: record)], keys: []).values.first
    let isOwn = subject?.created?.userRecordName == author
    if !isOwn || declaration[recordType: subject?.recordType ?? ""] == nil {
      plan.notes.append("\(inWords(record)): it still waits")
    }
  }

  func unblock(_ id: String, _ plan: inout ModerationPlan) async throws {
    let record = try await records([id], keys: nil)[id]
    guard let decision = record.flatMap(ModerationDecision.init), decision.kind == .block else {
      let blocks = try await standingBlocks().reversed()
      throw CommandFailure(
        "'\(id)' is not a decision to block",
        details: blocks.prefix(ModerationResult.maxNotes).map { "\($0.id): the author of \($0.target)" },
        code: "bad-name",
        hint: blocks.isEmpty ? "No block is in effect." : "The last blocks are listed: give the id of one.")
    }
    plan.block = id
    var ended = [decision]
    if decision.isStanding {
      if let name = decision.blockedUser {
        // Moderators without a lease in common may have blocked one person twice.
        ended += try await standingBlocks(of: name).filter { $0.id != id }
        if let block = try await records([name], keys: [])[name] {
          plan.blocks.append(RecordChange(deleting: block))
        }
      }
      for block in ended { plan.takeBack(block, by: .unblock) }
      plan.endings += ended
    } else {
      let left = Query(
        ModerationRecordType.decision,
        filters: [Filter("block", equals: .string(id))] + ModerationDecision.Kind.hide.standing)
      guard try await !container.firstRecords(left, desiredKeys: [], limit: 1).records.isEmpty else {
        throw CommandFailure("\(id) was taken back already", code: "not-standing")
      }
    }
    plan.rest = .restoring(blocks: ended.map(\.id))
    for block in ended.map(\.id) { try await noteDecided(by: [block], &plan) { _ in block } }
  }

  /// Notes what the author made in types that users write and moderation.json does not declare: apps go on showing it.
  private func noteUndeclared(of author: String, _ plan: inout ModerationPlan) async throws {
    for type in schema.recordTypes
    where type.isMadeByUsers && contentType(type.name) == nil
      && [Role.world, Role.icloud].contains(where: { type.privileges(of: $0).contains(.read) })
    {
      let query = made(by: author, .init(recordType: type.name, texts: []))
      guard query.missingIndexes(in: schema).isEmpty else {
        plan.warnings.append(
          "what the author made in \(type.name) stays shown: moderation.json does not declare the type")
        continue
      }
      let found = try await container.firstRecords(
        query, desiredKeys: [], limit: ContainerLimits.recordsPerRequest)
      if !found.records.isEmpty {
        plan.staying[.init(recordType: type.name, reason: .undeclared)] = found.records.map(\.recordName)
      }
    }
  }

  /// Notes that reports stay decided although a decision about their records is taken back, and how they wait again.
  func noteDecided(
    by ids: [String], _ plan: inout ModerationPlan, as name: (Record) -> String?
  ) async throws {
    let fields = declaration.reports
    let closed = try await records(fields.recordType, fields.decision, in: ids, keys: fields.stateKeys)
    let groups = Dictionary(grouping: closed) { name($0) ?? "" }
    for (name, reports) in groups.sorted(by: { $0.key < $1.key }).prefix(ModerationResult.maxNotes) {
      let stay = reports.count == 1 ? "stays decided and waits" : "stay decided and wait"
      plan.notes.append(
        "\(counted(reports.count, "report")) \(stay) again after \(Self.command("decide", name, "--as open"))"
      )
    }
  }

  func block(ofAuthorOf record: Record) async throws -> String? {
    guard let author = record.created?.userRecordName, !author.isEmpty else { return nil }
    return try await standingBlocks(of: blockedUserName(of: author)).first?.id
  }

  /// What keeps the block of a record's author from hiding it again after a moderator showed it: a decision that does not
  /// stand, with the name that the block's own would have. `nil` without a block, or if the block hid the record before.
  func exemption(of record: Record) async throws -> (block: String, id: String)? {
    guard let block = try await block(ofAuthorOf: record) else { return nil }
    let id = ModerationDecision.id(of: block, hiding: record)
    return try await records([id], keys: []).isEmpty ? (block: block, id: id) : nil
  }

  /// Whether a key or user of this tool made a record, as an import does: its creator may not have written it.
  func isMadeByTool(_ record: Record) async throws -> Bool {
    guard let author = record.created?.userRecordName, !author.isEmpty else { return false }
    return try await toolKeys().contains(author)
  }

  /// The user record names of the tool's keys, as records show them that only these keys write. Never to be shown.
  private func toolKeys() async throws -> Set<String> {
    var keys = Set([container.callerRecordName].compactMap(\.self))
    for name in [LeaseRecord.recordType, ModerationRecordType.decision] {
      guard let type = schema[recordType: name], !type.isMadeByUsers,
        Query(name).missingIndexes(in: schema).isEmpty
      else { continue }
      do {
        let found = try await container.firstRecords(
          Query(name), desiredKeys: [], limit: ContainerLimits.recordsPerRequest)
        keys.formUnion(found.records.flatMap { [$0.created, $0.modified].compactMap { $0?.userRecordName } })
      } catch let refusal as ServerError where refusal.code == .accessDenied {}
    }
    return keys.subtracting([""])
  }

  /// Notes whose authors a removal puts out of reach of a block.
  func noteAuthors(of records: [Record], _ plan: inout ModerationPlan) async throws {
    let keys = try await toolKeys()
    let authors = records.reduce(into: [String: String]()) { authors, record in
      guard let author = record.created?.userRecordName, !keys.contains(author) else { return }
      authors[record.recordName] = blockedUserName(of: author)
    }
    let blocks = try await self.records(
      ModerationRecordType.decision, "blockedUser", in: Set(authors.values).sorted(),
      ModerationDecision.Kind.block.standing)
    let blocked = Set(blocks.compactMap { $0["blockedUser"]?.string })
    for (name, author) in authors.sorted(by: { $0.key < $1.key }).prefix(ModerationResult.maxNotes)
    where !blocked.contains(author) {
      plan.warnings.append(
        "the author of \(name.nameWithoutPerson) is not blocked, and only the record shows who that is: \(Self.command("block", name)) works only before it is removed"
      )
    }
  }

  /// The name by which an app finds out that its own user is blocked (Documentation/reference/catalog.md#moderation).
  func blockedUserName(of userRecordName: String) -> String {
    SHA256.hex("\(containerID)|blocked|\(userRecordName)")
  }

  /// The authors that blocks are about, by the ids of the blocks, as the container shows them: who made the record that a
  /// block names, or where that is gone or was made again, one that it hid. A block without either is left out.
  func authors(of blocks: [ModerationDecision]) async throws -> [String: String] {
    let targets = try await reported(blocks.map(\.target).unique, keys: [])
    var authors = blocks.reduce(into: [String: String]()) { authors, block in
      guard let made = targets[block.target]?.created, let decided = block.decided else { return }
      if made.timestamp <= decided { authors[block.id] = made.userRecordName }
    }
    var hides: [ModerationDecision] = []
    // A page is enough, because a sweep without a block's author reads more records instead.
    for some in blocks.map(\.id).filter({ authors[$0] == nil }).chunks(of: ContainerLimits.namesPerQuery) {
      let query = Query(ModerationRecordType.decision, filters: [Filter("block", .in, .strings(Array(some)))])
      hides += try await container.firstRecords(
        query, desiredKeys: ["kind", "target", "block"], limit: ContainerLimits.recordsPerRequest
      ).records.compactMap(ModerationDecision.init)
    }
    let hidden = try await reported(hides.map(\.target).unique, keys: [])
    for hide in hides {
      guard let block = hide.block, let record = hidden[hide.target],
        hide.id == ModerationDecision.id(of: block, hiding: record)
      else { continue }
      authors[block] = record.created?.userRecordName
    }
    return authors
  }

  /// Names the blocks that do not count because they were made under another container id; `nil` without one.
  func otherContainerID(of blocks: [ModerationDecision], by authors: [String: String]) async throws
    -> CommandFailure?
  {
    var others = blocks.filter { block in
      authors[block.id].map { block.blockedUser != blockedUserName(of: $0) } ?? false
    }
    guard !others.isEmpty else { return nil }
    // An import makes the tool's key the author.
    let keys = try await toolKeys().union([""])
    others.removeAll { keys.contains(authors[$0.id] ?? "") }
    guard !others.isEmpty else { return nil }
    let name = container.identity.name
    let file = name.hasPrefix("local:") ? name.shellWord : "local:FILE"
    return CommandFailure(
      "\(counted(others.count, "block")) made under another container id than \(containerID) \(others.count == 1 ? "does" : "do") not count",
      details: others.prefix(ModerationResult.maxNotes).map {
        "\(Self.command("unblock", $0.id)) takes back that of the author of \($0.target.nameWithoutPerson)"
      },
      code: "other-container-id",
      hint:
        "With ID as the app's, give commands on a local file both CLOUDKIT_CONTAINER_ID=ID and --container \(file), and its emulator --container cloudkit:ID. "
        + "If \(containerID) is the app's, take these blocks back, then block again.")
  }

  /// The decisions that block authors at present, the oldest first.
  func standingBlocks(of blockedUser: String? = nil) async throws -> [ModerationDecision] {
    var query = Query(ModerationRecordType.decision, filters: ModerationDecision.Kind.block.standing)
    if let blockedUser { query.filters.append(Filter("blockedUser", equals: .string(blockedUser))) }
    return try await records(of: query).compactMap(ModerationDecision.init).sorted { $0.order < $1.order }
  }
}

extension RecordChange {
  /// The record that shows a person's app that they are blocked.
  static func blocking(_ blockedUser: String) -> RecordChange {
    RecordChange(.create, recordType: ModerationRecordType.blockedUser, recordName: blockedUser)
  }
}

extension Record {
  func isMade(before moment: Timestamp?) -> Bool {
    created.flatMap { made in moment.map { made.timestamp < $0 } } ?? false
  }
}
