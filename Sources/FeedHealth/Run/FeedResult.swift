public import CloudKitModel

/// The result of one check of one feed.
public struct FeedResult: Sendable, Hashable {
  public var recordName: String
  public var feedURL: String
  public var title: String?
  public var status: HealthStatus
  /// `nil` for a feed that was never checked.
  public var previousStatus: HealthStatus?
  /// When the status began.
  public var statusSince: Timestamp?
  public var checkedAt: Timestamp
  /// `nil` when no server answered.
  public var httpStatus: Int?
  /// The most important first; empty for a healthy feed.
  public var reasons: [HealthReason]
  /// More about a failure than its reason says.
  public var detail: String?
  /// An address for an editor to put in the seed. The tool never applies it by itself.
  public var suggestedURL: String?
  /// The feed of the catalog that has the suggested address already, by record name.
  public var suggestedRecordName: String?
  /// Where redirects led; `nil` without one.
  public var redirectedTo: String?
  /// The title of a web page that was served in place of the feed.
  public var pageTitle: String?
  /// True for a 304; the facts about the document come from an earlier check.
  public var notModified: Bool
  /// `nil` unless the document was read.
  public var items: Int?
  public var newestItem: Timestamp?
  /// 0...100, over at most 30 days.
  public var uptimePercentage: Double?
}
