/// What a run stores of the items that feeds list (Documentation/reference/articles.md).
package struct ArticleOptions: Sendable {
  /// How much of an item is stored.
  package enum Content: String, Sendable, CaseIterable {
    /// The first sentences.
    case excerpt
    /// The whole text, and the HTML that is safe to show.
    case full
  }

  package var content: Content
  /// How long an article is kept. Items older than this are never stored.
  package var lifetime: Duration
  /// Whether others write articles too, whose record names cannot be derived: new items are looked up by guid.
  package var otherWriters: Bool
  /// How many articles the run creates at most; the next run stores the rest.
  package var maxItems: Int?
  /// Whether to keep a line for each item that the run decided about.
  package var explains = false
  package var mapping: ArticleRecordMapping

  /// - Parameter lifetime: `nil` for that of the mapping's profile.
  package init(
    content: Content = .excerpt, mapping: ArticleRecordMapping = .celestra, lifetime: Duration? = nil,
    otherWriters: Bool = true, maxItems: Int? = nil
  ) {
    self.content = content
    self.mapping = mapping
    self.lifetime = lifetime ?? mapping.lifetime
    self.otherWriters = otherWriters
    self.maxItems = maxItems
  }

  /// The version of the rules by which items become articles. Another version reads each document once more.
  static let versionText = "2"
  /// A changed item is written at most once in this time.
  static let changeInterval = Duration.seconds(86_400)
}
