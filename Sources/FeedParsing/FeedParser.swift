internal import XMLReading

/// Reads a feed of any dialect from bytes that arrive in pieces.
///
/// A value is used for one document: `feed(_:)` any number of times, then `finish()` once. XML is parsed as it
/// arrives; the bytes are kept (up to ``FeedLimits/bytes``) for a second, lenient pass in case the first fails.
public struct FeedParser {
  private let contentType: ContentType?
  private let baseURL: String?
  private let limits: FeedLimits
  private var received = ReceivedBytes()
  private var isBlank = true
  private var document: Document?
  private var isFull = false

  /// How the document is being read, once its first bytes have shown what it is.
  private enum Document {
    case xml(XMLDocument)
    case json
  }

  /// - Parameters:
  ///   - contentType: the value of the HTTP `Content-Type` header, where there was one.
  ///   - baseURL: the absolute address the document came from; relative links are resolved against it.
  public init(limits: FeedLimits = FeedLimits(), contentType: String? = nil, baseURL: String? = nil) {
    self.limits = limits.bounded
    self.contentType = ContentType(contentType)
    self.baseURL = baseURL?.nonEmpty
  }

  /// Takes the next piece. False means that nothing more is wanted: a limit is reached. The piece's storage is kept
  /// until the end.
  @discardableResult
  public mutating func feed(_ chunk: ArraySlice<UInt8>) -> Bool {
    guard !isFull else { return false }
    let room = limits.bytes - received.count
    isFull = chunk.count > room
    let piece = chunk.prefix(room)
    isBlank = isBlank && piece.allSatisfy(\.isSpace)
    received.append(piece)
    if document != nil {
      forward(piece)
    } else if received.count >= EncodingSniffer.window || isFull {
      begin()
    }
    return !isFull
  }

  /// The same, of bytes that are kept in some other way.
  @discardableResult
  public mutating func feed(_ chunk: some Sequence<UInt8>) -> Bool { feed(Array(chunk)[...]) }

  /// What could be read. Never fails: input that is no feed has ``FeedFormat/unknown`` and a finding saying why.
  public mutating func finish() -> ParsedFeed {
    if document == nil { begin() }
    var feed =
      switch document {
      case .xml(let document): document.finish { received.joined() }
      case .json:
        received.joined().withUnsafeBufferPointer {
          JSONFeedReader(limits: limits, baseURL: baseURL).read($0, contentType)
        }
      case nil: ParsedFeed()
      }
    document = nil
    complete(&feed)
    received.removeAll()
    return feed
  }

  /// Reads a whole document.
  public static func parse(
    _ bytes: some Sequence<UInt8>, contentType: String? = nil, baseURL: String? = nil,
    limits: FeedLimits = FeedLimits()
  ) -> ParsedFeed {
    var parser = FeedParser(limits: limits, contentType: contentType, baseURL: baseURL)
    parser.feed(Array(bytes)[...])
    return parser.finish()
  }

  private mutating func begin() {
    let head = received.joined()
    let isJSON = head.withUnsafeBufferPointer(JSONFeedReader.looksLikeJSON)
    document = isJSON ? .json : .xml(XMLDocument(limits: limits, contentType: contentType, baseURL: baseURL))
    forward(head)
  }

  private func forward(_ piece: ArraySlice<UInt8>) {
    guard case .xml(let document) = document else { return }
    piece.withUnsafeBufferPointer(document.push)
  }

  /// The findings that need the whole feed.
  private func complete(_ feed: inout ParsedFeed) {
    var findings = Findings(feed.diagnostics)
    if isFull {
      findings.add(.tooManyBytes, "only the first \(limits.bytes) bytes were read")
      feed.wellFormed = false
      feed.recovered = feed.format != .unknown
    }
    if let contentType, !contentType.isFeedLike {
      findings.add(.contentType, "served as '\(contentType.mediaType)', which is no type for a feed")
    }
    if isBlank {
      findings.add(.empty, "the document is empty")
    } else if feed.format == .unknown {
      findings.add(.notAFeed, "this is not a feed in any format known here")
    }
    // By index: an element of `for` would be a copy, with every text in it counted once more.
    if feed.items.indices.contains(where: { !feed.items[$0].idIsDeclared }) {
      findings.add(.missingID, "an item has no id of its own")
    }
    if !DistinctIDs.hold(feed.items) {
      findings.add(.duplicateID, "several items have the same id")
    }
    feed.diagnostics = findings.list
  }
}

extension ContentType {
  /// False for types that no feed is served with.
  fileprivate var isFeedLike: Bool {
    mediaType.isEmpty || mediaType.contains("xml") || mediaType.contains("json")
      || mediaType.contains("rss") || mediaType.contains("atom") || mediaType == "application/octet-stream"
  }
}
