/// Limits on one document, so that hostile input costs no more time and memory than its size.
package struct FeedLimits: Sendable, Equatable {
  /// Bytes of the document as received, at most 512 MB.
  package var bytes = 10 << 20
  /// Bytes between the `<` and the `>` of one tag.
  package var startTag = 64 << 10
  package var depth = 200
  /// Items kept; a finding gives the number of the others.
  package var items = 20_000
  /// UTF-8 bytes kept of one text; the rest is dropped with a finding.
  package var text = 1 << 20
  /// Whether to keep the summaries of items, which are most of a feed. Their lengths are known without them.
  package var keepsSummaries = true
  /// Whether to keep what only a stored article needs: contents, categories, images and languages of items. Needs
  /// ``keepsSummaries``.
  package var keepsArticles = false
  /// UTF-8 bytes that resolving links may add to a document; an `xml:base` can make links of any length.
  package var resolvedLinks = 2 << 20
  /// Nested arrays and objects in a JSON Feed.
  package var jsonDepth = 64

  package init() {}

  /// How many bytes of a document to fetch: one more than ``bytes``, so that a larger document is recognized.
  package var wantedBytes: Int { bounded.bytes + 1 }

  /// The maximum size of the UTF-8 text of a document in another encoding. Both are in memory, so a longer document
  /// leaves less room for its text.
  func converted(of count: Int) -> Int { bytes + bytes / 2 - min(max(count, bytes / 2), bytes) }

  /// The limits, lowered so that 32-bit offsets into the texts suffice: UTF-8 can be three times as long as the document.
  var bounded: FeedLimits {
    var limits = self
    limits.bytes = min(bytes, 512 << 20)
    limits.text = min(text, limits.bytes)
    limits.resolvedLinks = min(resolvedLinks, limits.bytes)
    return limits
  }
}
