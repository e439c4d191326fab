internal import LibXML2Shim

/// One pass of libxml2's push parser over a document in UTF-8, feeding a ``FeedBuilder``.
final class XMLReader {
  private let builder: UnsafeMutablePointer<State>
  private let parser: OpaquePointer?
  private let depth: Int
  private var head: [UInt8]? = []
  private(set) var status = feed_xml_ok
  /// Feeds have been seen with HTML's declaration, so that alone does not decide.
  private var isDeclaredHTML = false

  /// What the handlers reach through one pointer.
  struct State: ~Copyable {
    var builder: FeedBuilder
    var parser: OpaquePointer?
    var undefinedEntity: String?
    /// Bytes that the document's own entities have stood for.
    var expanded = 0
  }

  /// - Parameter recovers: reads on after errors; otherwise the first one ends the pass.
  init(limits: FeedLimits, baseURL: String?, recovers: Bool) {
    builder = .allocate(capacity: 1)
    builder.initialize(to: State(builder: FeedBuilder(limits: limits, baseURL: baseURL)))
    let bounds = feed_xml_limits(
      tag: limits.startTag, depth: limits.depth, attributes: 250_000, namespaces: 128, names: 20_000)
    parser = feed_xml_create(Self.handlers(builder), recovers, bounds)
    depth = limits.depth
    builder.pointee.parser = parser
  }

  deinit {
    feed_xml_free(parser)
    builder.deinitialize(count: 1)
    builder.deallocate()
  }

  /// Takes the next piece. False when nothing more is wanted.
  func push(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard status == feed_xml_ok else { return false }
    guard var waiting = head else { return forward(bytes) }
    head = nil
    if waiting.isEmpty {
      takeProlog(bytes, isComplete: false)
    } else {
      waiting.append(contentsOf: bytes)
      waiting.withUnsafeBufferPointer { takeProlog($0, isComplete: false) }
    }
    return status == feed_xml_ok
  }

  func finish() {
    if let head { head.withUnsafeBufferPointer { takeProlog($0, isComplete: true) } }
    guard status == feed_xml_ok, let parser else { return }
    status = feed_xml_finish(parser)
  }

  /// Reads a document whose prolog was taken apart; `body` hands its text over piece by piece, until it is told
  /// that no more is wanted.
  func read(_ prolog: Prolog, body: (_ take: (UnsafeBufferPointer<UInt8>) -> Bool) -> Void) {
    head = nil
    builder.pointee.builder.entities = prolog.entities
    report(prolog)
    body(forward)
    finish()
  }

  var isHTML: Bool { builder.pointee.builder.findings.contains(.htmlPage) }

  /// The feed as far as it was read, with the findings of this pass.
  func takeFeed() -> ParsedFeed {
    report()
    return builder.pointee.builder.finish()
  }

  var errors: feed_xml_errors? { parser.map { feed_xml_get_errors($0) } }

  // MARK: The prolog

  private func takeProlog(_ bytes: UnsafeBufferPointer<UInt8>, isComplete: Bool) {
    guard let prolog = Prolog(bytes, isComplete: isComplete || bytes.count > Prolog.limit) else {
      head = Array(bytes)
      return
    }
    head = nil
    builder.pointee.builder.entities = prolog.entities
    report(prolog)
    if let fault = prolog.fault { return refuse(fault) }
    for range in prolog.kept { _ = forward(UnsafeBufferPointer(rebasing: bytes[range])) }
    _ = forward(UnsafeBufferPointer(rebasing: bytes[prolog.length...]))
  }

  /// libxml2 must not see any part of a declaration. After one without an end the second pass may find something;
  /// one that long belongs to no feed.
  private func refuse(_ fault: Prolog.Fault) {
    switch fault {
    case .unclosedDoctype: status = feed_xml_ill_formed
    case .longDoctype:
      status = feed_xml_stopped
      builder.pointee.builder.findings.add(
        .entityExpansion, "its document type declaration is longer than this tool reads")
    }
  }

  private func report(_ prolog: Prolog) {
    if prolog.hasExternal {
      builder.pointee.builder.findings.add(
        .externalDeclaration, "declares something outside the document, which is never fetched")
    }
    if prolog.hasNestedEntities {
      builder.pointee.builder.findings.add(
        .entityExpansion, "declares entities made of other entities or markup, which are not expanded")
    }
    isDeclaredHTML = prolog.isHTML
  }

  private func forward(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard status == feed_xml_ok, let parser, let base = bytes.baseAddress, !bytes.isEmpty else {
      return status == feed_xml_ok
    }
    status = feed_xml_push(parser, base, bytes.count)
    return status == feed_xml_ok
  }

  // MARK: Findings

  private func report() {
    if isDeclaredHTML, builder.pointee.builder.feed.format == .unknown {
      builder.pointee.builder.findings.add(.htmlPage, "this is an HTML page, not a feed")
    }
    if let finding = refusal { builder.pointee.builder.findings.add(finding.code, finding.message) }
    if let name = builder.pointee.undefinedEntity {
      builder.pointee.builder.findings.add(.undefinedEntity, "'&\(name);' is used and not declared")
    }
    if errors?.undeclared_prefix == true {
      builder.pointee.builder.findings.add(.undeclaredPrefix, "a namespace prefix is used and not declared")
    }
  }

  private var refusal: FeedFinding? {
    switch status {
    case feed_xml_tag_too_long: FeedFinding(.startTagTooLong, "a tag is longer than this tool reads")
    case feed_xml_too_many_attributes:
      FeedFinding(.startTagTooLong, "tags have more attributes than this tool reads")
    case feed_xml_too_many_namespaces:
      FeedFinding(.startTagTooLong, "a tag declares more namespaces than this tool reads")
    case feed_xml_too_many_names:
      FeedFinding(.startTagTooLong, "has more names than this tool reads")
    case feed_xml_too_deep: FeedFinding(.tooDeep, "elements are nested deeper than \(depth) levels")
    default: nil
    }
  }

  // MARK: Handlers

  private static func handlers(_ state: UnsafeMutablePointer<State>) -> feed_xml_handlers {
    feed_xml_handlers(
      user: UnsafeMutableRawPointer(state),
      text: state.pointee.builder.capture.text,
      meaning: { user, element in
        guard let user else { return Meaning.unknown.code }
        return user.assumingMemoryBound(to: State.self).pointee.builder.meaning(of: Element(element)).code
      },
      start: { user, element in
        guard let user else { return false }
        let state = user.assumingMemoryBound(to: State.self)
        let isWanted = state.pointee.builder.start(Element(element))
        if state.pointee.builder.isStopped, let parser = state.pointee.parser { feed_xml_stop(parser) }
        return isWanted
      },
      end: { user in
        guard let user else { return }
        user.assumingMemoryBound(to: State.self).pointee.builder.end()
      },
      entity: { user, name in
        guard let user else { return nil }
        return XMLReader.entity(user.assumingMemoryBound(to: State.self), String(cString: name))
      })
  }

  /// Far more than any feed needs, and too little to hurt.
  private static let expansionLimit = 256 << 10

  private static func entity(_ state: UnsafeMutablePointer<State>, _ name: String) -> UnsafePointer<UInt8>? {
    if let declared = state.pointee.builder.entities[name] {
      state.pointee.expanded += declared.count
      if state.pointee.expanded <= expansionLimit { return declared.text }
      state.pointee.builder.findings.add(
        .entityExpansion, "its own entities stand for more text than they should")
      if let parser = state.pointee.parser { feed_xml_stop_soon(parser) }
      return nil
    }
    state.pointee.undefinedEntity = state.pointee.undefinedEntity ?? name
    return HTMLEntities.text(name)?.utf8Start
  }
}
