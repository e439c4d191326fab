/// Bounds on what is read of one document, so that hostile input costs no more than its size.
/// The defaults admit every feed worth reading; the start tag bound comes from feeds.md section 2 (an element of
/// 20,000 attributes keeps libxml2 busy for seconds and cannot be interrupted).
public struct FeedLimits: Sendable, Equatable {
  /// Bytes of the document, as received; 512 MB at most.
  public var bytes = 10 << 20
  /// Bytes between the `<` and the `>` of one tag.
  public var startTag = 64 << 10
  /// Nested elements.
  public var depth = 200
  /// Items kept; later ones are counted out with a finding.
  public var items = 20_000
  /// UTF-8 bytes kept of one text; the rest is dropped with a finding.
  public var text = 1 << 20
  /// Whether the summaries of items are kept, which are most of what a feed says. Their length is known without.
  public var keepsSummaries = true
  /// UTF-8 bytes that resolving links may add to a document: an `xml:base` could make a link of any length.
  public var resolvedLinks = 2 << 20
  /// Levels of arrays and objects in a JSON Feed.
  public var jsonDepth = 64

  public init() {}

  /// Bytes of a document that are of any use: one more than are read tells that there were more.
  public var wantedBytes: Int { bounded.bytes + 1 }

  /// Bytes of text that are made of a document in another encoding than UTF-8, beside which they are held: a long
  /// document leaves less room for them.
  func converted(of count: Int) -> Int { bytes + bytes / 2 - min(max(count, bytes / 2), bytes) }

  /// Texts are found by numbers of 32 bits, in UTF-8 that may be three times as long as the document.
  var bounded: FeedLimits {
    var limits = self
    limits.bytes = min(bytes, 512 << 20)
    limits.text = min(text, limits.bytes)
    limits.resolvedLinks = min(resolvedLinks, limits.bytes)
    return limits
  }
}
