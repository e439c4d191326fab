internal import CloudKitModel
internal import Diagnostics
package import RecordChanges
internal import SchemaLanguage

extension Moderation {
  /// What a plan would do.
  ///
  /// - Parameter wholly: reads also the records that are found while they are written, which may take long.
  package func preview(_ plan: ModerationPlan, wholly: Bool = true) async throws -> ModerationResult {
    var result = ModerationResult(plan, isDryRun: true)
    guard wholly else { return result }
    try await forEachPart(of: plan) { part in
      result.add(part)
      return true
    }
    return result
  }

  /// The records that were changed since they were planned, such as by their authors while a prompt waited.
  package func changedMeanwhile(_ plan: ModerationPlan) async throws -> [String] {
    let updates = plan.targets.filter { $0.action == .update }
    let found = try await records(updates.map(\.recordName), keys: [])
    return updates.filter { change in
      found[change.recordName].map { $0.changeTag != change.changeTag } ?? false
    }.map(\.recordName)
  }

  /// Writes a plan: first what it names, then page by page what it finds. What was interrupted is continued by the same
  /// command, and a block by `moderation sweep`.
  ///
  /// Throws if the history cannot be written, before anything is sent. Later failures are in the result.
  package func carryOut(_ plan: ModerationPlan, through writer: JobWriter) async throws -> ModerationResult {
    var result = ModerationResult(plan, isDryRun: false)
    try await remember(plan, in: writer)
    try await plan.write(through: writer, &result)
    // The others belong to a decision that was not written, or that is still to be taken back.
    let isDecided = result.summary.remaining.allSatisfy {
      $0.change.recordType == ModerationRecordType.blockedUser && $0.change.action == .create
    }
    guard isDecided, result.summary.interruption == nil else { return result }
    do {
      try await forEachPart(of: plan) { part in
        try await part.write(through: writer, &result)
        result.add(part)
        return result.summary.interruption == nil
      }
    } catch {
      result.summary.add(ChangeReport(interruption: error))
    }
    return result
  }

  /// Calls `body` with the changes of each page of the records that a plan finds, until it returns false. What the page
  /// changes keeps its place in the query, and what was changed already is left out.
  func forEachPart(of plan: ModerationPlan, _ body: (ModerationPlan) async throws -> Bool) async throws {
    switch plan.rest {
    case nil: return
    case .hiding(let author):
      guard let block = plan.block else { return }
      var goesOn = true
      for type in declaration.types where goesOn {
        let request = QueryRequest(made(by: author, type), desiredKeys: stateKeys)
        try await container.walkPages(of: request) { page in
          var part = plan.part
          let hidden = try await hide(page.records, of: type, block: block, &part)
          part.close(try await openReports(about: hidden.keys.sorted())) { _ in block }
          if !part.isEmpty || !part.staying.isEmpty { goesOn = try await body(part) }
          return goesOn
        }
      }
    case .restoring(let blocks):
      let decisions = Query(ModerationRecordType.decision, filters: [Filter("block", .in, .strings(blocks))])
      try await container.walkPages(of: QueryRequest(decisions)) { page in
        let standing = page.records.compactMap(ModerationDecision.init).filter {
          $0.kind == .hide && $0.isStanding
        }
        let records = try await records(standing.map(\.target), keys: stateKeys)
        let former = try await formerValues(of: records, under: blocks)
        var part = plan.part
        for var decision in standing {
          if let record = records[decision.target] {
            decision.formerValues.merge(former[decision.target] ?? [:]) { $1 }
            part.restore(record, from: decision)
          } else {
            part.endings.append(decision)
          }
        }
        guard !part.isEmpty else { return true }
        return try await body(part)
      }
    }
  }

  /// The values that records had before the first of several blocks of one person hid them: moderators without a lease in
  /// common may have blocked at the same time, and the later block found records hidden.
  private func formerValues(of records: [String: Record], under blocks: [String]) async throws
    -> [String: [String: Int64?]]
  {
    guard blocks.count > 1 else { return [:] }
    let ids = records.values.flatMap { record in blocks.map { ModerationDecision.id(of: $0, hiding: record) }
    }
    return try await self.records(ids, keys: nil).values.compactMap(ModerationDecision.init)
      .sorted { $0.order < $1.order }
      .reduce(into: [:]) { $0[$1.target, default: [:]].merge($1.formerValues) { first, _ in first } }
  }

  /// Hides records of a blocked author. What a moderator showed again since stays, and so does what has no field that
  /// hides it.
  ///
  /// - Returns: the records that the block is about, by name, and since when a decision hides each: from now on for most.
  func hide(
    _ records: [Record], of type: ModerationDeclaration.ContentType, block: String,
    _ plan: inout ModerationPlan
  ) async throws -> [String: Timestamp] {
    let ids = records.map { ModerationDecision.id(of: block, hiding: $0) }
    let own = try await self.records(ids, keys: nil).compactMapValues(ModerationDecision.init)
    let new = zip(records, ids).filter { own[$1] == nil }.map(\.0.recordName)
    let others = try await standing(.hide, of: new)
    var hidden: [String: Timestamp] = [:]
    for (record, id) in zip(records, ids) {
      let isHeld = own[id]?.isStanding ?? true
      if type.hiddenField == nil || !isHeld && !type.isHidden(record) {
        let reason: ModerationPlan.Staying.Reason = type.hiddenField == nil ? .noHiddenField : .restored
        plan.staying[.init(recordType: type.recordType, reason: reason), default: []].append(
          record.recordName)
      }
      guard isHeld else { continue }
      let standing = own[id] ?? others[record.recordName]
      hidden[record.recordName] = standing?.decided ?? Timestamp(milliseconds: .max)
      plan.hide(record, type, standing: standing, block: block)
    }
    return hidden
  }
}
