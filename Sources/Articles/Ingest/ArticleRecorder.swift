package import CloudKitModel
internal import FeedFetching
package import RecordChanges

/// Stores the items of fetched documents: reads what is stored, and writes what is new or changed.
///
/// Everything is read from the container, so that any machine can run it, and a run that was stopped anywhere is
/// continued by the next one without losing or repeating an item.
package actor ArticleRecorder {
  private let options: ArticleOptions
  private let container: any Container
  private let now: @Sendable () -> Timestamp
  package private(set) var counts = ArticleCounts()
  package private(set) var decisions: [ArticleDecision] = []

  package init(container: any Container, options: ArticleOptions, now: @escaping @Sendable () -> Timestamp) {
    self.options = options
    self.now = now
    self.container = container
  }

  /// The result for some documents: what the state of their feeds must say, and what was written.
  package struct Batch: Sendable {
    /// By the record name of the feed. A feed without an entry has no document.
    package var documents: [String: StoredDocument] = [:]
    package var changes: [RecordChange] = []
    package var report = ChangeReport()
  }

  /// Stores the items of some documents.
  ///
  /// - Parameter writer: writes the articles; without one they are only planned.
  /// - Throws: errors of reading the container, and of the history. Refusals of writes are in the report.
  package func record(
    _ documents: [ArticleDocument], through writer: JobWriter?
  ) async throws -> Batch {
    let owner = try await owner(writer)
    let found = try await StoredArticles(container: container, options: options, owner: owner).find(documents)
    var plan = ArticlePlan(options: options, owner: owner, at: now(), room: room)
    for document in found.documents { plan.add(document, found.matches[document.feedRecordName] ?? [:]) }
    var batch = Batch()
    batch.changes = plan.changes
    if let writer { batch.report = try await writer.apply(plan.changes, policy: .reapply) }
    plan.settle(batch.report)
    batch.documents = plan.documents
    counts.add(plan.counts)
    decisions += plan.decisions
    return batch
  }

  /// A dry run holds no lease that knows the tool's keys, and reads them. Before a key's first run there are none, and all
  /// stored articles are those of others.
  private func owner(_ writer: JobWriter?) async throws -> ArticleOwner {
    guard let writer else {
      let keys =
        try await container.leaseHolders() == nil
        ? nil : LastJobRun.readableKeys(of: .health, in: container)
      return ArticleOwner(author: nil, keys: keys)
    }
    guard let author = await writer.author else { return ArticleOwner(author: nil, keys: nil) }
    return ArticleOwner(author: author, keys: await writer.keys)
  }

  /// How many articles this run may still create.
  private var room: Int { options.maxItems.map { max(0, $0 - counts.new - counts.replaced) } ?? .max }
}

/// Decides for each item of some documents what to write.
struct ArticlePlan {
  private(set) var documents: [String: StoredDocument] = [:]
  private(set) var counts = ArticleCounts()
  private(set) var decisions: [ArticleDecision] = []
  private var deletions: [RecordChange] = []
  private var creations: [RecordChange] = []
  private var updates: [RecordChange] = []
  /// The feed of each article that is written, by record name.
  private var feeds: [String: String] = [:]
  private let options: ArticleOptions
  private let owner: ArticleOwner
  private let now: Timestamp
  private var room: Int

  /// - Parameter room: how many articles may be created.
  init(options: ArticleOptions, owner: ArticleOwner, at now: Timestamp, room: Int) {
    self.options = options
    self.owner = owner
    self.now = now
    self.room = room
  }

  /// In the order of writing: what is made again is deleted first.
  var changes: [RecordChange] { deletions + creations + updates }

  mutating func add(_ document: ArticleDocument, _ found: [String: StoredArticles.Match]) {
    counts.add(document.counts)
    decisions += document.decisions
    var stored = StoredDocument(
      isComplete: document.isComplete, isWritten: document.isComplete, counts: document.counts,
      itemsDigest: document.itemsDigest, bodyDigest: document.bodyDigest, facts: document.facts,
      isRepeated: document.isRepeated, rule: document.rule)
    var others: [Int64] = []
    for draft in document.drafts {
      let match = found[draft.guid]
      let outcome = outcome(of: draft, match, of: document)
      counts.add(outcome)
      if outcome == .leftForNextRun || outcome == .changedLater { stored.isComplete = false }
      if outcome == .undated { stored.counts.undated += 1 }
      if draft.published == nil, outcome != .leftForNextRun {
        stored.undated.append(draft.digest(with: nil))
        if let digest = draft.digestAhead { others.append(digest) }
        if case .otherGuid(let record, _)? = match { others.append(draft.digest(with: record)) }
      }
      if options.explains {
        decisions.append(ArticleDecision(feed: document.feedRecordName, guid: draft.guid, outcome: outcome))
      }
    }
    stored.undated += others
    documents[document.feedRecordName] = stored
  }

  /// Plans the changes for an item.
  private mutating func outcome(
    of draft: ArticleDraft, _ match: StoredArticles.Match?, of document: ArticleDocument
  ) -> ArticleDecision.Outcome {
    switch match {
    case nil where draft.wasStored: return .undated
    case nil:
      guard take() else { return .leftForNextRun }
      create(draft, of: document)
      return .new
    case .otherGuid(let record, let hasEqualContent):
      let isSame = hasEqualContent || Self.isSame(record["contentHash"]?.string, draft.contentHash)
      guard isOurs(record), document.isOtherLevel || !isSame else { return .rekeyed }
      var draft = draft
      // The article keeps the guid of which its name is made.
      draft.guid = record["guid"]?.string ?? draft.guid
      return compare(draft, record, of: document)
    case .record(let record): return compare(draft, record, of: document)
    }
  }

  private mutating func compare(
    _ draft: ArticleDraft, _ record: Record, of document: ArticleDocument
  ) -> ArticleDecision.Outcome {
    let isOurs = isOurs(record)
    let isSame = Self.isSame(record["contentHash"]?.string, draft.contentHash)
    guard !isSame || document.isOtherLevel && isOurs else { return .same }
    guard isOurs else {
      guard take() else { return .leftForNextRun }
      deletions.append(RecordChange(.delete, of: record, label: document.feedURL))
      create(draft, of: document)
      return .replaced
    }
    // All articles of a feed change their level in one run, because only its state says which level they have.
    if !document.isOtherLevel, let fetched = record[options.mapping.fetched]?.timestamp,
      now.since(fetched) < ArticleOptions.changeInterval
    {
      return .changedLater
    }
    let fields = draft.contentFields(options.mapping, fetched: now)
    updates.append(
      RecordChange(
        .update, of: record, label: document.feedURL, fields: fields.mapValues { FieldChange(to: $0) }))
    feeds[record.recordName] = document.feedRecordName
    if draft.isCut { counts.cut += 1 }
    return .changed
  }

  /// Whether we may change an article, and need not make it again.
  private func isOurs(_ record: Record) -> Bool {
    options.mapping.isShared || owner.owns(record)
  }

  /// A hash of other rules, which has their version before it, says nothing about the content.
  private static func isSame(_ stored: String?, _ hash: String) -> Bool {
    guard let stored else { return false }
    return stored == hash || stored.wholeMatch(of: /[0-9]+:.*/) != nil
  }

  private mutating func take() -> Bool {
    guard room > 0 else { return false }
    room -= 1
    return true
  }

  private mutating func create(_ draft: ArticleDraft, of document: ArticleDocument) {
    var fields = draft.contentFields(options.mapping, fetched: now).mapValues { FieldChange(to: $0) }
      .filter { !$0.value.isEmpty }
    let mapping = options.mapping
    fields[mapping.feed] = FieldChange(to: mapping.feedValue(document.feedRecordName))
    fields[mapping.published] = FieldChange(to: .timestamp(draft.published ?? now))
    fields[mapping.expires] = FieldChange(to: .timestamp(now + options.lifetime))
    creations.append(
      RecordChange(
        .create, recordType: mapping.recordType, recordName: draft.recordName, label: document.feedURL,
        fields: fields))
    feeds[draft.recordName] = document.feedRecordName
    if draft.isCut { counts.cut += 1 }
  }

  /// Counts what was written. A document of which an article is missing is fetched again, unless the article can never be
  /// stored. A dry run, whose report is empty, plans as if the container takes every article.
  mutating func settle(_ report: ChangeReport) {
    if report.interruption != nil {
      for feed in documents.keys { reopen(feed) }
    }
    for (change, outcome) in report.results {
      let isStored = outcome == .applied || outcome == .alreadyApplied
      if isStored {
        if change.action != .delete { counts.written += 1 }
        continue
      }
      counts.failed += outcome == .notAttempted ? 0 : 1
      counts.unknown += outcome == .unknown ? 1 : 0
      // Such a record the container will never take.
      if case .failed(let error) = outcome, [.badRequest, .requestTooLarge].contains(error.code) { continue }
      if let feed = feeds[change.recordName] { reopen(feed) }
    }
  }

  /// Memory keeps none of the document's items: one that was not stored would count as purged.
  private mutating func reopen(_ feed: String) {
    documents[feed]?.isComplete = false
    documents[feed]?.undated = []
    documents[feed]?.isWritten = false
  }
}
