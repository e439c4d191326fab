internal import Catalog
internal import Diagnostics
internal import XMLReading

/// Collects entries and findings from the XML events of an OPML file.
final class OPMLReader {
  private(set) var file = OPMLFile()
  private(set) var isOPML = false
  private let source: SourceText
  private let isRepaired: Bool
  private let trusts: Bool
  private var root: SourceRange?
  private var hasBody = false
  private var firstOutside: SourceRange?
  /// The names of the open elements.
  private var open: [String] = []
  private var isInTitle = false
  /// The maximum number of findings of each rule.
  private var reported: [CurationRule: Int] = [:]
  private static let maxFindings = 50

  typealias Folder = (name: String, range: SourceRange)

  /// An outline whose end was not read yet.
  private struct OpenOutline {
    let outline: OPMLOutline
    /// What it is if it has children; `nil` for no folder.
    let folder: Folder?
    var hasChildren = false
    /// Its attributes are not those that the file means.
    var isBroken = false
    /// The number of entries before it, where it is one.
    var entry: Int?

    /// Whether its start counted it: as unusable, or as an entry.
    var isCounted: Bool { isBroken || outline.feedAddress != nil }
  }

  /// The open outlines, from the outermost.
  private var pending: [OpenOutline] = []
  /// The file was not read to the end of its root element.
  private(set) var isCut = false

  /// - Parameters:
  ///   - isRepaired: the file is not well-formed, and is read after a repair.
  ///   - trusts: the texts of an export of this tool are not cleaned.
  init(source: SourceText, isRepaired: Bool, trusts: Bool) {
    self.source = source
    self.trusts = trusts
    self.isRepaired = isRepaired
  }

  func receive(_ event: MarkupEvent, at place: MarkupPlace) -> XMLElementDecision {
    switch event {
    case .start(let name, let attributes): return start(name.lowercased(), attributes, place)
    case .text(let text):
      if isInTitle, open.count == 3 { file.title = (file.title ?? "") + text }
    case .end: end(isMissing: place.isCorrected)
    }
    return .read
  }

  /// Leaves out the innermost outline that has no end, because the file may be cut within it. An outline with others in it
  /// is a folder of those.
  func finish() {
    isCut = !open.isEmpty
    if let last = pending.last, last.entry != nil || !last.hasChildren && !last.isCounted {
      if let entry = last.entry { file.entries.remove(at: entry) }
      skip(.cut)
      pending.removeLast()
    }
    file.folders += pending.count { $0.entry == nil && !$0.isCounted }
    pending = []
    open = []
  }

  /// The finding about a file that has no outlines, or has some outside its body.
  var structureFinding: Diagnostic? {
    guard file.outlines > 0 else {
      return Diagnostic(CurationRule.structure, "the file has no outlines", at: root)
    }
    return firstOutside.map {
      Diagnostic(
        CurationRule.structure,
        hasBody ? "the outline is outside the body" : "the file has no body around its outlines", at: $0)
    }
  }

  // MARK: Elements

  private func start(_ name: String, _ attributes: [MarkupAttribute], _ place: MarkupPlace)
    -> XMLElementDecision
  {
    if name == "opml", !isOPML {
      isOPML = true
      root = source.line(place.line)
    }
    guard name == "outline" else {
      isInTitle = name == "title"
      if name == "body" { hasBody = true }
      open.append(name)
      return .read
    }
    file.outlines += 1
    let outline = OPMLOutline(attributes, trusts: trusts, at: source.line(place.line))
    if firstOutside == nil, !open.contains("body") { firstOutside = outline.range }
    if outline.isComment {
      skip(.comment)
      return .skip
    }
    if let last = pending.indices.last { pending[last].hasChildren = true }
    // A feed with outlines in it is a folder as well, but not where it is an end tag that is missing.
    let isFolder = !place.isCorrected && !(isRepaired && outline.isFeed)
    let folder: Folder? = isFolder ? outline.name.map { ($0, outline.range) } : nil
    open.append(name)
    pending.append(OpenOutline(outline: outline, folder: folder, isBroken: place.isCorrected))
    guard !place.isCorrected else {
      file.unusable += 1
      report(.brokenOutline, "the tag of the outline\(Self.name(of: outline)) is broken off", outline)
      return .read
    }
    if let slug = outline.collection {
      file.collections[slug] = outline.values(of: OPMLVocabulary.collectionFields, keepsLines: true)
    }
    if outline.feedAddress != nil { take(outline) }
    return .read
  }

  private func end(isMissing: Bool) {
    isInTitle = false
    let folders = path
    guard open.popLast() == "outline", let last = pending.popLast(), !last.isBroken else { return }
    if isMissing {
      report(
        .brokenOutline, "the outline\(Self.name(of: last.outline)) has no end tag", last.outline,
        help: "Add its end tag, and look which folder the outlines after it are in.")
    }
    guard last.outline.feedAddress == nil else { return }
    if last.hasChildren { file.folders += 1 } else { takeLeaf(last.outline, in: folders) }
  }

  private static func name(of outline: OPMLOutline) -> String { outline.name.map { " '\($0)'" } ?? "" }

  /// The folders around the innermost open outline.
  private var path: [Folder] { pending.dropLast().compactMap(\.folder) }

  // MARK: Outlines

  private func take(_ outline: OPMLOutline) {
    file.unknownAttributes += outline.unknownAttributes
    if let misspelled = outline.misspelled {
      report(.attributeCase, "'\(misspelled.written)' is spelled '\(misspelled.meant)' in OPML", outline)
    }
    guard let (url, hasFeedScheme) = outline.usableAddress else {
      file.unusable += 1
      return report(.badAddress, Self.problem(with: outline.feedAddress ?? ""), outline)
    }
    if hasFeedScheme {
      report(.feedScheme, "the address begins with 'feed:' and is read as '\(url)'", outline)
    }
    var entry = outline.entry(in: path)
    entry.feedURL = url
    entry.category = pending.dropLast().last?.outline.category
    entry.collection = pending.dropLast().last?.outline.collection
    if let language = outline.language, entry.seed.values["language"] == nil {
      report(.badLanguage, "'\(language)' is not an ISO 639-1 language", outline)
    }
    if let text = outline.text, let title = outline.title, text != title, !text.isEmpty, !title.isEmpty {
      report(
        .otherName, "the outline names the feed '\(text)', but its publisher names it '\(title)'", outline)
    }
    pending[pending.count - 1].entry = file.entries.count
    file.entries.append(entry)
  }

  private static func problem(with address: String) -> String {
    let start = "the feed address '\(address)'"
    let isWeb = ["http://", "https://"].contains { address.lowercased().hasPrefix($0) }
    let text = address.hasBlanks ? address : TitleCleaner.encoded(address)
    guard isWeb, let problem = WebAddress.problem(with: text) else {
      return "\(start) is not an http or https address"
    }
    return "\(start) cannot be used: \(problem)"
  }

  /// An outline without a feed's address and without children.
  private func takeLeaf(_ outline: OPMLOutline, in folders: [Folder]) {
    if outline.isInclude {
      skip(.include)
      report(
        .notFollowed, "the list '\(outline.name ?? outline.url ?? "")' is another file and was not read",
        outline)
    } else if outline.isPageOnly {
      var entry = outline.entry(in: folders)
      entry.feedURL = nil
      file.entries.append(entry)
    } else if outline.url != nil || outline.isScraped {
      skip(.link)
      report(.notAFeed, "'\(outline.name ?? outline.url ?? "")' is a link, not a feed", outline)
    } else if outline.isFeed {
      file.unusable += 1
      report(
        .noAddress, "'\(outline.name ?? "an outline")' is a feed without an address", outline,
        help: "Add its address as xmlUrl.")
    } else {
      skip(.empty)
      let name = outline.name.map { "the outline '\($0)'" } ?? "an outline without a name"
      report(.unreadOutline, "\(name) has no address and nothing in it", outline)
    }
  }

  private func skip(_ reason: OPMLFile.Skip) { file.skips[reason, default: 0] += 1 }

  private func report(
    _ rule: CurationRule, _ message: String, _ outline: OPMLOutline, help: String? = nil
  ) {
    reported[rule, default: 0] += 1
    guard (reported[rule] ?? 0) <= Self.maxFindings else { return }
    file.diagnostics.append(Diagnostic(rule, message, at: outline.range, help: help))
  }
}

struct OPMLOutline {
  let range: SourceRange
  private var values: [String: String] = [:]
  /// The first attribute that is spelled in another case than OPML has it.
  private(set) var misspelled: (written: String, meant: String)?
  private(set) var unknownAttributes = 0
  /// `xmlUrl`, or `url` of an outline whose type is a feed's, without line breaks, tabs and blanks at its ends, which
  /// browsers ignore, too. Present but blank counts.
  private(set) var feedAddress: String?

  /// An export of this tool, which is trusted, has exact texts.
  private var isExact = false

  init(_ attributes: [MarkupAttribute], trusts: Bool, at range: SourceRange) {
    self.range = range
    for attribute in attributes {
      guard let meant = OPMLVocabulary.spellings[attribute.name.lowercased()] else {
        unknownAttributes += 1
        continue
      }
      if meant != attribute.name, misspelled == nil { misspelled = (attribute.name, meant) }
      if values[meant] == nil { values[meant] = attribute.value }
    }
    isExact = trusts && (slug ?? collection ?? category) != nil
    let written =
      isScraped ? nil : values["xmlUrl"] ?? (["rss", "atom"].contains(type) ? values["url"] : nil)
    let isPlain = written?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ?? true
    feedAddress = isPlain ? written : written?.filter { !$0.isNewline && $0 != "\t" }.trimmingWhitespace
  }

  private subscript(name: String) -> String? { values[name].flatMap(\.nonEmpty) }

  var collection: String? { self[OPMLVocabulary.collection].flatMap { Slug.isValid($0) ? $0 : nil } }
  var category: String? { self[OPMLVocabulary.category].flatMap { Slug.isValid($0) ? $0 : nil } }
  /// The slug that an export of this tool gives a feed.
  private var slug: String? { self["celestra:slug"] }
  var isComment: Bool { self["isComment"]?.lowercased() == "true" }
  var url: String? { self["url"] }
  var text: String? { self["text"].map(plain) }
  var title: String? { self["title"].map(plain) }
  var language: String? { self["language"] }

  /// `text`, or else `title`. A blank name counts as absent.
  var name: String? {
    [text, title].compactMap(\.self).first { !$0.isEmpty }.map {
      isExact ? $0 : TitleCleaner.shortened($0, to: 500)
    }
  }

  private func plain(_ text: String) -> String {
    isExact ? OPMLExport.text(ofHTML: text) : TitleCleaner.plain(text)
  }

  private var type: String { (self["type"] ?? "").lowercased() }

  /// FreshRSS writes such types for pages and interfaces that it makes feeds of itself. **L**
  var isScraped: Bool { type.hasSuffix("+xpath") || type.hasSuffix("+dotnotation") }

  var isFeed: Bool { !isScraped && (["rss", "atom"].contains(type) || values["xmlUrl"] != nil) }

  /// The feed's address without `feed:`, and whether it began so; `nil` if it is not an http or https address, or has
  /// blanks in it.
  var usableAddress: (url: String, hasFeedScheme: Bool)? {
    guard let address = feedAddress, !address.hasBlanks else { return nil }
    let plain = FeedURLComparisonKey.withoutFeedScheme(address)
    return TitleCleaner.address(plain).map { ($0, plain != address) }
  }

  var isInclude: Bool {
    type == "include" || (type == "link" && url?.lowercased().hasSuffix(".opml") == true)
  }
  var isPageOnly: Bool { self["htmlUrl"] != nil && !isInclude }

  func entry(in folders: [OPMLReader.Folder]) -> OPMLFile.Entry {
    var values = self.values(of: OPMLVocabulary.fields, keepsLines: slug != nil)
    let (tags, texts) = self.tags
    if !tags.isEmpty { values["tags"] = .array(tags.map(JSONValue.string)) }
    return OPMLFile.Entry(
      name: name, feedURL: nil, seed: SeedFeed(values), categories: texts, folders: folders.map(\.name),
      folderRange: folders.last?.range, range: range)
  }

  /// The values of attributes.
  ///
  /// - Parameter keepsLines: the outline is of an export of this tool, whose texts keep their lines.
  func values(of fields: [(name: String, field: SeedField)], keepsLines: Bool) -> SeedValues {
    var values = SeedValues()
    for (name, field) in fields {
      if isExact, field.form == .text {
        values[field.key] = self.values[name].map { .string(plain($0)) }
      } else if let value = self[name].flatMap({ field.value(opml: $0, keepsLines: keepsLines) }) {
        values[field.key] = value
      }
    }
    return values
  }

  /// The items of `category` are separated by commas. An item with slashes is a path, whose parts are all tags.
  private var tags: (made: [String], texts: [String]) {
    let exact = self[OPMLVocabulary.exactTags]
    let items = (exact ?? self["category"] ?? "").split(separator: ",")
    let texts = (exact == nil ? items.flatMap { $0.split(separator: "/") } : items).map(String.init)
    let made = texts.compactMap {
      exact != nil && SeedValueRules.tag($0) == nil ? $0 : FolderTagName.made(from: $0)
    }
    return (made.unique, texts)
  }
}

extension String {
  /// Whether it has white space that an address cannot have.
  fileprivate var hasBlanks: Bool { utf8.contains { $0 <= 0x20 } }
}
