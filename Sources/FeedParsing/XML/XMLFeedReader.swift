internal import XMLReading

/// A feed in XML: a strict pass while the bytes arrive, and a lenient one over repaired bytes only if that failed.
final class XMLDocument {
  private let limits: FeedLimits
  private let contentType: ContentType?
  private let baseURL: String?
  /// Gone once the second pass begins.
  private var strict: FeedPass?
  private var choice: EncodingSniffer.Choice?
  private var transcoder: Transcoder?
  private var isPassing = true

  init(limits: FeedLimits, contentType: ContentType?, baseURL: String?) {
    self.limits = limits
    self.contentType = contentType
    self.baseURL = baseURL
    strict = FeedPass(limits: limits, baseURL: baseURL, recovers: false)
  }

  /// The first piece decides the encoding: it should hold the declaration.
  func push(_ piece: UnsafeBufferPointer<UInt8>) {
    guard isPassing, !piece.isEmpty else { return }
    var piece = piece
    if choice == nil {
      let choice = EncodingSniffer(contentType: contentType).choose(piece)
      self.choice = choice
      if !choice.encoding.isUTF8 { transcoder = Transcoder(choice.encoding) }
      piece = UnsafeBufferPointer(rebasing: piece[choice.markLength...])
    }
    guard let transcoder else {
      isPassing = strict?.push(piece) == true
      return
    }
    var converted: [UInt8] = []
    transcoder.convert(piece, into: &converted)
    isPassing = !transcoder.sawInvalid && converted.withUnsafeBufferPointer { strict?.push($0) == true }
  }

  /// - Parameter whole: the document as received; asked for only when it has to be read again.
  func finish(_ whole: () -> ArraySlice<UInt8>) -> ParsedFeed {
    guard let choice else { return ParsedFeed() }
    if isPassing { strict?.finish() }
    let status = strict?.status ?? .illFormed
    let isRefused = status != .reading && status != .illFormed
    let isWhole = isPassing && status == .reading && transcoder?.sawInvalid != true
    if isWhole || isRefused, var feed = strict?.takeFeed() {
      describe(&feed, choice, isWhole: isWhole)
      return feed
    }
    let error = strict?.error
    // It may hold as much as the document itself.
    strict = nil
    return whole().withUnsafeBufferPointer { lenient($0, choice, error) }
  }

  private func describe(_ feed: inout ParsedFeed, _ choice: EncodingSniffer.Choice, isWhole: Bool) {
    let lapses: Set<FeedFinding.Code> = [.undefinedEntity, .undeclaredPrefix]
    feed.wellFormed =
      isWhole && choice.unknownLabel == nil && !feed.diagnostics.contains { lapses.contains($0.code) }
    feed.recovered = !feed.wellFormed && feed.format != .unknown
    name(&feed, choice, used: choice.encoding)
  }

  private func name(_ feed: inout ParsedFeed, _ choice: EncodingSniffer.Choice, used: EncodingLabel) {
    feed.encoding = used.name
    feed.declaredEncoding = choice.declared?.name
    if let label = choice.unknownLabel {
      feed.diagnostics.append(FeedFinding(.unknownEncoding, "declares the unknown encoding '\(label)'"))
    }
  }

  // MARK: The second pass

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
        FeedFinding(.illFormed, "not well-formed XML at line \(error.line): \(error.message)"), at: 0)
    }
    if text.count >= limits.converted(of: bytes.count) {
      feed.diagnostics.append(
        FeedFinding(.tooManyBytes, "only the first \(text.count) bytes of its text were read"))
    }
    if used != choice.encoding {
      feed.diagnostics.append(
        FeedFinding(.encodingMismatch, "is not in \(choice.encoding.name); read as \(used.name)"))
    }
    name(&feed, choice, used: used)
    return feed
  }

  /// The encoding that the text is in; text that can be read as it came is not copied.
  private func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, _ encoding: EncodingLabel, into text: inout ByteBuffer
  ) -> EncodingLabel {
    let isValid = encoding.isUTF8 ? EncodingDetector.isUTF8(bytes) : transcoder?.sawInvalid == false
    return Transcoder.decode(
      bytes, as: encoding, isValid: isValid, upTo: limits.converted(of: bytes.count), into: &text)
  }

  /// What a lenient reader makes of the text. Programs print their warnings before the feed: when the text is not
  /// one from its beginning, it is looked for further on.
  private func recovered(_ text: UnsafeBufferPointer<UInt8>) -> (feed: ParsedFeed, isHTML: Bool) {
    let (feed, isHTML) = read(text)
    guard feed.format == .unknown, !isHTML, let start = Self.feedStart(text) else { return (feed, isHTML) }
    let later = read(UnsafeBufferPointer(rebasing: text[start...]))
    return later.feed.format == .unknown ? (feed, isHTML) : later
  }

  private func read(_ text: UnsafeBufferPointer<UInt8>) -> (feed: ParsedFeed, isHTML: Bool) {
    let pass = FeedPass(limits: limits, baseURL: baseURL, recovers: true)
    pass.readRepaired(text)
    return (pass.takeFeed(), pass.isHTML)
  }

  /// Where a feed's root element begins that is not the first, within what a warning takes.
  private static func feedStart(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    let head = UnsafeBufferPointer(rebasing: text.prefix(64 << 10))
    let starts = (["<rss", "<feed", "<rdf:RDF"] as [StaticString]).compactMap {
      head.position(of: $0, from: 1)
    }
    return starts.min()
  }
}
