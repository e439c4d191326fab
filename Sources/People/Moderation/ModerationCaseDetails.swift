package import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

/// Everything that a moderator needs to decide about one record: its texts, what was written around it, the reports, the
/// former decisions, and how its author writes. It names no person: the authors of reports are numbered.
package struct ModerationCaseDetails: Sendable {
  /// A record written before or after the reported one in the same thread.
  package typealias Neighbor = (recordName: String, created: Timestamp?, text: String, isHidden: Bool)

  package struct AbuseReport: Sendable {
    package let recordName: String
    /// Equal for reports of one account.
    package let reporter: Int
    package let created: Timestamp?
    package let reason: String?
    package let note: String?
    package let isOpen: Bool
    /// What to show of a report that is not open.
    package let state: String
  }

  package struct Writing: Sendable {
    package let recordType: String
    package let limit: ModerationDeclaration.WritingLimit
    /// At most one more than the limit.
    package let records: Int
    package var isOverLimit: Bool { records > limit.records }
  }

  package let target: String
  /// Without a record what its reports, or the decisions about it, say; `nil` if they do not.
  package let recordType: String?
  package let exists: Bool
  package let created: Timestamp?
  package let isHidden: Bool
  /// Whether it is a report, and of the record's other state what is known.
  package let isReport: Bool
  package let state: String
  /// What takes the record away where it cannot be hidden.
  package let advice: String?
  /// The declared texts of the record, by field.
  package let texts: [(field: String, text: String)]
  package let context: [Neighbor]
  package let reports: [AbuseReport]
  package let decisions: [ModerationDecision]
  /// Whether the author's first record is younger than the declared days; `nil` without a record.
  package let isNewAccount: Bool?
  /// Whether a key or user of this tool made the record, as an import does: then nothing is known of its author.
  let isMadeByTool: Bool
  let blockedBy: String?
  package let writing: [Writing]
  private let newAccountDays: Int
  private let hasMoreReports: Bool

  private static let statesOfOwn = [
    ModerationRecordType.decision: "a moderator's decision",
    ModerationRecordType.blockedUser: "blocks a person",
  ]
  /// The most reports, decisions and neighbors that are read.
  private static let limits = (reports: ContainerLimits.recordsPerRequest, neighbors: 10)

  /// Reads a case. Throws the container's errors, and ``CommandFailure`` for a name that neither a record nor a report
  /// has.
  package init(of name: String, in moderation: Moderation, at now: Timestamp) async throws {
    let declaration = moderation.declaration
    target = name
    newAccountDays = declaration.newAccountDays
    let record = try await moderation.reported([name], keys: moderation.shownKeys)[name]
    let type = moderation.contentType(record?.recordType)
    exists = record != nil
    created = record?.created?.timestamp
    isHidden = record.map { type?.isHidden($0) ?? false } ?? false
    isReport = moderation.isReport(record)
    texts = moderation.texts(of: record)
    decisions = try await moderation.container.firstRecords(
      Query(ModerationRecordType.decision, filters: [Filter("target", equals: .string(name))]),
      limit: Self.limits.reports
    ).records.compactMap(ModerationDecision.init)
      .sorted { $0.order < $1.order }
    let statedType: String?
    (reports, statedType, hasMoreReports) = try await moderation.reports(
      about: name, decidedBesides: Set(decisions.map(\.id)), limit: Self.limits.reports)
    recordType = record?.recordType ?? statedType ?? decisions.last { !$0.targetType.isEmpty }?.targetType
    let waits = reports.contains(where: \.isOpen)
    advice = if let record { try await moderation.advice(about: record, isReported: waits) } else { nil }
    state =
      !exists
      ? decisions.contains { $0.kind == .remove } ? "removed by a moderator" : "not found"
      : isReport
        ? record.map(declaration.reports.state(of:)) ?? ""
        : recordType.flatMap { Self.statesOfOwn[$0] } ?? (isHidden ? "hidden" : "shown")
    context = try await moderation.neighbors(of: record, limit: Self.limits.neighbors)
    isMadeByTool = if let record { try await moderation.isMadeByTool(record) } else { false }
    let author = isMadeByTool ? "" : record?.created?.userRecordName ?? ""
    blockedBy = if let record { try await moderation.block(ofAuthorOf: record) } else { nil }
    isNewAccount = author.isEmpty ? nil : try await moderation.isNew(author, at: now)
    writing = author.isEmpty ? [] : try await moderation.writing(of: author, at: now)
    guard record != nil || !reports.isEmpty || !decisions.isEmpty else {
      throw CommandFailure(
        "no record, report or decision has the name '\(name)'", code: "bad-name",
        hint: Moderation.listHint)
    }
  }
}

extension Moderation {
  fileprivate func reports(about name: String, decidedBesides ids: Set<String>, limit: Int) async throws
    -> ([ModerationCaseDetails.AbuseReport], statedType: String?, hasMore: Bool)
  {
    let fields = declaration.reports
    let found = try await container.firstRecords(
      Query(fields.recordType, filters: [Filter(FieldName(fields.target), equals: .string(name))]),
      limit: limit)
    var reporters: [String: Int] = [:]
    let sorted = found.records.sorted {
      ($0.created?.timestamp.milliseconds ?? 0) < ($1.created?.timestamp.milliseconds ?? 0)
    }
    let reports = sorted.map { report -> ModerationCaseDetails.AbuseReport in
      let author = report.created?.userRecordName ?? ""
      let number = reporters[author] ?? reporters.count + 1
      reporters[author] = number
      let isOpen = fields.waits(report)
      let decision = report[fields.decision]?.string ?? ""
      // The decision is named if it is about another record.
      let by = decision.isEmpty || ids.contains(decision) ? "" : " by \(decision.nameWithoutPerson)"
      return .init(
        recordName: report.recordName, reporter: number, created: report.created?.timestamp,
        reason: report[fields.reason]?.string?.withoutUserRecordNames,
        note: report[fields.note]?.string?.withoutUserRecordNames,
        isOpen: isOpen, state: isOpen ? "" : " (\(fields.state(of: report))\(by))")
    }
    return (reports, sorted.lazy.compactMap(fields.statedType).first, hasMore: !found.isComplete)
  }

  /// The records around one in its thread, itself among them, or the last of the threads that belong to it.
  fileprivate func neighbors(of record: Record?, limit: Int) async throws -> [ModerationCaseDetails.Neighbor]
  {
    guard let record else { return [] }
    var neighbors: [ModerationCaseDetails.Neighbor] = []
    for type in declaration.types {
      guard let thread = type.thread else { continue }
      let value: FieldValue? =
        if type.recordType == record.recordType {
          record[thread.field]
        } else if thread.recordType == record.recordType {
          schema[recordType: type.recordType]?[field: thread.field]?.type == .reference
            ? .reference(Reference(record.recordName)) : .string(record.recordName)
        } else { nil }
      guard let value else { continue }
      let keys = type.texts + [type.hiddenField].compactMap(\.self)
      func records(_ filter: Filter?, ascending: Bool, _ limit: Int) async throws -> [Record] {
        let query = Query(
          type.recordType,
          filters: [Filter(FieldName(thread.field), equals: value)] + [filter].compactMap(\.self),
          sorts: [Sort(FieldName(thread.sort), ascending: ascending)])
        let found = try await container.firstRecords(query, desiredKeys: keys, limit: limit).records
        return ascending ? found : found.reversed()
      }
      var found: [Record]
      if type.recordType == record.recordType, let (field, place) = position(of: record, in: thread, type) {
        let before = try await records(Filter(field, .lessThan, place), ascending: false, limit / 2)
        var after = try await records(
          Filter(field, .greaterThanOrEquals, place), ascending: true, limit / 2 + 1)
        if !after.contains(where: { $0.recordName == record.recordName }) { after.insert(record, at: 0) }
        found = before + after
      } else {
        found = try await records(nil, ascending: false, limit)
      }
      neighbors += found.map {
        (
          recordName: $0.recordName, created: $0.created?.timestamp, text: text(of: $0),
          isHidden: type.isHidden($0)
        )
      }
    }
    return neighbors
  }

  /// Where a record is in its thread: by the field that sorts it, or by its creation where a query cannot compare with that.
  private func position(
    of record: Record, in thread: ModerationDeclaration.Thread, _ type: ModerationDeclaration.ContentType
  ) -> (FieldName, FieldValue)? {
    let field = schema[recordType: type.recordType]?[field: thread.sort]
    if thread.sortKey != nil, let field, field.indexes.contains(.queryable), let value = record[thread.sort] {
      return (FieldName(thread.sort), value)
    }
    return record.created.map { ("___createTime", .timestamp($0.timestamp)) }
  }

  /// Whether an author has no record from before the declared days: one query for each type.
  fileprivate func isNew(_ author: String, at now: Timestamp) async throws -> Bool {
    let start = now - .seconds(86_400 * declaration.newAccountDays)
    for type in declaration.types {
      let query = made(by: author, type, Filter("___createTime", .lessThan, .timestamp(start)))
      if try await !container.firstRecords(query, desiredKeys: [], limit: 1).records.isEmpty { return false }
    }
    return true
  }

  fileprivate func writing(of author: String, at now: Timestamp) async throws -> [ModerationCaseDetails
    .Writing]
  {
    var writing: [ModerationCaseDetails.Writing] = []
    for type in declaration.types {
      guard let limit = type.limit else { continue }
      let start = now - .seconds(60 * limit.minutes)
      let query = made(by: author, type, Filter("___createTime", .greaterThanOrEquals, .timestamp(start)))
      let found = try await container.firstRecords(query, desiredKeys: [], limit: limit.records + 1)
      writing.append(.init(recordType: type.recordType, limit: limit, records: found.records.count))
    }
    return writing
  }
}

extension ModerationCaseDetails: Report {
  package var json: JSONValue {
    .object([
      "target": target.nameWithoutPerson.json, "recordType": recordType?.json,
      "created": created?.iso8601.json,
      "hidden": isHidden.json, "state": state.json,
      "texts": .object(JSONObject(texts.map { (key: $0.field, value: .string($0.text)) })),
      "context": .array(
        context.map {
          .object([
            "recordName": $0.recordName.nameWithoutPerson.json, "created": $0.created?.iso8601.json,
            "text": $0.text.json,
            "hidden": $0.isHidden.json,
          ])
        }),
      "reports": .array(
        reports.map {
          .object([
            "recordName": $0.recordName.nameWithoutPerson.json, "reporter": $0.reporter.json,
            "created": $0.created?.iso8601.json, "reason": $0.reason?.json, "note": $0.note?.json,
            "open": $0.isOpen.json,
          ])
        }),
      "decisions": decisions.map(\.json).json, "newAccount": isNewAccount?.json, "blockedBy": blockedBy?.json,
      "writing": .array(
        writing.map {
          [
            "recordType": $0.recordType.json, "records": $0.records.json, "minutes": $0.limit.minutes.json,
            "limit": $0.limit.records.json, "overLimit": $0.isOverLimit.json,
          ]
        }),
    ])
  }

  package var body: ReportBody {
    Table(
      facts: [
        ("record", "\(target.nameWithoutPerson)"), ("type", "\(recordType ?? "unknown")"),
        ("state", StyledText(state, isHidden ? .caution : .plain)),
      ] + facts)
    if let advice { ListItem(.note, "\(advice)") }
    ReportBody.space
    Section("Around it") {
      for neighbor in context {
        let mark: ListItem.Mark = neighbor.recordName == target ? .caution : .note
        ListItem(
          mark,
          "\(time(neighbor.created), .dim)  \(neighbor.text)\(neighbor.isHidden ? " (hidden)" : "", .dim)")
      }
    }
    Section("Reports") {
      for (report, names) in groupedReports {
        let count = names.count
        let state = (count > 1 ? ", \(count) times" : "") + report.state
        ListItem(
          .note,
          "\(time(report.created), .dim)  person \(report.reporter): \(report.reason ?? "no reason")\(state, .dim)  \(Self.shown(names))",
          details: [report.note].compactMap { $0.flatMap { $0.isEmpty ? nil : StyledText($0) } })
      }
      if hasMoreReports { "and more: \(reports.count) were read" }
    }
    Section("Decisions") {
      for decision in decisions {
        ListItem(
          .note,
          "\(time(decision.decided), .dim)  \(decision.kind.rawValue)\(decision.isEnded ? " (ended)" : "", .dim)  \(decision.id)\(decision.block.map { ", of block \($0)" } ?? "", .dim)",
          details: [decision.reason].compactMap { $0.map { StyledText($0) } })
      }
    }
  }

  private static func shown(_ names: [String]) -> String {
    names.prefix(5).map(\.nameWithoutPerson).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
  }

  /// Equal reports of one account once, with their names, in the order of the first.
  package var groupedReports: [(report: AbuseReport, names: [String])] {
    reports.groups { ["\($0.reporter)", $0.state, $0.reason ?? "", $0.note ?? ""] }
      .map { ($0[0], $0.map(\.recordName)) }
  }

  private var facts: [(name: StyledText, value: StyledText)] {
    var facts: [(name: StyledText, value: StyledText)] = []
    if let created { facts.append(("created", StyledText(created.iso8601))) }
    for (field, text) in texts { facts.append((StyledText(field), StyledText(text))) }
    if isMadeByTool { facts.append(("author", "unknown: a key or user of this tool made the record")) }
    if let isNewAccount {
      let days = counted(newAccountDays, "day")
      let isNew = StyledText("new: has nothing older than \(days)", .caution)
      facts.append(("author", isNewAccount ? isNew : "here for more than \(days)"))
    }
    if let blockedBy { facts.append(("author", StyledText("blocked by \(blockedBy)", .caution))) }
    for writing in writing where writing.records > 0 {
      let more = writing.isOverLimit ? " or more" : ""
      let text =
        "\(counted(writing.records, writing.recordType))\(more) in the last \(counted(writing.limit.minutes, "minute")), limit \(writing.limit.records)"
      facts.append(("wrote", StyledText(text, writing.isOverLimit ? .bad : .plain)))
    }
    return facts
  }

  private func time(_ created: Timestamp?) -> String { created?.iso8601 ?? "at an unknown time" }
}
