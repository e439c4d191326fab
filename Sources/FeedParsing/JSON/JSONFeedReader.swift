package import Diagnostics
internal import XMLReading

/// Parses JSON Feed 1.0 and 1.1 (jsonfeed.org/version/1.1), one item at a time: it makes no copy of the document and
/// holds the values of one item only.
struct JSONFeedReader {
  let limits: FeedLimits
  private let base: BaseURL?

  init(limits: FeedLimits, baseURL: String?) {
    self.limits = limits
    base = baseURL.flatMap(BaseURL.init)
  }

  static func looksLikeJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let wide: Set<UInt8> = [0, 0xFF, 0xFE]
    return bytes[start...].first { !$0.isSpace && !wide.contains($0) }.map {
      $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[")
    } ?? false
  }

  func read(_ bytes: UnsafeBufferPointer<UInt8>, _ contentType: ContentType?) -> ParsedFeed {
    var feed = ParsedFeed()
    let choice = EncodingSniffer.choose(bytes, contentType)
    let body = UnsafeBufferPointer(rebasing: bytes[choice.markLength...])
    let used = Self.encoding(of: body, labeled: choice.encoding)
    feed.encoding = used.name
    if !used.isUTF8, let transcoder = Transcoder(used) {
      convert(body, transcoder, into: &feed) { read($0, into: &$1) }
    } else {
      read(body, into: &feed)
    }
    if used != choice.encoding || choice.contradictsBytes {
      let label = choice.contradictsBytes ? choice.declared : nil
      feed.diagnostics.append(.encodingMismatch(label ?? choice.encoding, readAs: used))
    }
    return feed
  }

  private static func encoding(of bytes: UnsafeBufferPointer<UInt8>, labeled label: EncodingLabel)
    -> EncodingLabel
  {
    if EncodingDetector.isUTF8(bytes, labeled: label) { return .utf8 }
    return label.isUTF8 || Transcoder.isValid(bytes, in: label) ? label : EncodingDetector.detect(bytes)
  }

  private func read(_ text: UnsafeBufferPointer<UInt8>, into feed: inout ParsedFeed) {
    guard let error = read(text, isLenient: false, into: &feed) else { return }
    feed.diagnostics.insert(finding(error), at: 0)
    if error.kind == .syntax { readLeniently(text, into: &feed) }
    feed.wellFormed = false
    feed.recovered = feed.format != .unknown
  }

  /// Parses invalid JSON leniently. The finding about it exists already.
  private func readLeniently(_ text: UnsafeBufferPointer<UInt8>, into feed: inout ParsedFeed) {
    guard !EncodingDetector.isUTF8(text) else { return _ = read(text, isLenient: true, into: &feed) }
    let used = EncodingDetector.detect(text)
    feed.diagnostics.append(.encodingMismatch(.utf8, readAs: used))
    feed.encoding = used.name
    guard let transcoder = Transcoder(used) else { return }
    convert(text, transcoder, into: &feed) { _ = read($0, isLenient: true, into: &$1) }
  }

  /// Converts the document to UTF-8, up to the limit, and reads it.
  private func convert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ transcoder: Transcoder, into feed: inout ParsedFeed,
    _ read: (UnsafeBufferPointer<UInt8>, inout ParsedFeed) -> Void
  ) {
    var text = ByteBuffer()
    let limit = limits.converted(of: bytes.count)
    transcoder.convert(bytes, upTo: limit, into: &text)
    read(text.bytes, &feed)
    if text.count >= limit {
      feed.diagnostics.append(.tooManyBytes(read: text.count))
    }
  }

  private func finding(_ error: JSONSyntaxError) -> Diagnostic {
    switch error.kind {
    case .syntax: Diagnostic(FeedRule.illFormed, error.description)
    case .tooDeep: Diagnostic(FeedRule.tooDeep, error.description)
    case .tooMuch:
      Diagnostic(FeedRule.tooManyItems, "the document has more values in one list or object than the limit")
    }
  }

  // MARK: One pass

  /// The maximum weight of values in memory: of one item, and of everything beside the items.
  private static let maxWeight = 4 << 20

  /// Returns the error that ended the pass, if any. A strict pass leaves the feed empty when the JSON is invalid.
  private func read(
    _ text: UnsafeBufferPointer<UInt8>, isLenient: Bool, into feed: inout ParsedFeed
  ) -> JSONSyntaxError? {
    var bounds = JSONLimits(depth: limits.jsonDepth)
    bounds.weight = Self.maxWeight
    bounds.text = limits.text
    bounds.isLenient = isLenient
    // The ids of items may be such numbers, and two of them must not become one.
    bounds.keepsTextOfNumbers = true
    var items = JSONItemReader(limits: limits, base: base)
    let list = JSONListReader(named: "items", parsing: text, limits: bounds) { items.take($0) }
    guard isLenient || list.error?.kind != .syntax else { return list.error }
    feed.isComplete = list.isComplete
    describe(.object(list.object), into: &feed)
    guard feed.format != .unknown else { return list.error }
    items.finish(list, into: &feed)
    if !list.isComplete, let error = list.error, error.kind == .syntax {
      feed.diagnostics.append(.cutDocument(at: TextPlace(of: error.range.lowerBound, in: text)))
    }
    return list.error
  }

  private func describe(_ value: JSONValue, into feed: inout ParsedFeed) {
    guard let version = value["version"]?.string else { return }
    let isDeclared = version.contains("jsonfeed.org/version/1")
    // Some feeds give the bare number; with a list of items it is still a JSON Feed.
    guard isDeclared || version.hasPrefix("1") && value["items"]?.array != nil else { return }
    feed.format = version.hasSuffix("1.1") ? .jsonFeed11 : .jsonFeed10
    feed.wellFormed = isDeclared
    feed.recovered = !isDeclared
    if !isDeclared {
      feed.diagnostics.append(
        Diagnostic(FeedRule.jsonShape, "'version' is '\(version.prefix(40))', not the URL of a version"))
    }
    feed.title = value["title"]?.text
    feed.siteURL = value["home_page_url"]?.link(against: base)
    feed.feedURL = value["feed_url"]?.link(against: base)
    feed.description = value["description"]?.text
    feed.language = value["language"]?.text
    feed.isExpired = value["expired"]?.bool == true
    feed.imageURL = value["icon"]?.link(against: base) ?? value["favicon"]?.link(against: base)
  }
}

extension ParsedFeed {
  /// Writes the object that `feed inspect` prints for one input, without absent values, on one line, part by part, so that
  /// a large feed's output is never in memory as a whole.
  package func writeJSON(
    input: String, beside more: JSONObject, to write: (String) throws -> Void
  ) rethrows {
    try write(String(head(input: input).adding(more).text().dropLast()) + ",\"items\":[")
    for (index, item) in items.enumerated() {
      try write((index == 0 ? "" : ",") + item.json.text())
    }
    try write("],\"diagnostics\":" + JSONValue.array(diagnostics.map(\.json)).text() + "}")
  }

  private func head(input: String) -> JSONValue {
    .object([
      "input": input.json, "format": format.rawValue.json, "wellFormed": wellFormed.json,
      "recovered": recovered.json, "encoding": encoding.json, "title": title?.json, "siteURL": siteURL?.json,
      "feedURL": feedURL?.json, "description": description?.json, "language": language?.json,
      "imageURL": imageURL?.json, "ttlSeconds": ttl?.components.seconds.json,
      "updated": updated?.iso8601.json, "newFeedURL": newFeedURL?.json, "expired": isExpired ? true : nil,
    ])
  }
}

extension FeedItem {
  package var json: JSONValue {
    .object([
      "id": id.json, "title": title?.json, "url": url?.json, "published": published?.iso8601.json,
      "updated": updated?.iso8601.json, "author": author?.json, "summary": summary?.json,
      "contentLength": contentLength.json,
    ])
  }
}
