internal import Diagnostics
internal import XMLReading

/// Parses a feed in XML: a strict pass while the bytes arrive and, only if that fails, a lenient one over repaired bytes.
final class XMLFeedReader {
  private let limits: FeedLimits
  private let contentType: ContentType?
  private let baseURL: String?
  /// `nil` once the lenient pass begins.
  private var strict: XMLFeedPass?
  private var choice: EncodingSniffer.Choice?
  private var transcoder: Transcoder?
  private var isPassing = true
  private var sawHighBytes = false

  init(limits: FeedLimits, contentType: ContentType?, baseURL: String?) {
    self.limits = limits
    self.contentType = contentType
    self.baseURL = baseURL
    strict = XMLFeedPass(limits: limits, baseURL: baseURL, recovers: false)
  }

  /// Parses the next piece. The first piece decides the encoding, so it should contain the XML declaration.
  func push(_ piece: UnsafeBufferPointer<UInt8>) {
    guard isPassing, !piece.isEmpty else { return }
    var piece = piece
    if choice == nil {
      let choice = EncodingSniffer(contentType: contentType).choose(piece)
      self.choice = choice
      if !choice.encoding.isUTF8 { transcoder = Transcoder(choice.encoding) }
      piece = UnsafeBufferPointer(rebasing: piece[choice.markLength...])
    }
    if choice?.encoding == .ascii || choice?.isDisputed == true, !sawHighBytes {
      sawHighBytes = piece.contains { $0 >= 0x80 }
    }
    guard let transcoder else {
      isPassing = strict?.push(piece) == true
      return
    }
    var converted: [UInt8] = []
    transcoder.convert(piece, into: &converted)
    isPassing = !transcoder.sawInvalid && converted.withUnsafeBufferPointer { strict?.push($0) == true }
  }

  /// - Parameter whole: returns the document as received; called only when it must be read again.
  func finish(_ whole: () -> ArraySlice<UInt8>) -> ParsedFeed {
    guard let choice else { return ParsedFeed() }
    if !choice.encoding.isUTF8, let feed = whole().withUnsafeBufferPointer({ mislabeled($0, choice) }) {
      return feed
    }
    if isPassing { strict?.finish() }
    let status = strict?.status ?? .illFormed
    let isOverLimit = status != .reading && status != .illFormed
    let isComplete = isPassing && status == .reading && transcoder?.sawInvalid != true
    if isComplete || isOverLimit, var feed = strict?.takeFeed() {
      describe(&feed, choice, isComplete: isComplete)
      return feed
    }
    let error = strict?.error
    // Released here, because it can be as large as the document.
    strict = nil
    return whole().withUnsafeBufferPointer { lenient($0, choice, error) }
  }

  /// The feed of a document in UTF-8 under another label; `nil` when the label is right.
  private func mislabeled(_ bytes: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice)
    -> ParsedFeed?
  {
    guard EncodingDetector.isUTF8(bytes, labeled: choice.encoding) else { return nil }
    let reader = XMLFeedReader(limits: limits, contentType: contentType, baseURL: baseURL)
    reader.choice = choice
    reader.choice?.encoding = .utf8
    reader.push(bytes)
    var feed = reader.finish { Array(bytes)[...] }
    if !feed.diagnostics.contains(where: { $0.code == FeedRule.encodingMismatch.code }) {
      feed.diagnostics.append(.encodingMismatch(choice.encoding, readAs: .utf8))
    }
    return feed
  }

  private func describe(_ feed: inout ParsedFeed, _ choice: EncodingSniffer.Choice, isComplete: Bool) {
    let errors = [FeedRule.undefinedEntity.code, FeedRule.undeclaredPrefix.code]
    feed.wellFormed =
      isComplete && choice.unknownLabel == nil && !feed.diagnostics.contains { errors.contains($0.code) }
    feed.recovered = !feed.wellFormed && feed.format != .unknown
    name(&feed, choice, used: choice.encoding)
  }

  private func name(_ feed: inout ParsedFeed, _ choice: EncodingSniffer.Choice, used: EncodingLabel) {
    feed.encoding = used.name
    if let declared = choice.declared,
      sawHighBytes && (declared == .ascii || choice.isDisputed) || choice.contradictsBytes
    {
      feed.diagnostics.append(.encodingMismatch(declared, readAs: declared == .ascii ? .utf8 : used))
    }
    if let label = choice.unknownLabel {
      feed.diagnostics.append(
        Diagnostic(FeedRule.unknownEncoding, "the document declares the unknown encoding '\(label)'"))
    }
  }

  // MARK: The lenient pass

  private func lenient(
    _ bytes: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice, _ error: XMLError?
  ) -> ParsedFeed {
    var text = ByteBuffer()
    let body = UnsafeBufferPointer(rebasing: bytes[choice.markLength...])
    let used = decode(body, choice.encoding, into: &text)
    var (feed, isHTML) = recovered(text.count > 0 ? text.bytes : body)
    feed.recovered = feed.format != .unknown
    if let error, !isHTML {
      feed.diagnostics.insert(
        Diagnostic(
          FeedRule.illFormed, "the document is not well-formed XML at line \(error.line): \(error.message)"),
        at: 0)
    }
    if text.count >= limits.converted(of: bytes.count) {
      feed.diagnostics.append(.tooManyBytes(read: text.count))
    }
    if used != choice.encoding {
      feed.diagnostics.append(.encodingMismatch(choice.encoding, readAs: used))
    }
    name(&feed, choice, used: used)
    return feed
  }

  /// Returns the encoding that the document was decoded from. Valid UTF-8 is not copied to `text`.
  private func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ encoding: EncodingLabel, into text: inout ByteBuffer
  ) -> EncodingLabel {
    let isValid = encoding.isUTF8 ? EncodingDetector.isUTF8(bytes) : transcoder?.sawInvalid == false
    return Transcoder.decode(
      bytes, as: encoding, isValid: isValid, upTo: limits.converted(of: bytes.count), into: &text)
  }

  /// Parses the text leniently. Programs may print warnings before the feed, so when the text does not begin with a
  /// feed, it is searched for one.
  private func recovered(_ text: UnsafeBufferPointer<UInt8>) -> (feed: ParsedFeed, isHTML: Bool) {
    let (feed, isHTML) = read(text)
    guard feed.format == .unknown, !isHTML, let start = Self.feedStart(text) else { return (feed, isHTML) }
    let later = read(UnsafeBufferPointer(rebasing: text[start...]))
    return later.feed.format == .unknown ? (feed, isHTML) : later
  }

  private func read(_ text: UnsafeBufferPointer<UInt8>) -> (feed: ParsedFeed, isHTML: Bool) {
    let pass = XMLFeedPass(limits: limits, baseURL: baseURL, recovers: true)
    pass.readRepaired(text)
    return (pass.takeFeed(), pass.isHTML)
  }

  /// The position of a feed's root element after the start of the text, within the first 64 KiB.
  private static func feedStart(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    let head = UnsafeBufferPointer(rebasing: text.prefix(64 << 10))
    let starts = (["<rss", "<feed", "<rdf:RDF"] as [StaticString]).compactMap {
      head.position(of: $0, from: 1)
    }
    return starts.min()
  }
}
