/// What an editor can do when a feed's new address belongs to another feed of the catalog.
package enum SameFeedAdvice {
  /// - Parameters:
  ///   - feed: the slug of the feed that is to go, or its record name when it has none.
  ///   - other: the same of the feed that stays.
  ///   - isRetired: whether the other feed is retired, so that it can replace none as it is.
  package static func text(_ feed: String, is other: String, isRetired: Bool = false) -> String {
    let replacement = "add \"replacedBy\": \"\(other)\" to '\(feed)'"
    return isRetired
      ? "Both are one feed, and '\(other)' is retired: remove \"retired\" from it, and \(replacement)."
      : "Both are one feed: \(replacement)."
  }
}
