package import CloudKitModel
internal import Cryptography
package import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// Moderation of what users wrote into a container: the queue of reports, and what is decided about them.
///
/// Nothing that it returns or prints names a person.
package struct Moderation: Sendable {
  let container: any Container
  package let declaration: ModerationDeclaration
  /// The container's id as apps know it, such as `iCloud.com.example.App`: part of the names of BlockedUser records.
  let containerID: String
  package let schema: Schema
  /// The last decisions, as ``findingLastDecisions()`` read them by name.
  private(set) var lastMade: [Record] = []

  /// Throws ``CommandFailure`` with what the schema lacks.
  package init(
    _ declaration: ModerationDeclaration, in container: any Container, _ schema: Schema, containerID: String,
    warn: ([Diagnostic]) -> Void = { _ in }
  ) throws {
    warn(try declaration.require(in: schema, of: container.identity.environment))
    self.init(reading: declaration, in: container, schema, containerID: containerID)
  }

  /// Without a check of what only writing needs.
  package init(
    reading declaration: ModerationDeclaration, in container: any Container, _ schema: Schema,
    containerID: String
  ) {
    self.container = container
    self.declaration = declaration
    self.containerID = containerID
    self.schema = schema
  }

  /// The same moderation, which also finds the last decisions while an index does not have them yet
  /// (Documentation/reference/web-services.md#index-delay). To be called while the lease of moderation is held.
  package func findingLastDecisions() async throws -> Moderation {
    guard schema[recordType: LeaseRecord.recordType] != nil else { return self }
    let result: JSONObject?
    do { result = try await LastJobRun.last(of: .moderation, in: container)?.result } catch let refusal
      as ServerError where refusal.code == .accessDenied
    {
      // The lease notes that this key may not read it.
      return self
    }
    var moderation = self
    moderation.lastMade = try await Array(records(Self.lastNames(result), keys: nil).values)
    return moderation
  }

  /// Stores the names of the decisions that a plan will make or end in the record of the lease, which is found by name.
  func remember(_ plan: ModerationPlan, in writer: JobWriter) async throws {
    guard writer.isLeased, !plan.decisions.isEmpty else { return }
    let former = try await writer.formerRun
    guard let moment = container.clock.now ?? former?.finishedAt else { return }
    var result = former?.result ?? [:]
    let new = plan.decisions.map(\.id) + plan.endings.map(\.id)
    let names = Self.lastNames(result).filter { !new.contains($0) } + new
    result["decisions"] = .array(names.suffix(ContainerLimits.recordsPerRequest).map(JSONValue.string))
    try await writer.store(LastJobRun(finishedAt: moment, result: result))
  }

  private static func lastNames(_ result: JSONObject?) -> [String] {
    result?["decisions"]?.array?.compactMap(\.string) ?? []
  }

  /// Names the declared role in refusals for lack of a right: moderation needs all the rights that the role has.
  package func namingRole<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch var refusal as ServerError where refusal.code == .accessDenied {
      refusal.roles = [declaration.role]
      throw refusal
    }
  }

  /// The declaration of a type; that of reports if they are reported themselves.
  func contentType(_ recordType: String?) -> ModerationDeclaration.ContentType? {
    guard let recordType else { return nil }
    let reports = declaration.reports
    guard recordType == reports.recordType else { return declaration[recordType: recordType] }
    return .init(recordType: recordType, texts: [reports.target, reports.reason, reports.note])
  }

  /// Every field that says something about a reported record.
  var shownKeys: [String] {
    let types = declaration.types + [contentType(declaration.reports.recordType)].compactMap(\.self)
    let fields = types.flatMap {
      $0.texts + [$0.hiddenField, $0.activeField, $0.thread?.field, $0.thread?.sortKey].compactMap(\.self)
    }
    return Set(fields + declaration.reports.stateKeys).sorted()
  }

  /// The fields that hide records or end them.
  var stateKeys: [String] {
    Set(declaration.types.flatMap { [$0.hiddenField, $0.activeField].compactMap(\.self) }).sorted()
  }

  /// The records of these names; those that do not exist are left out.
  func records(_ names: [String], keys: [String]?) async throws -> [String: Record] {
    try await container.existingRecords(names, desiredKeys: keys)
  }

  func reported(_ names: [String], keys: [String]?) async throws -> [String: Record] {
    try await container.readableRecords(names, desiredKeys: keys)
  }

  /// The last decision of these kinds about each of these records that stands, by the names of the records.
  func standing(_ kinds: ModerationDecision.Kind..., of names: [String]) async throws
    -> [String: ModerationDecision]
  {
    let standing = [Filter("isStanding", equals: .flag(true))]
    return try await records(ModerationRecordType.decision, "target", in: names, standing)
      .compactMap(ModerationDecision.init).filter { kinds.contains($0.kind) }
      .sorted { $0.order < $1.order }.reduce(into: [:]) { $0[$1.target] = $1 }
  }

  /// The last decision that closed reports, for each of these names that has one: of a reported record, of a report, or of
  /// a decision to block; and the record that it is about.
  func lastDecisions(about names: [String]) async throws
    -> [String: (decision: ModerationDecision, about: String)]
  {
    let fields = declaration.reports
    var ids: [String: Set<String>] = [:]
    var about: [String: String] = [:]
    for (name, record) in try await reported(names, keys: nil) {
      if isReport(record) {
        about[name] = fields.subject(of: record)
        ids[name, default: []].insert(record[fields.decision]?.string ?? "")
      } else if record.recordType == ModerationRecordType.decision {
        about[name] = ModerationDecision(record).flatMap { $0.kind == .block ? nil : $0.target } ?? name
        ids[name, default: []].insert(name)
      }
    }
    for report in try await records(fields.recordType, fields.target, in: names, keys: fields.stateKeys) {
      guard let name = report[fields.target]?.string else { continue }
      about[name] = name
      ids[name, default: []].insert(report[fields.decision]?.string ?? "")
    }
    let found = try await reported(
      ids.values.reduce(into: Set<String>()) { $0.formUnion($1) }.subtracting([""]).sorted(), keys: nil)
    // A decision whose command was interrupted has closed no report yet.
    let standing = try await self.standing(.uphold, .dismiss, of: names)
    return names.reduce(into: [:]) { last, name in
      let decisions = (ids[name] ?? []).compactMap { found[$0].flatMap(ModerationDecision.init) }
        .filter { $0.kind.stands || $0.kind == .remove }
      let decision = (decisions + [standing[name]].compactMap(\.self)).max { $0.order < $1.order }
      last[name] = decision.map { (decision: $0, about: $0.kind == .block ? about[name] ?? name : $0.target) }
    }
  }

  /// The names among these about which others have reports that a moderator decided.
  func decidedReports(about names: [String]) async throws -> [String] {
    let reports = declaration.reports
    let found = try await records(reports.recordType, reports.target, in: names, keys: reports.stateKeys)
    let decided = found.filter { reports.subject(of: $0) != $0.recordName && reports.hasDecision($0) }
    return Set(decided.map(reports.subject)).sorted()
  }

  func inWords(_ report: Record) -> String {
    let subject = declaration.reports.subject(of: report)
    let isAboutItself = subject == report.recordName
    return
      "\(report.recordName.nameWithoutPerson), a report \(isAboutItself ? "that names no record" : "about \(subject.nameWithoutPerson)")"
  }

  func openReports(about names: [String]) async throws -> [Record] {
    let reports = declaration.reports
    return try await records(
      reports.recordType, reports.target, in: names, reports.open.filters, keys: reports.stateKeys)
  }

  /// The open reports about these records, without those that name themselves.
  func openReportsOfOthers(about names: [String]) async throws -> [Record] {
    try await openReports(about: names).filter { $0[declaration.reports.target]?.string != $0.recordName }
  }

  /// What takes away a record that cannot be hidden; `nil` for one that can.
  ///
  /// - Parameter isReported: whether a report about it waits.
  func advice(about record: Record, isReported: Bool = true) async throws -> String? {
    let name = record.recordName
    guard !isReport(record) else { return try await advice(aboutReport: record, isReported: isReported) }
    if ModerationRecordType.own.contains(record.recordType) { return try await advice(aboutOwn: record) }
    guard let type = contentType(record.recordType) else {
      return
        "Declare \(record.recordType) in moderation.json. \(ModerationDeclaration.example) \(Self.command("decide", name, "--as upheld")) closes the reports."
    }
    guard type.hiddenField == nil else { return nil }
    let reason =
      try await isMadeByTool(record)
      ? "a key or user of this tool made it"
      : block(ofAuthorOf: record) == nil ? nil : "its author is blocked"
    return reason.map { "Its type has no hiddenField, and \($0): \(Self.removal(of: [name])) deletes it." }
      ?? "Its type has no hiddenField. \(Self.command("block", name)) blocks its author, and then \(Self.removal(of: [name])) deletes it."
  }

  private func advice(aboutOwn record: Record) async throws -> String {
    let name = record.recordName
    switch record.recordType {
    case ModerationRecordType.decision:
      guard let decision = try await records([name], keys: nil)[name].flatMap(ModerationDecision.init) else {
        return "It is a decision of another version of this tool."
      }
      let target = decision.target
      return decision.kind == .block && decision.isStanding
        ? "It blocks the author of \(target.nameWithoutPerson): \(Self.command("unblock", name)) takes that back."
        : "It is a decision about \(target.nameWithoutPerson): \(Self.command("show", target)) has the record."
    case ModerationRecordType.blockedUser:
      let block = try await standingBlocks(of: name).first
      return block.map { "It blocks a person: \(Self.command("unblock", $0.id)) takes that back." }
        ?? "It blocks a person without a decision to block: 'celestra-admin records delete NAME' takes that back."
    default: return "It is the lease of a job, which the next run of the job uses again."
    }
  }

  private func advice(aboutReport report: Record, isReported: Bool) async throws -> String {
    let name = report.recordName
    if isReported {
      let isOver = try await isMadeByTool(report) ? true : block(ofAuthorOf: report) != nil
      let block = isOver ? "" : ", and \(Self.command("block", name)) blocks its author"
      return "\(Self.command("decide", name, "--as upheld")) closes this report\(block)."
    }
    let target = declaration.reports.subject(of: report)
    let isOpen = declaration.reports.waits(report)
    let state = declaration.reports.hasDecision(report) ? "is decided" : "waits for a sweep"
    let isContested = try await isOpen ? !decidedReports(about: [name]).isEmpty : false
    let wayBack =
      isContested
      ? " \(Self.command("decide", name, "--as open")) takes back the decision about the reports on it." : ""
    if target == name {
      return isOpen
        ? "It names no record: \(Self.command("decide", name, "--as dismissed")) closes it\(isContested ? "." : ", or --as upheld if it was right.")\(wayBack)"
        : "It \(state), and names no record."
    }
    guard let record = try await reported([target], keys: [])[target] else {
      return isOpen
        ? "The record that it is about, \(target.nameWithoutPerson), is not found: \(Self.command("decide", isContested ? target : name, "--as dismissed")) closes the report, or --as upheld if it was right.\(wayBack)"
        : "It \(state), and the record that it is about, \(target.nameWithoutPerson), is not found."
    }
    return contentType(record.recordType)?.hiddenField == nil
      ? "\(Self.command("show", target)) has the record that it is about.\(wayBack)"
      : "\(Self.command("hide", target)) hides the record that it is about.\(wayBack)"
  }

  static let listHint = "'celestra-admin moderation list' has the names of the records whose reports wait."

  /// A command in quotes, to paste unless a name is a person's. Users may choose any text as the name of a record.
  static func command(_ verb: String, _ names: [String], _ options: String = "") -> String {
    "'\(String.shellCommand("celestra-admin moderation \(verb)", names.map(\.nameWithoutPerson), options))'"
  }

  static func command(_ verb: String, _ name: String, _ options: String = "") -> String {
    command(verb, [name], options)
  }

  /// The command that removes records, in quotes, with a file of their own for the evidence.
  static func removal(of names: [String]) -> String {
    let file = "case-\(SHA256.hex(names.joined(separator: "\n")).prefix(8)).cms"
    return command("remove", names, "--evidence \(file) --recipient cert.pem --yes --accept-risk data-loss")
  }

  /// The texts of a record, by field, without user record names that a user wrote.
  func texts(of record: Record?) -> [(field: String, text: String)] {
    guard let record, let type = contentType(record.recordType) else { return [] }
    return type.texts.compactMap { field in
      guard let text = record[field]?.string else { return nil }
      let isSubject =
        isReport(record) && field == declaration.reports.target
        && declaration.reports.subject(of: record) == text
      return (field, isSubject ? text : text.withoutUserRecordNames)
    }
  }

  func text(of record: Record) -> String {
    texts(of: record).map(\.text).filter { !$0.isEmpty }.joined(separator: " · ")
  }

  func isReport(_ record: Record?) -> Bool { record?.recordType == declaration.reports.recordType }

  func isOpenReport(_ record: Record) -> Bool { isReport(record) && declaration.reports.waits(record) }

  /// The records of a type whose field has one of these values.
  func records(
    _ recordType: String, _ field: String, in names: [String], _ filters: [Filter] = [], keys: [String]? = nil
  ) async throws -> [Record] {
    var found: [Record] = []
    for some in names.chunks(of: ContainerLimits.namesPerQuery) {
      let query = Query(recordType, filters: [Filter(FieldName(field), .in, .strings(Array(some)))] + filters)
      found += try await records(of: query, keys: keys)
    }
    return found
  }

  /// The records that a query finds, and the last decisions as they are, which it may miss or know as they were.
  func records(of query: Query, keys: [String]? = nil) async throws -> [Record] {
    let found = try await container.allRecords(query, desiredKeys: keys)
    let names = Set(lastMade.map(\.recordName))
    return found.filter { !names.contains($0.recordName) }
      + lastMade.filter { decision in
        decision.recordType == query.recordType
          && query.filters.allSatisfy { filter in
            guard case .user(let field) = filter.field, let value = decision[field] else { return false }
            return (filter.value.elements ?? [filter.value]).contains(value)
          }
      }
  }

  func made(by author: String, _ type: ModerationDeclaration.ContentType, _ filters: Filter...) -> Query {
    Query(
      type.recordType, filters: [Filter("___createdBy", equals: .reference(Reference(author)))] + filters)
  }
}

extension LeaseName {
  /// Moderators and sweeps exclude each other.
  package static let moderation = LeaseName("moderation")
}

extension ModerationDeclaration.ContentType {
  func isHidden(_ record: Record) -> Bool { hiddenField.flatMap { record[$0]?.int64 } == 1 }
}
