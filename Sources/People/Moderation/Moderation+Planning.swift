internal import Catalog
internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import RecordChanges

extension Moderation {
  /// Plans an action. To be called while the lease of moderation is held, so that two moderators decide one after the
  /// other.
  ///
  /// Throws the container's errors, and ``CommandFailure`` for names that the action does not fit, before anything is
  /// written.
  ///
  /// - Parameters:
  ///   - reason: why, for the decision; shown to moderators only.
  ///   - id: the beginning of the ids of the decisions, such as the id of the run.
  package func plan(_ action: ModerationAction, reason: String? = nil, id: String) async throws
    -> ModerationPlan
  {
    var plan = ModerationPlan(reason: reason, id: id, declaration.reports)
    switch action {
    case .hide(let names): try await hide(names.unique, &plan)
    case .restore(let names): try await restore(names.unique, &plan)
    case .remove(let names): try await remove(names.unique, &plan)
    case .decide(let names, .open): try await reopen(names.unique, &plan)
    case .decide(let names, let outcome): try await decide(names.unique, outcome == .upheld, &plan)
    case .block(let name): try await block(name, &plan)
    case .unblock(let id): try await unblock(id, &plan)
    }
    return plan
  }

  private func hide(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let records = try await existing(names)
    let open = try await openReports(about: names)
    try require(
      records, "no hiddenField is declared for the type of",
      hint: { record in
        advice(
          about: record,
          isReported: open.contains { $0[declaration.reports.target]?.string == record.recordName })
      }
    ) { contentType($0.recordType)?.hiddenField != nil }
    let standing = try await self.standing(.hide, of: names)
    var decisions: [String: String] = [:]
    for record in records {
      guard let type = contentType(record.recordType) else { continue }
      decisions[record.recordName] = plan.hide(record, type, standing: standing[record.recordName])
    }
    plan.close(open) { decisions[$0] }
  }

  private func restore(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let records = try await existing(names)
    let standing = try await self.standing(.hide, of: names)
    let unknown = names.filter { standing[$0] == nil }
    guard unknown.isEmpty else {
      throw refusal(
        unknown, "no decision hides",
        hint:
          "'moderation show \(unknown[0])' lists the decisions about it; 'moderation decide --as open' takes back one about reports."
      )
    }
    for record in records {
      guard let decision = standing[record.recordName] else { continue }
      plan.takeBack(decision, by: .restore)
      plan.restore(record, from: decision)
      if let field = contentType(record.recordType)?.hiddenField, decision.formerValues[field] == .some(1) {
        plan.notes.append("\(record.recordName) was hidden before that decision, so it stays hidden")
      }
    }
  }

  private func remove(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let records = try await existing(names)
    try require(
      records, "moderation.json does not declare the type of", hint: { advice(about: $0) }
    ) { contentType($0.recordType) != nil }
    let standing = try await self.standing(.hide, of: names)
    var decisions: [String: String] = [:]
    for record in records {
      let decision = plan.decision(.remove, record.recordName, record.recordType)
      decisions[record.recordName] = decision.id
      plan.decisions.append(decision)
      plan.targets.append(RecordChange(deleting: record))
      if let hiding = standing[record.recordName] { plan.endings.append(hiding) }
    }
    plan.targets = try await plan.targets.withCascades(
      ReferenceFields(CatalogReferences.all, in: schema), in: container)
    let removed = Set(plan.removed)
    plan.close(try await openReports(about: names).filter { !removed.contains($0.recordName) }) {
      decisions[$0]
    }
  }

  /// All open reports about one record are decided at once.
  private func decide(_ names: [String], _ isUpheld: Bool, _ plan: inout ModerationPlan) async throws {
    let reports = declaration.reports
    var open = try await openReports(about: names)
    let reported = Set(open.compactMap { $0[reports.target]?.string })
    let others = names.filter { !reported.contains($0) }
    let named = try await self.reported(others, keys: [reports.target, reports.isOpen])
    let targets = others.compactMap { name -> String? in
      guard let report = named[name], report.recordType == reports.recordType,
        report[reports.isOpen]?.flag ?? false
      else { return nil }
      return report[reports.target]?.string
    }
    guard targets.count == others.count else {
      throw refusal(
        others.filter { named[$0]?[reports.isOpen]?.flag != true }, "no open report is, or is about,",
        hint: "'moderation list' has the records whose reports wait.")
    }
    open += try await openReports(about: targets.unique.filter { !reported.contains($0) })
    var decisions: [String: String] = [:]
    for report in open {
      guard let target = report[reports.target]?.string, decisions[target] == nil else { continue }
      let decision = plan.decision(
        isUpheld ? .uphold : .dismiss, target, report[reports.targetType]?.string ?? "")
      decisions[target] = decision.id
      plan.decisions.append(decision)
    }
    plan.close(open) { decisions[$0] }
    guard isUpheld else { return }
    let upheld = try await self.reported(decisions.keys.sorted(), keys: shownKeys)
    for (name, record) in upheld.sorted(by: { $0.key < $1.key }) {
      if isReport(record) {
        // The report was abusive, so it is decided too, but not what else was reported about its record.
        let isDecided = plan.reports.contains { $0.recordName == name }
        if !isDecided, record[reports.isOpen]?.flag ?? false { plan.decide(record, by: decisions[name]) }
        plan.notes.append(
          "\(name) was a report: it waits no longer. 'moderation block \(name)' blocks its author.")
      } else if let type = contentType(record.recordType), !type.isHidden(record) {
        plan.notes.append(
          "\(name) stays shown. \(advice(about: record) ?? "'moderation hide \(name)' hides it.")")
      }
    }
  }

  /// The reports that a decision about these records closed wait again.
  private func reopen(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let reports = declaration.reports
    var decisions = try await standing(.uphold, .dismiss, of: names)
    let named = try await self.reported(
      names.filter { decisions[$0] == nil }, keys: [reports.decision]
    ).compactMapValues { $0[reports.decision]?.string }
    for (id, record) in try await records(Set(named.values).sorted(), keys: nil) {
      guard let decision = ModerationDecision(record), decision.isStanding,
        [.uphold, .dismiss].contains(decision.kind)
      else { continue }
      for name in named.keys where named[name] == id { decisions[name] = decision }
    }
    let unknown = names.filter { decisions[$0] == nil }
    guard unknown.isEmpty else {
      throw refusal(
        unknown, "'moderation decide' has closed no report about",
        hint:
          "'moderation show \(unknown[0])' lists the decisions about it; 'moderation restore' takes back a hide."
      )
    }
    let byID = decisions.values.reduce(into: [:]) { $0[$1.id] = $1 }
    for decision in byID.values.sorted(by: { $0.id < $1.id }) {
      plan.takeBack(decision, by: .reopen)
      plan.endings.append(decision)
    }
    for report in try await records(
      reports.recordType, reports.decision, in: byID.keys.sorted(), keys: reports.stateKeys)
    { plan.decide(report, by: nil) }
  }

  // MARK: Blocks

  private func block(_ name: String, _ plan: inout ModerationPlan) async throws {
    let record = try await existing([name])[0]
    guard let author = record.created?.userRecordName, !author.isEmpty else {
      throw CommandFailure("the container does not say who made \(name)", code: "no-author")
    }
    guard author != container.callerRecordName else {
      throw CommandFailure(
        "\(name) was made with this key, which a block would lock out of its own records", code: "own-record",
        hint: "Name a record that the person made in the app.")
    }
    let blockedUser = blockedUserName(of: author)
    let id: String
    if let standing = try await standingBlocks(of: blockedUser).first {
      id = standing.id
      plan.notes.append("the author of \(name) is blocked already, by \(id)")
    } else {
      var decision = plan.decision(.block, name, record.recordType)
      decision.blockedUser = blockedUser
      plan.decisions.append(decision)
      id = decision.id
    }
    plan.block = id
    if try await records([blockedUser], keys: []).isEmpty { plan.blocks.append(.blocking(blockedUser)) }
    plan.rest = .hiding(author: author)
    guard declaration[recordType: record.recordType] == nil else { return }
    // What is not among the records of declared types, such as a report.
    plan.close(try await openReports(about: [name])) { _ in id }
    if isReport(record), record[declaration.reports.isOpen]?.flag ?? false { plan.decide(record, by: id) }
  }

  private func unblock(_ id: String, _ plan: inout ModerationPlan) async throws {
    let record = try await records([id], keys: nil)[id]
    guard let decision = record.flatMap(ModerationDecision.init), decision.kind == .block else {
      throw CommandFailure.usage(
        "'\(id)' is not a decision to block",
        hint: "'moderation block' prints its id, and 'moderation show' with the name of a record that it hid."
      )
    }
    plan.block = id
    plan.rest = .restoring
    if decision.isStanding {
      plan.takeBack(decision, by: .unblock)
      if let name = decision.blockedUser, let block = try await records([name], keys: [])[name] {
        plan.blocks.append(RecordChange(deleting: block))
      }
      plan.endings.append(decision)
    } else {
      let left = Query(
        ModerationRecordType.decision,
        filters: [Filter("block", equals: .string(id))] + ModerationDecision.Kind.hide.standing)
      guard try await !container.firstRecords(left, desiredKeys: [], limit: 1).records.isEmpty else {
        throw CommandFailure("\(id) was taken back already", code: "not-standing")
      }
    }
  }

  /// The name by which an app finds out that its own user is blocked (Documentation/reference/catalog.md#moderation).
  func blockedUserName(of userRecordName: String) -> String {
    SHA256.hex("\(containerID)|blocked|\(userRecordName)")
  }

  /// The decisions that block authors at present.
  ///
  /// - Parameter blockedUser: only of this one.
  func standingBlocks(of blockedUser: String? = nil) async throws -> [ModerationDecision] {
    var query = Query(ModerationRecordType.decision, filters: ModerationDecision.Kind.block.standing)
    if let blockedUser { query.filters.append(Filter("blockedUser", equals: .string(blockedUser))) }
    return try await container.allRecords(query).compactMap(ModerationDecision.init)
  }

  // MARK: Names

  /// The records of these names. Throws ``CommandFailure`` if one does not exist.
  private func existing(_ names: [String]) async throws -> [Record] {
    let found = try await records(names, keys: shownKeys)
    let missing = names.filter { found[$0] == nil }
    guard missing.isEmpty else {
      let isReported = try await !openReports(about: [missing[0]]).isEmpty
      throw refusal(
        missing, "no record has the name",
        hint: isReported
          ? "'moderation decide \(missing[0])' with --as upheld or dismissed closes the reports about it."
          : "'moderation list' has the names of the records whose reports wait.")
    }
    return names.compactMap { found[$0] }
  }

  private func require(
    _ records: [Record], _ problem: String, hint: (Record) -> String?, where fits: (Record) -> Bool
  ) throws {
    let others = records.filter { !fits($0) }
    guard let first = others.first else { return }
    throw refusal(others.map(\.recordName), problem, hint: hint(first))
  }

  private func refusal(_ names: [String], _ problem: String, hint: String?) -> CommandFailure {
    CommandFailure(
      "\(problem) \(names[0])\(names.count > 1 ? " and \(names.count - 1) more; nothing was written" : "")",
      details: names.count > 1 ? names : [], code: "bad-name", hint: hint)
  }
}

extension RecordChange {
  /// The record that shows a person's app that they are blocked.
  static func blocking(_ blockedUser: String) -> RecordChange {
    RecordChange(.create, recordType: ModerationRecordType.blockedUser, recordName: blockedUser)
  }
}

extension [String] {
  /// Each once, in the order given.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
