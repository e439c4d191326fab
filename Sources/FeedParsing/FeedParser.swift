/// Reads a feed of any dialect from bytes that arrive in pieces.
///
/// A value is used for one document: `feed(_:)` any number of times, then `finish()` once.
public struct FeedParser {
  private let context: FeedContext
  private let limits: FeedLimits
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - contentType: the value of the HTTP `Content-Type` header, where there was one.
  ///   - baseURL: the absolute address the document came from; relative links are resolved against it.
  public init(limits: FeedLimits = FeedLimits(), contentType: String? = nil, baseURL: String? = nil) {
    self.limits = limits
    self.context = FeedContext(contentType: contentType, baseURL: baseURL)
  }

  /// Takes the next piece. False means that nothing more is wanted (a limit is reached).
  @discardableResult
  public mutating func feed(_ chunk: some Sequence<UInt8>) -> Bool {
    bytes.append(contentsOf: chunk)
    return bytes.count <= limits.bytes
  }

  /// What could be read. Never fails: input that is no feed has ``FeedFormat/unknown`` and a finding saying why.
  public mutating func finish() -> ParsedFeed { ParsedFeed() }

  /// Reads a whole document.
  public static func parse(
    _ bytes: some Sequence<UInt8>, contentType: String? = nil, baseURL: String? = nil,
    limits: FeedLimits = FeedLimits()
  ) -> ParsedFeed {
    var parser = FeedParser(limits: limits, contentType: contentType, baseURL: baseURL)
    parser.feed(bytes)
    return parser.finish()
  }
}

/// What is known about a document from outside it.
struct FeedContext: Sendable {
  var contentType: String?
  var baseURL: String?
}
