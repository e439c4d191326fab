internal import LibXML2Shim

/// A feed in XML: a strict pass while the bytes arrive, and a lenient one over repaired bytes only if that failed.
final class XMLDocument {
  private let limits: FeedLimits
  private let contentType: ContentType?
  private let baseURL: String?
  private let strict: XMLReader
  private var choice: EncodingSniffer.Choice?
  private var transcoder: Transcoder?
  private var isPassing = true

  init(limits: FeedLimits, contentType: ContentType?, baseURL: String?) {
    self.limits = limits
    self.contentType = contentType
    self.baseURL = baseURL
    strict = XMLReader(limits: limits, baseURL: baseURL, recovers: false)
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
      isPassing = strict.push(piece)
      return
    }
    var converted: [UInt8] = []
    transcoder.convert(piece, into: &converted)
    isPassing = !transcoder.sawInvalid && converted.withUnsafeBufferPointer(strict.push)
  }

  /// - Parameter bytes: makes the whole document, as received; asked for only by the second pass.
  func finish(_ bytes: () -> [UInt8]) -> ParsedFeed {
    guard let choice else { return ParsedFeed() }
    if isPassing { strict.finish() }
    let isRefused = [feed_xml_stopped, feed_xml_tag_too_long, feed_xml_too_many_attributes]
      .contains(strict.status)
    let isWhole = isPassing && strict.status == feed_xml_ok && transcoder?.sawInvalid != true
    var feed = isWhole || isRefused ? strict.takeFeed() : lenient(bytes(), choice)
    if isWhole || isRefused { describe(&feed, choice, isWhole: isWhole) }
    return feed
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

  private func lenient(_ bytes: consuming [UInt8], _ choice: EncodingSniffer.Choice) -> ParsedFeed {
    let (text, used) = decode(bytes[choice.markLength...], choice.encoding)
    let reader = XMLReader(limits: limits, baseURL: baseURL, recovers: true)
    read(text, with: reader)
    var feed = reader.takeFeed()
    feed.recovered = feed.format != .unknown
    if let errors = strict.errors, errors.ill_formed, !reader.isHTML {
      let message = withUnsafeBytes(of: errors.message) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      feed.diagnostics.insert(
        FeedFinding(.illFormed, "not well-formed XML at line \(errors.line): \(message)"), at: 0)
    }
    if used != choice.encoding {
      feed.diagnostics.append(
        FeedFinding(.encodingMismatch, "is not in \(choice.encoding.name); read as \(used.name)"))
    }
    name(&feed, choice, used: used)
    return feed
  }

  /// Text that is read as it came is not copied.
  private func decode(
    _ bytes: ArraySlice<UInt8>, _ encoding: EncodingLabel
  ) -> (text: ArraySlice<UInt8>, used: EncodingLabel) {
    let (fits, used) = bytes.withUnsafeBufferPointer { bytes in
      let fits = encoding.isUTF8 ? EncodingDetector.isUTF8(bytes) : transcoder?.sawInvalid == false
      return (fits, fits ? encoding : EncodingDetector.detect(bytes, declared: encoding))
    }
    if fits, used.isUTF8 { return (bytes, used) }
    if used.isUTF8 { return (Array(String(decoding: bytes, as: UTF8.self).utf8)[...], used) }
    guard let transcoder = Transcoder(used) else { return (bytes, used) }
    var text: [UInt8] = []
    // Room that is not needed is never touched; growing would hold the text twice.
    text.reserveCapacity(bytes.count * 3)
    bytes.withUnsafeBufferPointer { transcoder.convert($0, into: &text) }
    transcoder.finish(into: &text)
    return (text[...], used)
  }

  private func read(_ text: ArraySlice<UInt8>, with reader: XMLReader) {
    text.withUnsafeBufferPointer { text in
      guard let prolog = Prolog(text, isComplete: true) else { return }
      let body = UnsafeBufferPointer(rebasing: text[prolog.length...])
      reader.read(prolog) { take in XMLRepair.mend(body, entities: prolog.entities, take) }
    }
  }
}
