internal import Diagnostics
internal import XMLReading

final class XMLFeedPass {
  private let builder: UnsafeMutablePointer<FeedBuilder>
  let reader: XMLReader
  private let limits: XMLLimits

  init(limits: FeedLimits, baseURL: String?, recovers: Bool) {
    builder = .allocate(capacity: 1)
    builder.initialize(to: FeedBuilder(limits: limits, baseURL: baseURL))
    var bounds = XMLLimits()
    bounds.tag = limits.startTag
    bounds.depth = limits.depth
    self.limits = bounds
    reader = XMLReader(Self.handlers(builder), limits: bounds, recovers: recovers)
  }

  deinit {
    builder.deinitialize(count: 1)
    builder.deallocate()
  }

  var isHTML: Bool { builder.pointee.findings.contains(.htmlPage) }

  static let lists: XMLRepair.Lists = (
    items: ["item", "entry"], containers: ["channel", "feed", "items", "rdf:rdf", "rss"]
  )

  /// The feed as far as it was read, with the findings of this pass. Call once.
  func takeFeed() -> ParsedFeed {
    report()
    return builder.pointee.finish()
  }

  // MARK: Findings

  /// Puts the findings in the order of the document: prolog, elements, then the document as a whole.
  private func report() {
    var findings = FeedFindingList()
    reportProlog(&findings)
    for finding in builder.pointee.findings.list { findings.add(finding) }
    if reader.isOverExpanded {
      findings.add(.entityExpansion, "the entities that the document declares expand to too much text")
    }
    if reader.prolog?.isHTML == true, builder.pointee.feed.format == .unknown {
      findings.add(.htmlPage, "this is an HTML page, not a feed")
    }
    if let finding = exceededLimit { findings.add(finding) }
    if isCut { findings.add(.cutDocument(at: reader.place)) }
    if let name = reader.undefinedEntity {
      findings.add(.undefinedEntity, "'&\(name);' is used but not declared")
    }
    if reader.hasUndeclaredPrefix {
      findings.add(.undeclaredPrefix, "a namespace prefix is used but not declared")
    }
    builder.pointee.findings = findings
  }

  private func reportProlog(_ findings: inout FeedFindingList) {
    if reader.prolog?.hasExternal == true {
      findings.add(
        .externalDeclaration, "declares something outside the document, which is never fetched")
    }
    if reader.prolog?.hasNestedEntities == true {
      findings.add(
        .entityExpansion, "declares entities made of other entities or markup, which are not expanded")
    }
    if reader.status == .doctypeTooLong {
      findings.add(.entityExpansion, "its document type declaration is longer than the limit")
    }
  }

  /// The document ends before its root element does. A limit that ended the reading has its own finding.
  private var isCut: Bool {
    reader.status == .reading && builder.pointee.feed.format != .unknown && !builder.pointee.reachedEnd
  }

  private var exceededLimit: Diagnostic? {
    let sentence: String
    var rule = FeedRule.startTagTooLong
    switch reader.status {
    case .tagTooLong: sentence = "a tag is longer than the limit"
    case .tooManyAttributes: sentence = "the tags of the document have more attributes than the limit"
    case .tooManyNamespaces: sentence = "a tag declares more namespaces than the limit"
    case .tooManyNames: sentence = "the document has more distinct names than the limit"
    case .tooDeep:
      rule = .tooDeep
      sentence = "elements are nested deeper than \(limits.depth) levels"
    case .reading, .illFormed, .doctypeTooLong, .stopped: return nil
    }
    return Diagnostic(rule, "\(sentence); reading ended at \(reader.place)")
  }

  // MARK: Handlers

  private static func handlers(_ builder: UnsafeMutablePointer<FeedBuilder>) -> XMLHandlers {
    XMLHandlers(
      context: UnsafeMutableRawPointer(builder), text: builder.pointee.capture.text,
      code: { context, tag in
        guard let context else { return ElementMeaning.unknown.code }
        return context.assumingMemoryBound(to: FeedBuilder.self).pointee.meaning(of: XMLElement(tag)).code
      },
      start: { context, tag in
        guard let context else { return XMLElementDecision.stop.code }
        return context.assumingMemoryBound(to: FeedBuilder.self).pointee.start(XMLElement(tag)).code
      },
      end: { context in
        guard let context else { return }
        context.assumingMemoryBound(to: FeedBuilder.self).pointee.end()
      })
  }
}
