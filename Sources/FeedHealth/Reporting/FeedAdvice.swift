internal import Catalog
internal import CloudKitModel
internal import FeedState

package struct KnownFeed: Sendable, Hashable {
  package var recordName: String
  /// The slug, or the record name of a feed without one.
  package var name: String
  package var isRetired: Bool
}

extension KnownFeed {
  init(_ record: Record, _ mapping: FeedRecordMapping) {
    recordName = record.recordName
    name = mapping.slug.flatMap { record[$0]?.string } ?? record.recordName
    isRetired = mapping.isRetired(record)
  }
}

/// What an editor can do about a feed that needs attention, in one or two sentences. `health check`, `status` and the
/// report all say this.
enum FeedAdvice {
  /// - Parameters:
  ///   - feed: the slug, or the record name of a feed without one.
  ///   - reason: the most important one; `nil` when only the check itself knew it.
  ///   - address: the proposed one.
  ///   - owner: the other feed of the catalog that has it, retired feeds included.
  static func text(
    _ feed: String, _ reason: HealthReason?, address: String?, of owner: KnownFeed?
  ) -> String {
    guard let address else {
      return reason?.advice ?? "Look at it: celestra-admin health check --force --only \(feed)"
    }
    guard let owner else { return "Change feedURL to \(address)." }
    return "'\(owner.name)' has the address \(address). "
      + SameFeedAdvice.text(feed, is: owner.name, isRetired: owner.isRetired)
  }
}

extension FeedResult {
  /// The slug, or the record name of a feed without one.
  var name: String { slug ?? recordName }

  /// Each reason with what an editor can do. That of the first is about the feed as a whole.
  var reasonLines: [(reason: HealthReason, advice: String)] {
    reasons.enumerated().map { index, reason in
      (reason, index == 0 ? advice : suggestedURL != nil && reason.asksForAddress ? "" : reason.advice)
    }
  }

  /// As in ``FeedAdvice``.
  var advice: String { FeedAdvice.text(name, reasons.first, address: suggestedURL, of: suggestedFeed) }
}

extension HealthReason {
  /// Its advice is to use another address, which a proposal makes more precise.
  fileprivate var asksForAddress: Bool {
    switch self {
    case .movedPermanently, .htmlPage, .notAFeed, .notFound, .refused, .badRedirect, .tooManyRedirects: true
    default: false
    }
  }
}
