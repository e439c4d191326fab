package import Diagnostics

/// What a run did with the items of the documents that it fetched.
package struct ArticleCounts: Sendable, Hashable {
  package var listed = 0
  package var new = 0
  /// Stored with other content.
  package var changed = 0
  /// Of these, the articles that were written within the last day.
  var changedLater = 0
  package var same = 0
  /// Written by another user with other content, and made again under our key.
  package var replaced = 0
  /// Stored under another guid with equal content.
  package var rekeyed = 0
  package var tooOld = 0
  package var noIdentity = 0
  package var repeated = 0
  /// Without a usable date when an earlier run stored them, and purged.
  package var undated = 0
  /// New items beyond the run's limit, for the next run.
  package var leftForNextRun = 0
  /// Articles created, changed or replaced.
  package var written = 0
  /// Articles to write whose text is not whole, because it is longer than a record or the parser takes.
  package var cut = 0
  /// Articles that the container refused, or whose outcome is unknown.
  package var failed = 0
  var unknown = 0

  package init() {}

  package mutating func add(_ other: ArticleCounts) {
    for path in Self.all { self[keyPath: path] += other[keyPath: path] }
  }

  mutating func add(_ outcome: ArticleDecision.Outcome) {
    self[keyPath: outcome.meaning.count] += 1
    if outcome == .changedLater { changed += 1 }
  }

  /// The counts of a document of which all else is stored already.
  ///
  /// - Parameter skippedText: as ``skippedText``; unreadable text skips nothing.
  init(listed: Int, skippedText: Substring) {
    let numbers = skippedText.utf8.split(separator: UInt8(ascii: ",")).map { Int(Substring($0)) ?? 0 }
    self.listed = listed
    for (path, number) in zip(Self.skipped, numbers) { self[keyPath: path] = number }
    same = max(0, listed - numbers.reduce(0, +))
  }

  /// How many items have no article of their own, for each reason.
  var skippedText: String { Self.skipped.map { String(self[keyPath: $0]) }.joined(separator: ",") }

  private static let skipped: [any WritableKeyPath<ArticleCounts, Int> & Sendable] = [
    \.tooOld, \.noIdentity, \.repeated, \.undated,
  ]

  private static let all: [any WritableKeyPath<ArticleCounts, Int> & Sendable] = [
    \.listed, \.new, \.changed, \.changedLater, \.same, \.replaced, \.rekeyed, \.tooOld, \.noIdentity,
    \.repeated, \.undated,
    \.leftForNextRun, \.written, \.cut, \.failed, \.unknown,
  ]

  /// The member `articles` of a result.
  package var json: JSONValue {
    [
      "listed": listed.json, "new": new.json, "changed": changed.json,
      "same": same.json, "replaced": replaced.json, "rekeyed": rekeyed.json,
      "skipped": [
        "tooOld": tooOld.json, "noIdentity": noIdentity.json, "repeated": repeated.json,
        "undated": undated.json,
      ], "leftForNextRun": leftForNextRun.json, "written": written.json, "cut": cut.json,
      "failed": failed.json,
    ]
  }

  /// One sentence: `20 items listed: 5 new, 1 changed, 14 same; 6 articles written`.
  package var summary: String {
    let parts = [
      (new, "new"), (changed - changedLater, "changed"), (changedLater, "changed again within a day"),
      (same, "the same"), (replaced, "replaced"),
      (rekeyed, "with a new id"),
      (tooOld, "too old"), (noIdentity, "without identity"), (repeated, "repeated"),
      (undated, "undated and purged before"), (leftForNextRun, "left for the next run"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let failures =
      (unknown > 0 ? ", \(unknown) sent, outcome unknown" : "")
      + (cut > 0 ? ", \(counted(cut, "text")) cut" : "")
      + (failed > unknown ? ", \(failed - unknown) refused" : "")
    return "\(counted(listed, "item")) listed\(parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")); "
      + "\(counted(written, "article")) written\(failures)"
  }
}

/// What a run decided about one item, for `--explain`.
package struct ArticleDecision: Sendable, Hashable {
  package enum Outcome: Sendable, Hashable {
    case new, same, rekeyed, replaced, leftForNextRun, tooOld, noIdentity, repeated, undated
    /// The names of the fields that differ cannot be known without reading them, so only the hash is compared.
    case changed
    /// Changed, but written within the last day.
    case changedLater

    /// The count that it adds to, and `new`, or `skipped: it is older than articles are kept`.
    fileprivate var meaning: (count: WritableKeyPath<ArticleCounts, Int>, explanation: String) {
      switch self {
      case .new: (\.new, "new")
      case .same: (\.same, "same")
      case .rekeyed: (\.rekeyed, "same content under another id")
      case .replaced: (\.replaced, "replaced: another user stored it with other content")
      case .leftForNextRun: (\.leftForNextRun, "left for the next run")
      case .changed: (\.changed, "changed")
      case .changedLater: (\.changedLater, "changed; written at most once a day")
      case .tooOld: (\.tooOld, "skipped: it is older than articles are kept")
      case .noIdentity: (\.noIdentity, "skipped: it has nothing that identifies it")
      case .repeated: (\.repeated, "skipped: another item of the document has the same id")
      case .undated: (\.undated, "skipped: it had no usable date, and was purged")
      }
    }
  }

  /// The record name of the feed.
  package var feed: String
  package var guid: String
  package var outcome: Outcome

  package var explanation: String { outcome.meaning.explanation }

  /// For items without any identity, a word in place of the guid.
  package var name: String { guid.isEmpty ? "(no id)" : guid }

  package var json: JSONValue {
    ["feed": feed.json, "guid": guid.json, "decision": explanation.json]
  }
}
