internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

extension Moderation {
  /// Plans an action. To be called while the lease of moderation is held, so that two moderators decide one after the
  /// other.
  ///
  /// Throws the container's errors, and ``CommandFailure`` for names that the action does not fit, before anything is
  /// written.
  ///
  /// - Parameter reason: why, for the decision; shown to moderators only.
  package func plan(_ action: ModerationAction, reason: String? = nil, id: String) async throws
    -> ModerationPlan
  {
    var plan = ModerationPlan(reason: reason, id: id, fields: declaration.reports)
    switch action {
    case .hide(let names): try await hide(names.unique, &plan)
    case .restore(let names): try await restore(names.unique, &plan)
    case .remove(let names): try await remove(names.unique, &plan)
    case .decide(let names, .open): try await reopen(names.unique, &plan)
    case .decide(let names, let outcome): try await decide(names.unique, outcome == .upheld, &plan)
    case .block(let name): try await block(name, &plan)
    case .unblock(let id): try await unblock(id, &plan)
    }
    // What an interrupted command decided is not decided again.
    let made = try await self.records(plan.decisions.map(\.id), keys: [])
    plan.decisions.removeAll { made[$0.id] != nil }
    return plan
  }

  private func hide(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let records = try await existing(names)
    let open = try await openReports(about: names)
    try await require(
      records,
      { isReport($0) ? "a report cannot be hidden:" : "no hiddenField is declared for the type of" },
      isReported: { record in
        open.contains { $0[declaration.reports.target]?.string == record.recordName }
      }, where: { contentType($0.recordType)?.hiddenField != nil })
    let standing = try await self.standing(.hide, of: names)
    var decisions: [String: String] = [:]
    for record in records {
      guard let type = contentType(record.recordType) else { continue }
      let former = standing[record.recordName]
      decisions[record.recordName] = plan.hide(record, type, standing: former)
      if former?.block != nil {
        plan.notes.append(
          "a block hides \(record.recordName.nameWithoutPerson) already: it stays hidden when that is taken back"
        )
      }
    }
    plan.close(open) { decisions[$0] }
  }

  private func restore(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let records = try await existing(names)
    let hides = try await self.records(
      ModerationRecordType.decision, "target", in: names, ModerationDecision.Kind.hide.standing
    ).compactMap(ModerationDecision.init).sorted { $0.order < $1.order }
    let standing = Dictionary(grouping: hides, by: \.target)
    let unknown = names.filter { standing[$0] == nil }
    guard unknown.isEmpty else {
      let last = try await lastDecisions(about: [unknown[0]])[unknown[0]]
      let isDecided = last.map { $0.decision.kind != .remove } ?? false
      throw refusal(
        unknown, "no decision hides",
        hint: isDecided
          ? "\(Self.command("decide", unknown[0], "--as open")) takes back the decision about its reports."
          : "\(Self.command("show", unknown[0])) has its state and the decisions about it.")
    }
    for record in records {
      guard let all = standing[record.recordName], let last = all.last else { continue }
      // Of moderators without a lease in common who hid it at the same time, the first found it as it was.
      var decision = all[0]
      for other in all { decision.formerValues.merge(other.formerValues) { first, _ in first } }
      plan.endings += all.dropFirst()
      plan.takeBack(last, by: .restore, exemption: try await exemption(of: record))
      plan.restore(record, from: decision)
      if let field = contentType(record.recordType)?.hiddenField, decision.formerValues[field] == .some(1) {
        plan.warnings.append(
          "\(record.recordName.nameWithoutPerson) was hidden before that decision, so it stays hidden")
      }
    }
    try await noteDecided(by: hides.map(\.id), &plan) { $0[declaration.reports.target]?.string }
  }

  private func remove(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let records = try await existing(names)
    try await require(
      records, { _ in "moderation.json does not declare the type of" },
      where: { contentType($0.recordType) != nil })
    let standing = try await self.standing(.hide, of: names)
    var decisions: [String: String] = [:]
    for record in records {
      let decision = plan.decision(.remove, record.recordName, record.recordType)
      decisions[record.recordName] = decision.id
      plan.decisions.append(decision)
      plan.targets.append(RecordChange(deleting: record))
      if let hiding = standing[record.recordName] { plan.endings.append(hiding) }
    }
    var keeping: [(target: String, record: Record)] = []
    plan.targets = try await plan.targets.withCascades(
      ReferenceFields(CatalogReferences.all, in: schema), in: container
    ) { record, target in
      if record.keeps(target) {
        keeping.append((target, record))
      }
    }
    let removed = Set(plan.removed)
    if let (target, record) = keeping.first(where: { !removed.contains($0.record.recordName) }) {
      let name = RecordChange(deleting: record).shownName.map { " \($0)" } ?? ""
      throw CommandFailure(
        "\(target) cannot be removed: the \(record.recordType)\(name) refers to it with the action VALIDATE; nothing was removed",
        code: "referred",
        hint: contentType(record.recordType) != nil && !isReport(record)
          ? "Remove both: \(Self.removal(of: names + [record.recordName]))."
          : "Delete that record first, or clear its field.")
    }
    for report in records
    where isOpenReport(report) && !removed.contains(declaration.reports.subject(of: report)) {
      plan.warnings.append("\(inWords(report)): its complaint is removed undecided")
    }
    try await noteAuthors(of: records, &plan)
    plan.close(try await openReports(about: names).filter { !removed.contains($0.recordName) }) {
      decisions[$0]
    }
  }

  /// All open reports about one record are decided at once. The name of a report means the open reports about it, or
  /// without any what the report itself says.
  private func decide(_ names: [String], _ isUpheld: Bool, _ plan: inout ModerationPlan) async throws {
    let reports = declaration.reports
    var open = try await openReportsOfOthers(about: names)
    let reported = Set(open.compactMap { $0[reports.target]?.string })
    let others = names.filter { !reported.contains($0) }
    var named = try await self.reported(others, keys: reports.stateKeys).filter { isOpenReport($0.value) }
    let unknown = others.filter { named[$0] == nil }
    guard unknown.isEmpty else {
      throw refusal(unknown, "no open report is, or is about,", hint: Self.listHint)
    }
    for (report, decision) in try await contested(named, isUpheld) {
      named[report.recordName] = nil
      plan.decide(report, by: decision.id)
      plan.notes.append(try await abuse(of: report))
    }
    let targets = Set(named.values.map(reports.subject)).subtracting(named.keys)
    open += try await openReportsOfOthers(about: targets.subtracting(reported).sorted())
    let found = Set(open.map(\.recordName))
    for name in others {
      guard let report = named[name] else { continue }
      // It is closed although an index that lags does not have it yet.
      if !found.contains(name) { open.append(report) }
      plan.notes.append("\(inWords(report)): its complaint is \(isUpheld ? "right" : "wrong")")
    }
    // A decision that leaves older reports open was interrupted.
    let made = try await standing(isUpheld ? .uphold : .dismiss, of: Set(open.map(reports.subject)).sorted())
    var decisions: [String: String] = [:]
    for report in open {
      let target = reports.subject(of: report)
      if report.isMade(before: made[target]?.decided) { decisions[target] = made[target]?.id }
    }
    var about: Set<String> = []
    for report in open {
      let target = reports.subject(of: report)
      let isAboutItself = target == report.recordName
      if !isAboutItself { about.insert(target) }
      guard decisions[target] == nil else { continue }
      let decision = plan.decision(
        isUpheld ? .uphold : .dismiss, target,
        isAboutItself ? reports.recordType : reports.statedType(report) ?? "")
      decisions[target] = decision.id
      plan.decisions.append(decision)
    }
    plan.close(open) { decisions[$0] }
    let subjects = try await self.reported(about.sorted(), keys: shownKeys)
    for (name, record) in subjects.sorted(by: { $0.key < $1.key }) {
      if isReport(record) {
        let isDecided = plan.reports.contains { $0.recordName == name }
        let waits = !isDecided && reports.waits(record)
        // An abusive report is decided too, but not what else was reported about its record.
        if isUpheld, waits { plan.decide(record, by: decisions[name]) }
        let innocence = "\(name), a report, was not abusive\(waits ? ": it still waits" : "")"
        plan.notes.append(try await isUpheld ? abuse(of: record) : innocence)
      } else if isUpheld, let type = contentType(record.recordType), !type.isHidden(record) {
        plan.warnings.append(
          "\(name) stays shown. \(try await advice(about: record) ?? "\(Self.command("hide", name)) hides it.")"
        )
      }
    }
  }

  private func abuse(of report: Record) async throws -> String {
    let name = report.recordName
    let block = try await isMadeByTool(report) ? "" : " \(Self.command("block", name)) blocks its author."
    return "\(name), a report, was abusive: it waits no longer.\(block)"
  }

  /// The open reports of which a decision says that they were abusive: its command was interrupted.
  ///
  /// Throws ``CommandFailure`` for other open reports if those about them are decided: their names could mean either.
  private func contested(_ open: [String: Record], _ isUpheld: Bool) async throws
    -> [(Record, ModerationDecision)]
  {
    let reports = declaration.reports
    // A report that names no record can be dismissed: that only closes it.
    let contested = try await decidedReports(about: open.keys.sorted()).compactMap { open[$0] }
      .filter { isUpheld || reports.subject(of: $0) != $0.recordName }
    let abusive = try await isUpheld ? standing(.uphold, of: contested.map(\.recordName)) : [:]
    let unclear = contested.filter { abusive[$0.recordName] == nil }
    guard let report = unclear.first else {
      return contested.compactMap { report in abusive[report.recordName].map { (report, $0) } }
    }
    let name = report.recordName
    let subject = reports.subject(of: report)
    let complaint =
      subject == name
      ? "\(Self.command("decide", name, "--as dismissed")) closes it: it names no record."
      : "\(Self.command("decide", subject, "--as \(isUpheld ? "upheld" : "dismissed")")) decides what it says about \(subject)."
    throw refusal(
      unclear.map(\.recordName),
      "reports about it are decided, and what it says itself waits, so a name is not enough:",
      hint:
        "\(Self.command("decide", name, "--as open")) lets the reports about it wait again, to be decided. \(complaint)"
    )
  }

  /// The reports that the last decision about these records closed wait again. Each name is a reported record, a report
  /// or a decision to block.
  private func reopen(_ names: [String], _ plan: inout ModerationPlan) async throws {
    let reports = declaration.reports
    let decisions = try await lastDecisions(about: names)
    let unknown = names.filter { decisions[$0] == nil }
    guard unknown.isEmpty else {
      let exists = try await !reported([unknown[0]], keys: []).isEmpty
      throw refusal(
        unknown, "no decision has closed a report that is, or is about,",
        hint: exists
          ? "\(Self.command("show", unknown[0])) has its reports and the decisions about it." : Self.listHint)
    }
    let hiding = try await standing(.hide, of: Set(decisions.values.map { $0.about }).sorted())
    for (decision, about) in decisions.values.sorted(by: { $0.about < $1.about }) {
      switch decision.kind {
      case .block where decision.isStanding && about == decision.id:
        throw refusal(
          [about], "the author is still blocked by",
          hint: "Take it back first: \(Self.command("unblock", about)).")
      case .hide where hiding[about] != nil, .block where hiding[about] != nil:
        throw refusal(
          [about], "a decision still hides", hint: "Take it back first: \(Self.command("restore", about)).")
      case .remove:
        throw CommandFailure("a moderator removed \(about), so nothing is left to decide", code: "gone")
      default: break
      }
    }
    var byID: [String: ModerationDecision] = [:]
    for (decision, about) in decisions.values.sorted(by: { $0.about < $1.about })
    where byID.updateValue(decision, forKey: decision.id) == nil {
      if decision.kind == .block, decision.isStanding {
        plan.decisions.append(plan.decision(.reopen, about, ""))
        plan.warnings.append(
          "the author of \(about.nameWithoutPerson) stays blocked: \(Self.command("unblock", decision.id)) takes that back"
        )
      } else {
        plan.takeBack(decision, by: .reopen)
        if decision.isStanding { plan.endings.append(decision) }
      }
    }
    let asked = Set(names)
    for report in try await records(
      reports.recordType, reports.decision, in: byID.keys.sorted(), keys: reports.stateKeys)
    {
      // A block closed the reports about all that its person made.
      let id = report[reports.decision]?.string ?? ""
      let isAsked = [report.recordName, report[reports.target]?.string ?? "", id].contains(
        where: asked.contains)
      if isAsked || byID[id]?.kind != .block { plan.decide(report, by: nil) }
    }
    let targets = Set(decisions.values.map(\.about)).sorted()
    let present = try await reported(asked.union(targets).sorted(), keys: reports.stateKeys)
    for report in names.compactMap({ present[$0] }) where isReport(report) {
      let name = report.recordName
      let isReported = plan.reports.contains { $0.label == name && $0.recordName != name }
      plan.notes.append(
        isReported
          ? "\(name.nameWithoutPerson), a report: whether it was abusive is open again"
          : "\(inWords(report)): whether its complaint is right is open again")
    }
    for name in targets where present[name] == nil {
      plan.warnings.append(
        "the record \(name.nameWithoutPerson) is not found: only \(Self.command("decide", name, "--as upheld")) or --as dismissed closes its reports again"
      )
    }
  }

  // MARK: Names

  /// The records of these names. Throws ``CommandFailure`` if one does not exist.
  func existing(_ names: [String]) async throws -> [Record] {
    let found = try await records(names, keys: shownKeys)
    let missing = names.filter { found[$0] == nil }
    guard let first = missing.first else { return names.compactMap { found[$0] } }
    let reports = declaration.reports
    let about = try await records(reports.recordType, reports.target, in: [first], keys: reports.stateKeys)
    let decisions = try await records(ModerationRecordType.decision, "target", in: [first])
    if decisions.contains(where: { $0["kind"]?.string == ModerationDecision.Kind.remove.rawValue }) {
      throw refusal(
        missing, "a moderator removed",
        hint: "Its author is known no longer. \(Self.command("show", first)) has the decisions about it.")
    }
    throw refusal(
      missing, "no record has the name",
      hint: first.containsUserRecordName
        ? Self.listHint
        : about.contains(where: reports.waits)
          ? "It was deleted, or the reports about it are wrong: \(Self.command("decide", first, "--as dismissed")) closes them, or --as upheld if they were right."
          : about.isEmpty && decisions.isEmpty
            ? Self.listHint : "\(Self.command("show", first)) has the reports and the decisions about it.")
  }

  /// Throws what is wrong with the first record that an action does not fit, and what to do with it instead.
  private func require(
    _ records: [Record], _ problem: (Record) -> String, isReported: (Record) -> Bool = { _ in true },
    where fits: (Record) -> Bool
  ) async throws {
    let others = records.filter { !fits($0) }
    guard let first = others.first else { return }
    throw refusal(
      others.map(\.recordName),
      ModerationRecordType.own.contains(first.recordType)
        ? "\(first.recordType) records are neither hidden nor removed:" : problem(first),
      hint: try await advice(about: first, isReported: isReported(first)))
  }

  func refusal(_ names: [String], _ problem: String, hint: String?) -> CommandFailure {
    CommandFailure(
      "\(problem) \(names[0])\(names.count > 1 ? " and \(names.count - 1) more; nothing was written" : "")",
      details: names.count > 1 ? names : [], code: "bad-name", hint: hint)
  }
}
