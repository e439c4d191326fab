internal import Diagnostics
internal import XMLReading

/// Parses a feed in XML: in a strict pass and, only if that fails, in a lenient one over repaired bytes.
struct XMLFeedReader {
  let limits: FeedLimits
  let contentType: ContentType?
  let baseURL: String?

  func read(_ document: UnsafeBufferPointer<UInt8>) -> ParsedFeed {
    guard !document.isEmpty else { return ParsedFeed() }
    var choice = EncodingSniffer.choose(document, contentType)
    let label = choice.encoding
    let isMislabeled = !label.isUTF8 && EncodingDetector.isUTF8(document, labeled: label)
    if isMislabeled { choice.encoding = .utf8 }
    var feed = read(document, choice)
    if isMislabeled, !feed.diagnostics.contains(where: { $0.code == FeedRule.encodingMismatch.code }) {
      feed.diagnostics.append(.encodingMismatch(label, readAs: .utf8))
    }
    return feed
  }

  private func read(
    _ document: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice
  ) -> ParsedFeed {
    let transcoder = choice.encoding.isUTF8 ? nil : Transcoder(choice.encoding)
    let (feed, error) = strict(document, choice, transcoder)
    return feed ?? lenient(document, choice, error, isConverted: transcoder?.sawInvalid == false)
  }

  /// The feed of a document that is well-formed or exceeds a limit; else the error. The pass is released before the lenient
  /// one begins, because it can be as large as the document.
  private func strict(
    _ document: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice, _ transcoder: Transcoder?
  ) -> (feed: ParsedFeed?, error: XMLError?) {
    let pass = XMLFeedPass(limits: limits, baseURL: baseURL, recovers: false)
    let body = UnsafeBufferPointer(rebasing: document[choice.markLength...])
    if let transcoder {
      var converted = ByteBuffer()
      transcoder.convert(body, into: &converted)
      guard !transcoder.sawInvalid else { return (nil, nil) }
      pass.reader.read(converted.bytes)
    } else {
      pass.reader.read(body)
    }
    guard pass.reader.status != .illFormed else { return (nil, pass.reader.error) }
    var feed = pass.takeFeed()
    describe(&feed, document, choice, isComplete: pass.reader.status == .reading)
    return (feed, nil)
  }

  private func describe(
    _ feed: inout ParsedFeed, _ document: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice,
    isComplete: Bool
  ) {
    let errors = [FeedRule.undefinedEntity.code, FeedRule.undeclaredPrefix.code]
    feed.wellFormed =
      isComplete && choice.unknownLabel == nil && !feed.diagnostics.contains { errors.contains($0.code) }
    feed.recovered = !feed.wellFormed && feed.format != .unknown
    name(&feed, document, choice, used: choice.encoding)
  }

  private func name(
    _ feed: inout ParsedFeed, _ document: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice,
    used: EncodingLabel
  ) {
    feed.encoding = used.name
    if let declared = choice.declared,
      choice.contradictsBytes
        || (choice.isDisputed || choice.encoding == .ascii && declared == .ascii)
          && !document.isASCII
    {
      feed.diagnostics.append(.encodingMismatch(declared, readAs: declared == .ascii ? .utf8 : used))
    }
    if let label = choice.unknownLabel {
      feed.diagnostics.append(
        Diagnostic(FeedRule.unknownEncoding, "the document declares the unknown encoding '\(label)'"))
    }
  }

  // MARK: The lenient pass

  /// - Parameter isConverted: all bytes are valid in the encoding, which is not UTF-8.
  private func lenient(
    _ document: UnsafeBufferPointer<UInt8>, _ choice: EncodingSniffer.Choice, _ error: XMLError?,
    isConverted: Bool
  ) -> ParsedFeed {
    var text = ByteBuffer()
    let body = UnsafeBufferPointer(rebasing: document[choice.markLength...])
    let isValid = choice.encoding.isUTF8 ? EncodingDetector.isUTF8(body) : isConverted
    // Valid UTF-8 is not copied to `text`.
    let used = Transcoder.decode(
      body, as: choice.encoding, isValid: isValid, upTo: limits.converted(of: body.count), into: &text)
    var (feed, isHTML) = recovered(text.count > 0 ? text.bytes : body)
    feed.recovered = feed.format != .unknown
    if let error, !isHTML {
      feed.diagnostics.insert(
        Diagnostic(
          FeedRule.illFormed, "the document is not well-formed XML at line \(error.line): \(error.message)"),
        at: 0)
    }
    if text.count >= limits.converted(of: document.count) {
      feed.diagnostics.append(.tooManyBytes(read: text.count))
    }
    if used != choice.encoding {
      feed.diagnostics.append(.encodingMismatch(choice.encoding, readAs: used))
    }
    name(&feed, document, choice, used: used)
    return feed
  }

  /// Parses the text leniently. Programs may print warnings before the feed, so when the text does not begin with a
  /// feed, it is searched for one.
  private func recovered(_ text: UnsafeBufferPointer<UInt8>) -> (feed: ParsedFeed, isHTML: Bool) {
    let (feed, isHTML) = readRepaired(text)
    guard feed.format == .unknown, !isHTML, let start = Self.feedStart(text) else { return (feed, isHTML) }
    let later = readRepaired(UnsafeBufferPointer(rebasing: text[start...]))
    return later.feed.format == .unknown ? (feed, isHTML) : later
  }

  private func readRepaired(_ text: UnsafeBufferPointer<UInt8>) -> (feed: ParsedFeed, isHTML: Bool) {
    let pass = XMLFeedPass(limits: limits, baseURL: baseURL, recovers: true)
    pass.reader.readRepaired(text, lists: XMLFeedPass.lists)
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
