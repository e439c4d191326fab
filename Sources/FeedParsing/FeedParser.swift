internal import XMLReading

/// Parses a feed of any dialect from bytes that arrive in pieces.
///
/// Use a value for one document: call `feed(_:)` any number of times, then `finish()` once. XML is parsed as it arrives;
/// the bytes are kept (up to ``FeedLimits/bytes``) for a second, lenient pass in case the first one fails.
package struct FeedParser {
  private let contentType: ContentType?
  private let baseURL: String?
  private let limits: FeedLimits
  private var received = ReceivedBytes()
  private var isBlank = true
  private var document: Document?
  private var isFull = false

  private enum Document {
    case xml(XMLFeedReader)
    case json
  }

  /// - Parameters:
  ///   - baseURL: the absolute URL of the document, which relative links are resolved against.
  package init(limits: FeedLimits = FeedLimits(), contentType: String? = nil, baseURL: String? = nil) {
    self.limits = limits.bounded
    self.contentType = ContentType(contentType)
    self.baseURL = baseURL?.nonEmpty
  }

  /// Parses the next piece. Returns false when a limit is reached and no more is wanted. The piece's storage is kept
  /// until the end.
  @discardableResult
  package mutating func feed(_ chunk: ArraySlice<UInt8>) -> Bool {
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

  /// The feed, as far as it could be parsed. Never fails: for input that is not a feed, the format is
  /// ``FeedFormat/unknown`` and a finding gives the reason.
  package mutating func finish() -> ParsedFeed {
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

  package static func parse(
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
    document =
      isJSON ? .json : .xml(XMLFeedReader(limits: limits, contentType: contentType, baseURL: baseURL))
    forward(head)
  }

  private func forward(_ piece: ArraySlice<UInt8>) {
    guard case .xml(let document) = document else { return }
    piece.withUnsafeBufferPointer(document.push)
  }

  private func complete(_ feed: inout ParsedFeed) {
    feed.documentURL = baseURL
    var findings = FeedFindingList(feed.diagnostics)
    if isFull {
      // The document was cut here, not by its author.
      findings.remove(.illFormed)
      findings.remove(.cutDocument)
      findings.add(.tooManyBytes, "only the first \(limits.bytes) bytes were read")
      feed.wellFormed = false
      feed.recovered = feed.format != .unknown
    }
    if let contentType, !contentType.isFeedLike {
      findings.add(.contentType, "unexpected Content-Type '\(contentType.mediaType)'")
    }
    if isBlank {
      findings.add(.empty, "the document is empty")
    } else if feed.format == .unknown {
      findings.add(.notAFeed, "this is not a feed in any supported format")
    }
    if feed.items.records.contains(where: { !$0.idIsDeclared }) {
      findings.add(.missingID, "an item has no id of its own")
    }
    if feed.bridgeErrors > 0 {
      findings.add(.bridgeError, "an entry reports an error of the program that makes the feed")
    }
    if !DistinctIDCheck.areDistinct(feed.items) {
      findings.add(.duplicateID, "several items have the same id")
    }
    feed.diagnostics = findings.list
  }
}

extension ContentType {
  /// False for media types that no feed has.
  fileprivate var isFeedLike: Bool {
    mediaType.isEmpty || mediaType.hasSuffix("xml") || mediaType.contains("xml") || mediaType.contains("json")
      || mediaType.contains("rss") || mediaType.contains("atom") || mediaType == "application/octet-stream"
  }
}

/// The pieces of a document. Keeps the caller's storage instead of copying it, because only an ill-formed document is
/// read again.
private struct ReceivedBytes {
  private(set) var count = 0
  private var pieces: [ArraySlice<UInt8>] = []
  private var endsInSmall = false

  /// Pieces shorter than this are joined, because each separate piece has an overhead.
  private static let small = 1024

  mutating func append(_ piece: ArraySlice<UInt8>) {
    count += piece.count
    let isSmall = piece.count < Self.small
    if isSmall, endsInSmall {
      pieces[pieces.count - 1].append(contentsOf: piece)
    } else {
      pieces.append(isSmall ? Array(piece)[...] : piece)
    }
    endsInSmall = isSmall
  }

  mutating func joined() -> ArraySlice<UInt8> {
    if pieces.count > 1 {
      var whole: [UInt8] = []
      whole.reserveCapacity(count)
      // Each piece is released once it is copied, so that the document is not in memory twice.
      for index in pieces.indices {
        whole += pieces[index]
        pieces[index] = []
      }
      pieces = [whole[...]]
      endsInSmall = false
    }
    return pieces.first ?? []
  }

  mutating func removeAll() { self = ReceivedBytes() }
}
