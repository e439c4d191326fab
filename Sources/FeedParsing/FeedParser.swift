/// Reads a feed of any dialect from bytes that arrive in pieces.
///
/// A value is used for one document: `feed(_:)` any number of times, then `finish()` once. XML is parsed as it
/// arrives; the bytes are kept (up to ``FeedLimits/bytes``) for a second, lenient pass in case the first fails.
public struct FeedParser {
  private let contentType: ContentType?
  private let baseURL: String?
  private let limits: FeedLimits
  /// As received. Kept in pieces: one growing array would be copied, and paid for in page faults, again and again.
  private var pieces: [[UInt8]] = []
  private var count = 0
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
    self.limits = limits
    self.contentType = ContentType(contentType)
    self.baseURL = baseURL?.nonEmpty
  }

  /// Takes the next piece. False means that nothing more is wanted: a limit is reached.
  @discardableResult
  public mutating func feed(_ chunk: some Sequence<UInt8>) -> Bool {
    guard !isFull else { return false }
    var piece = Array(chunk)
    if count + piece.count > limits.bytes {
      piece.removeLast(count + piece.count - limits.bytes)
      isFull = true
    }
    count += piece.count
    isBlank = isBlank && piece.allSatisfy(\.isSpace)
    pieces.append(piece)
    if document != nil {
      forward(piece)
    } else if count >= EncodingSniffer.window || isFull {
      begin()
    }
    return !isFull
  }

  /// What could be read. Never fails: input that is no feed has ``FeedFormat/unknown`` and a finding saying why.
  public mutating func finish() -> ParsedFeed {
    if document == nil { begin() }
    var feed =
      switch document {
      case .xml(let document): document.finish { takeBytes() }
      case .json: JSONFeedReader(limits: limits, baseURL: baseURL).read(takeBytes(), contentType)
      case nil: ParsedFeed()
      }
    document = nil
    complete(&feed)
    pieces = []
    return feed
  }

  /// Reads a whole document.
  public static func parse(
    _ bytes: some Sequence<UInt8>, contentType: String? = nil, baseURL: String? = nil,
    limits: FeedLimits = FeedLimits()
  ) -> ParsedFeed {
    var parser = FeedParser(limits: limits, contentType: contentType, baseURL: baseURL)
    parser.feed(bytes)
    return parser.finish()
  }

  private mutating func begin() {
    let head = pieces.count == 1 ? pieces[0] : pieces.flatMap(\.self)
    let isJSON = head.withUnsafeBufferPointer { JSONFeedReader.looksLikeJSON($0) }
    document =
      isJSON ? .json : .xml(XMLDocument(limits: limits, contentType: contentType, baseURL: baseURL))
    forward(head)
  }

  private func forward(_ piece: [UInt8]) {
    guard case .xml(let document) = document else { return }
    piece.withUnsafeBufferPointer(document.push)
  }

  /// The whole document. The pieces are given up: a large one must not be held twice.
  private mutating func takeBytes() -> [UInt8] {
    if pieces.count == 1, let whole = pieces.popLast() { return whole }
    var whole: [UInt8] = []
    whole.reserveCapacity(count)
    for index in pieces.indices {
      whole += pieces[index]
      pieces[index] = []
    }
    pieces = []
    return whole
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
    if feed.items.contains(where: { !$0.idIsDeclared }) {
      findings.add(.missingID, "an item has no id of its own")
    }
    if Set(feed.items.map(\.id)).count < feed.items.count {
      findings.add(.duplicateID, "several items have the same id")
    }
    feed.diagnostics = findings.list
  }
}
