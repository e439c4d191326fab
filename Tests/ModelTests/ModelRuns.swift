import Aggregates
import Catalog
import CloudKitModel
import Curation
import Diagnostics
import Foundation
import LocalContainer
import RecordChanges

/// What the tool does, each with the invariants that must hold afterward.
extension CatalogWorld {
  /// Nothing goes wrong in most runs.
  private func trouble() -> (words: String, trouble: Trouble, maxOperations: Int) {
    let maxOperations = chance(50) ? 200 : 1 + index(below: 4)
    let request = 1 + index(below: maxOperations > 4 ? 2 : 4)
    let size = maxOperations > 4 ? "" : ", requests of at most \(maxOperations)"
    func made(_ words: String, _ trouble: Trouble) -> (String, Trouble, Int) {
      (words + size, trouble, maxOperations)
    }
    switch index(below: 24) {
    case 0: return made(", all refused", .refuseAll)
    case 1, 2:
      let endings = Set("0123456789abcdef".filter { _ in chance(40) })
      return made(
        ", names refused that end in \(endings.sorted().map(String.init).joined())", .refuseSome(endings))
    case 3: return made(", request \(request) is lost", .loseRequest(request))
    case 4, 5: return made(", the reply of request \(request) is lost", .loseReply(request))
    case 6: return made(", request \(request) fails after it is carried out", .failAfterward(request))
    case 7: return made(", the container is busy at request \(request)", .busy(request))
    case 8, 9, 10:
      let (words, operations) = editorsWrites()
      return made(", before request \(request) \(words)", .write(request, operations, as: "editor\(next())"))
    case 11, 12:
      let torn = chance(50) ? index(below: 80) : 0
      return made(", killed before request \(request), \(torn) bytes torn", .killBefore(request, torn: torn))
    case 13, 14: return made(", killed after request \(request)", .killAfter(request))
    default: return made("", .none)
    }
  }

  // MARK: Seeding

  func apply(quietly: Bool = false) async throws {
    let run = "run-\(next())"
    let (words, trouble, maxOperations) = quietly ? ("", .none, 200) : trouble()
    let (prunes, acceptsLoss) = (chance(12), chance(30))
    say("apply as \(run)\(prunes ? " --prune" : "")\(acceptsLoss ? ", loss accepted" : "")\(words)")
    let before = log.records
    let connection = connection(for: run, trouble, maxOperations: maxOperations)
    let planner = SeedPlanner(
      container: connection.container, schema: schema, prunes: prunes, acceptsLoss: acceptsLoss)
    let (catalog, now) = (catalog, now)
    var planned: (plan: SeedPlan, tick: Int)?
    var report: ChangeReport?
    do {
      report = try await session("seed apply", as: run, through: connection).run { writer in
        let plan = try await planner.plan(catalog, at: now)
        planned = (plan, log.tick)
        return try await writer.apply(plan.changes, policy: .refuse)
      }
    } catch  where connection.isDead || !trouble.isNone {
      // A run that ends early is judged by what it wrote.
    }
    try connection.end()
    runs.append(run)
    let said = connection.isDead ? nil : report
    try checkHistory(of: run, said)
    if let planned { try checkWrites(of: run, planned.plan.changes, since: planned.tick) }
    if let plan = planned?.plan { try checkReaders(before, plan, run) }
    guard let said, said.isComplete, let plan = planned?.plan else { return }
    try checkValues(of: plan.changes, written: run)
    if plan.conflicts.isEmpty {
      applied = catalog
      seenTick = log.tick
    }
    guard trouble.isNone, plan.conflicts.isEmpty else { return }
    try checkCatalog(plan)
    let again = try await planner.plan(catalog, at: self.now)
    try require("g", again.changes.isEmpty, "a second apply after \(run) writes \(again.changes)")
  }

  // MARK: Undo

  func undo() async throws {
    guard let run = chance(50) ? runs.last : pick(runs) else { return }
    let (words, trouble, maxOperations) = trouble()
    let isStrict = chance(15)
    say("undo \(run)\(isStrict ? " --strict" : "")\(words)")
    let done = try await undo(run, trouble, maxOperations, isStrict)
    guard trouble.isNone, !isStrict, done else { return }
    for _ in 0..<6 {
      guard try await undo(run, .none, 200, false) else { return try await checkUndone(run) }
    }
    throw ModelViolation("(b) undo of \(run) always finds something left to write")
  }

  /// Returns whether there was something to write.
  private func undo(_ run: String, _ trouble: Trouble, _ maxOperations: Int, _ isStrict: Bool) async throws
    -> Bool
  {
    let id = "undo-\(next())"
    let connection = connection(for: id, trouble, maxOperations: maxOperations)
    let planner = UndoPlanner(
      container: connection.container, schema: schema, rules: .catalog, isStrict: isStrict)
    let history = try history
    let subscriptions = records("FeedSubscription")
    var planned: UndoPlan?
    var report: ChangeReport?
    do {
      report = try await session("undo", as: id, through: connection).run { writer in
        let plan = try await planner.plan(run, in: history)
        planned = plan
        return try await writer.apply(plan.changes, policy: .refuse, undoing: plan.goal)
      }
    } catch UndoError.irreversible {} catch is UnknownRunError {
    } catch  where connection.isDead || !trouble.isNone {
    }
    try connection.end()
    try checkHistory(of: id, connection.isDead ? nil : report)
    try checkUndo(id, of: run, planned?.changes ?? [])
    if let plan = planned, !connection.isDead, let report, report.isComplete {
      try checkValues(of: plan.changes, written: id)
    }
    try require("d", records("FeedSubscription") == subscriptions, "\(id) changed subscriptions")
    guard let planned, !planned.changes.isEmpty else { return false }
    runs.append(id)
    return true
  }

  // MARK: Pull

  func pull() async throws {
    say("pull, the container's values preferred")
    try write(catalog)
    var workspace = try SeedWorkspace(folder: seedFolder)
    var pull = SeedPull(since: AppliedSeeds(applied), preference: .container)
    pull.pull(try await SeedPull.records(in: container), into: &workspace)
    do { try workspace.write() } catch let refusal as CommandFailure where refusal.code == "bad-seeds" {
      // Files and container changed so that no seeds could have both.
      return
    }
    let loaded = SeedLoader(directory: seedFolder).load()
    guard let pulled = loaded.catalog else {
      throw ModelViolation("(e) the pull made the seeds invalid: \(loaded.diagnostics.map(\.message))")
    }
    let written = records("PublicFeed")
    catalog = pulled
    let earlier = seenTick
    seenTick = log.tick
    guard pull.diagnostics.isEmpty, pull.conflicts.isEmpty else { return }
    let plan = try await SeedPlanner(container: container, schema: schema).plan(catalog, at: now)
    for change in plan.changes where change.action == .update {
      // Only a plan knows the redirects that health checks saw.
      guard !plan.seesRedirect(of: change.recordName) else { continue }
      for (field, value) in change.fields {
        let origin = log.origin(change.recordName, field)
        let isRetired = written.contains {
          $0.recordName == change.recordName && $0["isRetired"]?.flag == true
        }
        try require(
          "e",
          origin?.writer.hasPrefix("editor") != true || (origin?.tick ?? 0) <= earlier
            || (field == "isFeatured" && isRetired) || value.addsToList,
          "after the pull the plan takes back an editor's \(field) of \(change.recordName): \(value)")
      }
    }
  }

  // MARK: Counts

  func recount() async throws {
    let run = "recount-\(next())"
    let (words, trouble, maxOperations) = trouble()
    guard
      let declaration = AggregateDeclaration.builtIn(for: schema).first(where: { $0.name == "subscribers" })
    else { throw ModelViolation("no aggregate counts subscribers") }
    var options = RecountOptions()
    options.maxDrop = 100
    options.strategy = chance(50) ? .byTarget : .sweep
    say("recount as \(run)\(words)")
    let connection = connection(for: run, trouble, maxOperations: maxOperations)
    let subscriptions = records("FeedSubscription")
    var outcome: RecountOutcome?
    do {
      let dependencies = environment(run)
      let session = WriteSession(
        Recount.job(declaration.name, options.shard), container: connection.container,
        dependencies: dependencies)
      outcome = try await Recount(
        .count(declaration), schema: schema, container: connection.container, options: options,
        session: session, now: dependencies.now
      ).run()
    } catch  where connection.isDead || !trouble.isNone {
    }
    try connection.end()
    try require("d", records("FeedSubscription") == subscriptions, "\(run) changed subscriptions")
    guard !connection.isDead, outcome?.phase == .done else { return }
    let readers = readers
    for record in records("PublicFeed") + records("FeedMetadata") + records("FeedCollection") {
      // A record that another client made during the run was not counted.
      if case .write = trouble, record["subscriberCount"] == nil { continue }
      let target = record["feedReference"]?.reference?.recordName ?? record.recordName
      if record.recordType == "FeedMetadata", log.records[target] == nil { continue }
      let published = record["subscriberCount"]?.int64
      try require(
        "f", published == Int64(readers[target] ?? 0),
        "\(run) says that \(record.recordType) \(record.recordName) has \(published ?? -1) readers, not \(readers[target] ?? 0)"
      )
    }
  }

  // MARK: Backups

  func backup() async throws {
    let path = "\(folder)/backup-\(next()).sqlite"
    say("back up to \(path.suffix(20))")
    try await local.store.backup(to: path)
    backups.append(path)
  }

  func restore() async throws {
    guard let path = pick(backups) else { return }
    say("restore \(path.suffix(20))")
    try await local.store.restore(from: path, setting: ["AdminLease": LeaseRecord.releasedFields])
    try await log.noteReplacement("restore-\(next())")
  }
}

extension CatalogWorld {
  /// One sequence: seeds that are applied, and what follows.
  func live() async throws {
    try plant()
    try await apply(quietly: true)
    try await usersComeAndGo()
    for _ in 0..<(6 + index(below: 14)) {
      switch index(below: 40) {
      case 0..<11: try editSeeds()
      case 11..<19: try await apply()
      case 19..<24: try await editContainer()
      case 24..<31: try await undo()
      case 31..<33: try await pull()
      case 33..<35: try await usersComeAndGo()
      case 35..<37: try await recount()
      case 37: try await checkHealth()
      case 38: try await backup()
      default: try await restore()
      }
    }
  }
}

extension FieldChange {
  /// A pull joins the lists of both sides.
  fileprivate var addsToList: Bool {
    guard let before = from?.elements, let after = to?.elements else { return false }
    return before.allSatisfy(after.contains)
  }
}
