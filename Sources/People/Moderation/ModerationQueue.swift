package import CloudKitModel
package import Diagnostics

/// One reported record that waits for a decision, with all its reports.
package struct ModerationCase: Sendable {
  /// What speaks for a decision, or against a report.
  package enum Signal: String, Sendable, CaseIterable {
    /// The texts have a declared word.
    case words
    /// The reports are mostly of one account, or of accounts that report very much.
    case oneAccount = "one-account"
    /// The reported record is a report.
    case aboutReport = "about-report"
    /// A report names no record, or a person: it stands for itself.
    case noTarget = "no-target"
    /// The record is of another type than the reports say.
    case otherType = "other-type"
    /// The record's type is not declared, so it cannot be hidden.
    case notModerated = "not-moderated"
    /// Moderators find no record: the name was made up, or the record is gone or not for them.
    case noRecord = "no-record"
    /// Apps do not show the record any more.
    case hidden
  }

  package let target: String
  /// Its type; as the reports say if there is no record.
  package fileprivate(set) var recordType: String
  package fileprivate(set) var reports = 0
  package var people: Int { reporters.count }
  /// When the oldest report was made.
  package fileprivate(set) var oldest: Timestamp
  package fileprivate(set) var reasons: [String: Int] = [:]
  /// The beginning of the record's texts.
  package fileprivate(set) var text = ""
  package fileprivate(set) var words: [String] = []
  package fileprivate(set) var signals: [Signal] = []
  fileprivate var reporters: [String: Int] = [:]

  /// Users may write any text as a reason: only some beginnings are kept.
  fileprivate mutating func add(reason: String) {
    let word = String(reason.withoutUserRecordNames.prefix(40))
    if reasons[word] != nil || reasons.count < 5 { reasons[word, default: 0] += 1 }
  }

  fileprivate mutating func describe(_ record: Record?, _ moderation: Moderation, _ known: [ModerationWord]) {
    guard let record else { return signals.append(.noRecord) }
    if recordType != record.recordType { signals.append(.otherType) }
    recordType = record.recordType
    if moderation.isReport(record), reports > signals.count(where: { $0 == .noTarget }) {
      signals.append(.aboutReport)
    }
    guard let type = moderation.contentType(recordType) else { return signals.append(.notModerated) }
    if type.isHidden(record) { signals.append(.hidden) }
    let text = moderation.text(of: record)
    let spoken = SearchWords.of(text)
    words = known.filter { $0.occurs(in: spoken) }.map(\.text)
    if !words.isEmpty { signals.append(.words) }
    let excerpt = text.prefix(ModerationQueue.maxText)
    self.text = excerpt.endIndex < text.endIndex ? excerpt + "…" : text
  }

  /// What is shown comes first, then what is not of one account, older than a day, has words, many people report, is old.
  fileprivate func rank(at now: Timestamp) -> [Int64] {
    let isOver = signals.contains(.hidden) || signals.contains(.noRecord)
    let isLate = now.since(oldest) > ModerationQueue.urgentAge
    return [
      isOver ? 1 : 0, signals.contains(.oneAccount) ? 1 : 0, isLate ? 0 : 1, words.isEmpty ? 1 : 0,
      Int64(-people), oldest.milliseconds,
    ]
  }

  fileprivate var json: JSONValue {
    [
      "target": target.nameWithoutPerson.json, "recordType": recordType.json, "reports": reports.json,
      "people": people.json,
      "oldest": oldest.iso8601.json,
      "reasons": reasons.json, "text": text.json, "words": words.json,
      "signals": signals.map(\.rawValue).json,
    ]
  }
}

/// The reports that wait for a decision, as cases, with what must be decided first at the beginning.
package struct ModerationQueue: Sendable {
  package private(set) var cases: [ModerationCase]
  /// How many cases wait, with those that wait for less time than was asked for, and their open reports.
  private let waiting: (cases: Int, reports: Int)
  /// When the oldest report that waits was made.
  private let oldest: Timestamp?
  package let asOf: Timestamp
  package var failsOnWaiting = false

  /// The number of open reports of one account from which on they are doubtful.
  private static let manyReports = 20
  fileprivate static let maxText = 100
  private static let maxName = 64
  /// The age at which a case comes before all younger ones: App Review asks for a decision within a day.
  fileprivate static let urgentAge = Duration.seconds(86_400)

  /// Reads the open reports and the records that they are about: the pages of one query, and a lookup for each 200 cases.
  ///
  /// Throws the container's errors.
  ///
  /// - Parameter before: only cases with a report from before this moment.
  package init(of moderation: Moderation, before: TimeOrAge? = nil, at now: Timestamp) async throws {
    asOf = now
    let reports = moderation.declaration.reports
    var found: [String: ModerationCase] = [:]
    var accounts: [String: Int] = [:]
    try await moderation.container.forEachRecord(
      of: reports.open, desiredKeys: reports.stateKeys + [reports.reason]
    ) {
      report in
      let target = reports.subject(of: report)
      let isAboutItself = target == report.recordName
      let stated = isAboutItself ? reports.recordType : reports.statedType(report)
      let made = report.created?.timestamp ?? now
      var entry = found[target] ?? ModerationCase(target: target, recordType: stated ?? "", oldest: made)
      if made < entry.oldest || entry.recordType.isEmpty, let stated { entry.recordType = stated }
      if isAboutItself { entry.signals.append(.noTarget) }
      entry.reports += 1
      entry.oldest = min(entry.oldest, made)
      if let reason = report[reports.reason]?.string { entry.add(reason: reason) }
      let reporter = report.created?.userRecordName ?? ""
      entry.reporters[reporter, default: 0] += 1
      accounts[reporter, default: 0] += 1
      found[target] = entry
    }
    let limit = before?.moment(at: now)
    cases = found.values.filter { entry in limit.map { entry.oldest < $0 } ?? true }
    waiting = (found.count, found.values.reduce(0) { $0 + $1.reports })
    oldest = found.values.map(\.oldest).min()
    let words = moderation.declaration.words.compactMap(ModerationWord.init)
    for some in cases.indices.chunks(of: ContainerLimits.recordsPerRequest) {
      let records = try await moderation.reported(cases[some].map(\.target), keys: moderation.shownKeys)
      for index in some { cases[index].describe(records[cases[index].target], moderation, words) }
    }
    for index in cases.indices {
      let entry = cases[index]
      let isFlood = entry.reporters.keys.allSatisfy { accounts[$0] ?? 0 >= Self.manyReports }
      let isOnes = entry.reports > 2 && entry.reporters.values.contains { $0 * 2 > entry.reports }
      if isFlood || isOnes { cases[index].signals.append(.oneAccount) }
    }
    cases.sort { left, right in
      let ranks = (left.rank(at: now), right.rank(at: now))
      return ranks.0 == ranks.1 ? left.target < right.target : ranks.0.lexicographicallyPrecedes(ranks.1)
    }
  }
}

extension ModerationQueue: Report {
  package var status: ExitStatus { failsOnWaiting && !cases.isEmpty ? .findings : .done }
  package var isConfirmation: Bool { cases.isEmpty }
  package var tally: Tally? { "\(waiting.cases, "case") waiting" }

  package var metrics: [Metric] {
    [
      Metric(MetricFamily("moderation_cases", "Reported records that wait for a decision"), waiting.cases),
      Metric(MetricFamily("moderation_reports", "Reports that wait for a decision"), waiting.reports),
      Metric(
        MetricFamily("moderation_oldest_seconds", "Age of the oldest report that waits for a decision"),
        oldest.map { asOf.since($0).components.seconds } ?? 0),
    ]
  }

  package var json: JSONValue {
    [
      "cases": cases.map(\.json).json, "waiting": waiting.cases.json, "reports": waiting.reports.json,
      "asOf": asOf.iso8601.json,
    ]
  }

  package var body: ReportBody {
    var table = Table([.init("record"), .init("type"), .init("reports", .right), .init("oldest")])
    for entry in cases {
      let words = entry.words.isEmpty ? "" : ": \(entry.words.joined(separator: ", "))"
      let signals = entry.signals.map { $0 == .words ? $0.rawValue + words : $0.rawValue }
      let reasons = entry.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key.asReason)
      let isLate = asOf.since(entry.oldest) > Self.urgentAge
      let age = ReadableDuration.text(asOf.since(entry.oldest)) ?? "just now"
      let name = entry.target.nameWithoutPerson
      let isLong = name.count > Self.maxName
      table.add(
        "\(isLong ? name.prefix(Self.maxName) + "…" : name)",
        "\(entry.recordType.isEmpty ? "unknown" : entry.recordType)",
        "\(entry.reports)\(entry.people < entry.reports ? " by \(entry.people)" : "")",
        StyledText(age, isLate ? .caution : .plain),
        details: (isLong ? ["\(name)"] : []) + [
          "\((reasons + signals).joined(separator: ", "))\(entry.text.isEmpty ? "" : " · \(entry.text)", .dim)"
        ])
    }
    table
    let younger = waiting.cases - cases.count
    cases.isEmpty
      ? younger == 0
        ? "nothing waits for a decision"
        : "\(counted(younger, "case")) \(younger == 1 ? "waits" : "wait"), none for that long"
      : younger == 0
        ? "\(counted(cases.count, "case")) of \(counted(waiting.reports, "report"))"
        : "\(cases.count) of \(counted(waiting.cases, "case")), the others wait for less time"
  }
}

extension String {
  /// A user's reason beside signals, in quotes if it may be taken for one.
  fileprivate var asReason: String {
    let isPlain =
      allSatisfy { $0.isLetter || $0.isNumber || " -_".contains($0) }
      && ModerationCase.Signal(rawValue: self) == nil
    return isPlain ? self : "\"\(self)\""
  }
}
