package import Catalog
package import Diagnostics
internal import XMLReading

package struct OPMLFile: Sendable {
  /// One outline with a feed's or a page's address.
  package struct Entry: Sendable, Equatable {
    /// The name that the feed has in the reader; `nil` if it has none.
    package var name: String?
    /// Absolute and spelled as the catalog takes it; `nil` for an outline that has only a page.
    package var feedURL: String?
    /// The other values that its attributes have, without title, feed URL and category.
    package var seed: SeedFeed
    /// The parts of its attribute `category`, as written.
    var categories: [String] = []
    /// The names of the folders that it is in, from the outermost.
    package var folders: [String]
    /// Where the innermost of them begins.
    var folderRange: SourceRange?
    /// The slugs that an export of this tool gives the innermost folder.
    var category: String?
    var collection: String?
    package var range: SourceRange

    /// An export of this tool wrote it.
    var isExported: Bool { !seed.slug.isEmpty }
  }

  /// Why an outline was left out. The text says what it is.
  package enum Skip: String, Sendable, CaseIterable {
    case repeated = "the file lists the feed again"
    case include = "the list is in another file"
    case link = "a link, not a feed"
    case comment = "a comment"
    case empty = "no address and nothing in it"
    case cut = "the file is cut off in it"
  }

  package internal(set) var title: String?
  /// What exports of this tool say of collections, by slug.
  var collections: [String: SeedValues] = [:]
  package internal(set) var entries: [Entry] = []
  package internal(set) var outlines = 0
  package internal(set) var folders = 0
  /// Outlines that are neither folders nor feeds, by what they are.
  package internal(set) var skips: [Skip: Int] = [:]
  package var skipped: Int { skips.values.reduce(0, +) }
  /// Outlines that should be feeds and cannot be used.
  package internal(set) var unusable = 0
  /// Attributes that no rule reads.
  package internal(set) var unknownAttributes = 0
  /// In reading order.
  package internal(set) var diagnostics: [Diagnostic] = []

  /// Bytes that are read of one file.
  package static let sizeLimit = 32 << 20

  /// Reads a file in any encoding, OPML 1.0, 1.1 or 2.0. Nothing is thrown: what cannot be read is a finding.
  ///
  /// - Parameter trusts: the texts of an export of this tool are not cleaned.
  package init(name: String, _ bytes: [UInt8], trusts: Bool = false) {
    guard bytes.count <= OPMLFile.sizeLimit else {
      diagnostics = [
        Diagnostic(CurationRule.tooLarge, "\(name) is larger than \(OPMLFile.sizeLimit >> 20) MiB")
      ]
      return
    }
    let (text, mismatch) = DecodedText.decoded(bytes)
    let source = SourceText(name: name, bytes: text)
    var limits = XMLLimits()
    limits.depth = 64
    limits.attributes = 4_000_000
    let box = Box()
    let outcome = XMLEvents(limits: limits).read(
      text, contentType: ContentType("text/xml; charset=utf-8")
    ) {
      let reading = OPMLReader(source: source, isRepaired: box.reading != nil, trusts: trusts)
      box.reading = reading
      return { event, place in reading.receive(event, at: place) }
    }
    guard let reading = box.reading else { return }
    reading.finish()
    self = reading.file
    if reading.isOPML, let mismatch {
      diagnostics.append(Diagnostic(CurationRule.encodingMismatch, mismatch, at: source.line(1)))
    }
    report(outcome, reading, name: name, source: source)
  }

  init() {}

  /// The pass that was read last.
  private final class Box { var reading: OPMLReader? }

  private mutating func report(
    _ outcome: XMLEvents.Outcome, _ reading: OPMLReader, name: String, source: SourceText
  ) {
    if let error = outcome.error, reading.isOPML {
      diagnostics.report(
        CurationRule.brokenXML, "the file is not well-formed: \(error.message)", at: source.line(error.line))
    }
    if outcome.status == .reading, reading.isOPML, reading.isCut {
      diagnostics.report(
        CurationRule.cutFile,
        "the file stops at \(outcome.end), before its opml element ends; what is open there is left out",
        at: source.line(outcome.end.line))
    }
    if let entity = outcome.undefinedEntity.map({ "&\($0);" }), reading.isOPML {
      let place = source.bytes.firstRange(of: Array(entity.utf8))
      diagnostics.report(
        CurationRule.undefinedEntity, "XML does not define the entity '\(entity)'",
        at: place.map(source.range) ?? source.line(1))
    }
    switch outcome.status {
    case .reading, .illFormed:
      guard !reading.isOPML else {
        if let finding = reading.structureFinding { diagnostics.append(finding) }
        break
      }
      diagnostics.report(
        CurationRule.notOPML, "\(name) is not OPML: it has no opml element",
        help: "Export the list of feeds from the reader once more, as OPML.")
    default:
      diagnostics.append(
        Diagnostic(CurationRule.tooLarge, "the file exceeds a limit: \(outcome.status.sentence)"))
    }
    diagnostics = diagnostics.sortedForReading()
  }
}

extension XMLStatus {
  fileprivate var sentence: String {
    switch self {
    case .tooDeep: "outlines are nested too deeply"
    case .tagTooLong: "a tag is longer than 64 KiB"
    case .tooManyAttributes: "it has too many attributes"
    case .tooManyNamespaces, .tooManyNames: "it has too many names"
    case .doctypeTooLong: "its document type declaration is too long"
    default: "its entities are too long"
    }
  }
}

/// A document in UTF-8, so that its places can be shown.
enum DecodedText {
  /// Returns the text, and what is wrong with the declared encoding; `nil` if it is the encoding of the text.
  static func decoded(_ bytes: [UInt8]) -> (text: [UInt8], mismatch: String?) {
    bytes.withUnsafeBufferPointer { buffer in
      let head = UnsafeBufferPointer(rebasing: buffer.prefix(EncodingSniffer.window))
      let choice = EncodingSniffer.choose(head, nil)
      let body = UnsafeBufferPointer(rebasing: buffer[choice.markLength...])
      var encoding = choice.encoding
      if EncodingDetector.isUTF8(body, labeled: encoding) { encoding = .utf8 }
      var text = ByteBuffer()
      let used = Transcoder.decode(
        body, as: encoding, isValid: Transcoder.isValid(body, in: encoding), upTo: 2 * bytes.count,
        into: &text)
      let mismatch = mismatch(choice, used)
      let isRead = text.count > 0
      return (isRead ? Array(text.bytes) : Array(String(decoding: body, as: UTF8.self).utf8), mismatch)
    }
  }

  private static func mismatch(_ choice: EncodingSniffer.Choice, _ used: EncodingLabel) -> String? {
    // "utf-16" may mean either order of bytes.
    let isKept = choice.declared.map { $0.name.prefix(6) == choice.encoding.name.prefix(6) } ?? true
    guard used != choice.encoding || !isKept else { return nil }
    let declared = choice.declared.map { "the encoding '\($0.name)'" } ?? "no encoding"
    return "the file declares \(declared) and is read as '\(used.name)'"
  }
}

extension SourceText {
  /// The first of a line without its indentation, by its number from 1. A file may be one line of megabytes, which is
  /// not searched for its end.
  func line(_ number: Int) -> SourceRange {
    let line = lineRange(around: lineStart(number), reach: 200)
    let first = bytes[line].firstIndex { $0 > 0x20 } ?? line.lowerBound
    return range(first..<line.upperBound)
  }
}

enum OPMLVocabulary {
  /// In the order of the table of seed fields.
  static let fields = attributes(of: .feed)
  static let collectionFields = attributes(of: .collection)
  /// By the spelling in lower case.
  static let spellings: [String: String] = (outline + (fields + collectionFields).map(\.name)).keyed {
    $0.lowercased()
  }

  /// Tags that the attribute `category` would change, because a slash separates the parts of a path there.
  static let exactTags = "celestra:tags"
  /// On a folder: the slug of the collection that it is.
  static let collection = "celestra:collection"
  /// On a folder: the slug of the category that it is.
  static let category = "celestra:category"

  private static let outline = [
    "text", "title", "type", "xmlUrl", "url", "category", "version", "created", "isComment", "isBreakpoint",
    exactTags, collection, category,
  ]

  private static func attributes(of kind: SeedKind) -> [(name: String, field: SeedField)] {
    SeedFields.celestra[kind].compactMap { row in row.opmlName.map { ($0, row) } }
  }
}

extension SeedField {
  /// The value of an OPML attribute; `nil` for a text that no seed may have.
  func value(opml text: String, keepsLines: Bool) -> JSONValue? {
    switch form {
    case .flag: text == "true" ? true : text == "false" ? false : nil
    case .integer: Int64(text).map(JSONValue.integer)
    case .text:
      (keepsLines
        ? text.split(separator: "\n", omittingEmptySubsequences: false).map { TitleCleaner.plain(String($0)) }
          .joined(separator: "\n") : TitleCleaner.plain(text)).nonEmpty.map(JSONValue.string)
    case .address: TitleCleaner.address(text).map(JSONValue.string)
    case .language: LanguageCodes.code(text).map(JSONValue.string)
    case .reference: Slug.isValid(text) ? .string(text) : nil
    case .slug, .recordName, .icon, .color: accepts(text) ? .string(text) : nil
    case .tags, .slugs, .references:
      .array(text.split(separator: ",").map(String.init).filter(accepts).map(JSONValue.string))
    }
  }

  /// The text of an OPML attribute; `nil` for an empty list.
  func opml(_ value: JSONValue) -> String? {
    switch value {
    case .array: value.strings.isEmpty ? nil : value.strings.joined(separator: ",")
    case .string(let text): text
    default: value.text()
    }
  }
}
