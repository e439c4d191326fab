internal import PositionedJSON

/// Reads JSON Feed 1.0 and 1.1 (jsonfeed.org/version/1.1).
struct JSONFeedReader {
  let limits: FeedLimits
  private let base: LinkBase?

  init(limits: FeedLimits, baseURL: String?) {
    self.limits = limits
    base = baseURL.flatMap(LinkBase.init)
  }

  static func looksLikeJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let wide: Set<UInt8> = [0, 0xFF, 0xFE]
    return bytes[start...].first { !$0.isSpace && !wide.contains($0) }.map {
      $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[")
    } ?? false
  }

  /// Values a document may hold before reading it would take more memory than it deserves.
  private static let valueLimit = 120_000

  func read(_ bytes: consuming [UInt8], _ contentType: ContentType?) -> ParsedFeed {
    var feed = ParsedFeed()
    var text = decode(bytes, contentType, &feed)
    switch text.withUnsafeBufferPointer({ JSONItems.end(in: $0, values: Self.valueLimit) }) {
    case .none: break
    case .after(let end):
      text.replaceSubrange(end..., with: "]}".utf8)
      feed.diagnostics.append(FeedFinding(.tooManyItems, "only the first items were read"))
    case .tooMany:
      feed.diagnostics.append(
        FeedFinding(.tooManyItems, "the JSON holds more than \(Self.valueLimit) values"))
      return feed
    }
    do throws(JSONSyntaxError) {
      let value = try JSONValue(parsing: text, limits: JSONLimits(depth: limits.jsonDepth))
      // Not held beside its values and the texts of the items.
      text = []
      read(value, into: &feed)
    } catch {
      feed.diagnostics.append(FeedFinding(.illFormed, error.description))
      readMended(consume text, into: &feed)
    }
    return feed
  }

  /// What a lenient reader makes of a document that is no JSON. Each form of the text is gone when the next is made.
  private func readMended(_ text: consuming [UInt8], into feed: inout ParsedFeed) {
    let isUTF8 = text.withUnsafeBufferPointer(EncodingDetector.isUTF8)
    let mended = JSONRepair.mend(isUTF8 ? text : transcoded(text, &feed))
    let limits = JSONLimits(depth: limits.jsonDepth)
    // Why it is no JSON has been said.
    guard let value = try? JSONValue(parsing: mended, limits: limits) else { return }
    read(value, into: &feed)
    feed.wellFormed = false
    feed.recovered = feed.format != .unknown
  }

  /// Text in some other encoding than UTF-8, as far as a document may be long.
  private func transcoded(_ text: consuming [UInt8], _ feed: inout ParsedFeed) -> [UInt8] {
    var converted: [UInt8] = []
    text.withUnsafeBufferPointer { bytes in
      let used = EncodingDetector.detect(bytes, declared: .utf8)
      feed.diagnostics.append(FeedFinding(.encodingMismatch, "is not in utf-8; read as \(used.name)"))
      feed.encoding = used.name
      guard let transcoder = Transcoder(used) else { return }
      converted.reserveCapacity(min(bytes.count * 2, limits.bytes))
      for start in stride(from: 0, to: bytes.count, by: 64 << 10) where converted.count < limits.bytes {
        let piece = bytes[start..<min(start + (64 << 10), bytes.count)]
        transcoder.convert(UnsafeBufferPointer(rebasing: piece), into: &converted)
      }
      transcoder.finish(into: &converted)
    }
    return converted
  }

  private func decode(_ bytes: consuming [UInt8], _ contentType: ContentType?, _ feed: inout ParsedFeed)
    -> [UInt8]
  {
    let choice = bytes.withUnsafeBufferPointer { EncodingSniffer(contentType: contentType).choose($0) }
    feed.encoding = choice.encoding.name
    feed.declaredEncoding = choice.declared?.name
    guard !choice.encoding.isUTF8, let transcoder = Transcoder(choice.encoding) else {
      return choice.markLength == 0 ? bytes : Array(bytes.dropFirst(choice.markLength))
    }
    var text: [UInt8] = []
    bytes.withUnsafeBufferPointer {
      transcoder.convert(UnsafeBufferPointer(rebasing: $0[choice.markLength...]), into: &text)
    }
    transcoder.finish(into: &text)
    return text
  }

  private func read(_ value: JSONValue, into feed: inout ParsedFeed) {
    guard let object = value.object, let version = value["version"]?.string else { return }
    let isDeclared = version.contains("jsonfeed.org/version/1")
    // Some write the bare number; a list of items leaves no doubt about what is meant.
    guard isDeclared || version.hasPrefix("1") && value["items"]?.array != nil else { return }
    feed.format = version.hasSuffix("1.1") ? .jsonFeed11 : .jsonFeed10
    feed.wellFormed = isDeclared
    feed.recovered = !isDeclared
    if !isDeclared {
      feed.diagnostics.append(
        FeedFinding(.jsonShape, "'version' is '\(version.prefix(40))', not the address of a version"))
    }
    feed.title = value["title"]?.string?.nonEmpty
    feed.siteURL = link(value["home_page_url"])
    feed.feedURL = link(value["feed_url"])
    feed.description = value["description"]?.string?.nonEmpty
    feed.language = value["language"]?.string?.nonEmpty
    feed.imageURL = link(value["icon"]) ?? link(value["favicon"])
    // Version 1.1: an item without authors has those of the feed.
    readItems(object["items"], author: author(value), into: &feed)
  }

  private func readItems(_ value: JSONValue?, author: String?, into feed: inout ParsedFeed) {
    var findings = Findings()
    guard let elements = value?.array else {
      findings.add(.jsonShape, "'items' is \(value?.kindName ?? "missing"), not a list")
      feed.wellFormed = false
      feed.recovered = true
      feed.diagnostics += findings.list
      return
    }
    var texts = ByteBuffer()
    var items = ItemTable()
    for element in elements.prefix(limits.items) {
      guard element.object != nil else {
        findings.add(.jsonShape, "an item is \(element.kindName), not an object")
        continue
      }
      add(element, to: &items, &texts, &findings)
    }
    if let author, author.utf8.count <= ItemTable.inheritedAuthorLimit {
      items.inherit(author: texts.add(author))
    }
    feed.items = items.items(texts: texts)
    if elements.count > limits.items {
      findings.add(
        .tooManyItems, "\(elements.count - limits.items) items after the first \(limits.items) were not kept")
    }
    feed.diagnostics += findings.list
  }

  private func add(
    _ value: JSONValue, to items: inout ItemTable, _ texts: inout ByteBuffer, _ findings: inout Findings
  ) {
    var item = ItemRecord()
    let title = value["title"]?.string?.nonEmpty
    let url = link(value["url"]) ?? link(value["external_url"])
    let summary = value["summary"]?.string?.nonEmpty
    item.title = texts.add(title)
    item.url = texts.add(url)
    item.published = date(value["date_published"], &findings)
    item.updated = date(value["date_modified"], &findings)
    item.author = texts.add(author(value))
    item.summary = texts.add(summary)
    let content = value["content_html"]?.string ?? value["content_text"]?.string ?? summary
    item.contentLength = content?.nonEmpty?.utf8.count ?? 0
    for enclosure in (value["attachments"]?.array ?? []).lazy.compactMap(enclosure)
    where items.admitsEnclosure(item) {
      items.add(EnclosureRecord(enclosure, in: &texts), to: &item)
    }
    let declared = identity(value["id"])
    item.idIsDeclared = declared != nil
    if declared == nil, url != nil {
      item.id = item.url
    } else {
      let file = items.enclosures(of: item).first.map { String(decoding: texts[$0.url], as: UTF8.self) }
      item.id = texts.add(declared ?? ItemTable.derivedID(title: title, summary: summary, enclosure: file))
    }
    items.append(item)
  }

  /// Version 1 asks readers to take a number for the text it would be written as.
  private func identity(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text): text.nonEmpty
    case .integer(let number): String(number)
    case .double(let number): String(number)
    default: nil
    }
  }

  private func author(_ value: JSONValue) -> String? {
    let author = value["authors"]?.array?.first ?? value["author"]
    return (author?["name"] ?? author)?.string?.nonEmpty
  }

  private func date(_ value: JSONValue?, _ findings: inout Findings) -> FeedDate? {
    guard let text = value?.string?.nonEmpty else { return nil }
    let date = FeedDate(text)
    if date == nil { findings.add(.unreadableDate, "'\(text.prefix(60))' is not a date") }
    return date
  }

  private func enclosure(_ value: JSONValue) -> FeedEnclosure? {
    guard let url = link(value["url"]) else { return nil }
    return FeedEnclosure(url: url, type: value["mime_type"]?.string, length: value["size_in_bytes"]?.integer)
  }

  private func link(_ value: JSONValue?) -> String? {
    value?.string?.nonEmpty.map { Link.resolve($0, against: base) }
  }
}
