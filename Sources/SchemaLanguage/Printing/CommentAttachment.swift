import Diagnostics

/// Decides which declaration each comment describes: the one that ends on the comment's line, otherwise the next
/// one in the same list, otherwise the end of the list.
package struct CommentAttachment: Sendable {
  /// A declaration that comments can belong to. Types, and their fields and grants, are identified by their index
  /// in the text.
  package enum Owner: Hashable, Sendable {
    case header
    case role(Int)
    case opening(Int)
    case field(Int, Int)
    case grant(Int, Int)
    case closing(Int)
    case end
  }

  private typealias Anchor = (owner: Owner, range: Range<Int>)

  private let source: SourceText
  /// The offset of the comma after the last declaration.
  private var separator = Int.max
  private var attached: [Owner: AttachedComments] = [:]
  private(set) var owners: [Owner] = []
  /// Whether an empty line separates the first comment from DEFINE SCHEMA.
  private(set) var isHeaderApart = false

  subscript(owner: Owner) -> AttachedComments { attached[owner]?.fitting ?? AttachedComments() }

  /// What the comments say of a declaration, without comment marks and directives; empty without one.
  package func words(_ owner: Owner) -> String { CommentText.words(self[owner]) }

  package init(_ parsed: ParsedSchema) {
    source = parsed.source
    guard !parsed.comments.isEmpty else { return }
    let anchors = Self.anchors(parsed)
    var next = 0
    var previousEnd = 0
    for comment in parsed.comments {
      while anchors[next].range.lowerBound < comment.range.lowerBound, next < anchors.count - 1 {
        next += 1
        separator = comma(between: anchors[next - 1], and: anchors[next])
      }
      attach(comment, after: next > 0 ? anchors[next - 1] : nil, before: anchors[next], previousEnd)
      previousEnd = comment.range.upperBound
    }
    if let last = parsed.comments.last(where: { $0.range.upperBound <= anchors[0].range.lowerBound }) {
      isHeaderApart = hasEmptyLine(last.range.upperBound..<anchors[0].range.lowerBound)
    }
  }

  /// All pieces in reading order; the last is the end of the file.
  private static func anchors(_ parsed: ParsedSchema) -> [Anchor] {
    let end = parsed.source.bytes.count
    var anchors: [Anchor] = parsed.roles.enumerated().map { (.role($0), $1.range) }
    for (place, type) in parsed.recordTypes.enumerated() {
      anchors.append((.opening(place), type.opening))
      anchors += type.fields.enumerated().map { (.field(place, $0), $1.range) }
      anchors += type.grants.enumerated().map { (.grant(place, $0), $1.range) }
      anchors.append((.closing(place), type.end..<max(type.end, type.range.upperBound)))
    }
    anchors.sort { $0.range.lowerBound < $1.range.lowerBound }
    return [(.header, parsed.headerRange)] + anchors + [(.end, end..<end)]
  }

  private mutating func attach(
    _ comment: Comment, after last: Anchor?, before next: Anchor, _ previousEnd: Int
  ) {
    if let last, isTrailing(comment, last, next) {
      owners.append(last.owner)
      attached[last.owner, default: AttachedComments()].trailing.append(line(comment, isApart: false))
    } else {
      owners.append(next.owner)
      let isFirst = attached[next.owner]?.leading.isEmpty ?? true
      let isApart = !isFirst && hasEmptyLine(previousEnd..<comment.range.lowerBound)
      attached[next.owner, default: AttachedComments()].leading.append(line(comment, isApart: isApart))
    }
  }

  /// Whether the comment belongs to the declaration before it: it is inside it or on its last line, and not after
  /// the separator and directly before another declaration on that line.
  private func isTrailing(_ comment: Comment, _ last: Anchor, _ next: Anchor) -> Bool {
    let line = source.lineNumber(at: comment.range.lowerBound)
    guard comment.range.lowerBound >= last.range.upperBound else { return true }
    guard source.lineNumber(at: last.range.upperBound) == line else { return false }
    guard next.owner != .end, separator < comment.range.lowerBound else { return true }
    return source.lineNumber(at: comment.range.upperBound) != source.lineNumber(at: next.range.lowerBound)
  }

  private func comma(between last: Anchor, and next: Anchor) -> Int {
    guard last.range.upperBound < next.range.lowerBound else { return .max }
    let gap = source.bytes[last.range.upperBound..<next.range.lowerBound]
    return gap.firstIndex(of: UInt8(ascii: ",")) ?? .max
  }

  private func line(_ comment: Comment, isApart: Bool) -> AttachedComments.Line {
    let bytes = Self.withUnixLineEnds(source.bytes[comment.range])
    let end = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? -1
    return AttachedComments.Line(
      text: String(decoding: bytes[...end], as: UTF8.self), isBlock: comment.isBlock, isApart: isApart)
  }

  private static func withUnixLineEnds(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "\r")) else { return Array(bytes) }
    return Array(bytes).replacing("\r\n".utf8, with: "\n".utf8).replacing("\r".utf8, with: "\n".utf8)
  }

  private func hasEmptyLine(_ range: Range<Int>) -> Bool {
    source.lineNumber(at: range.upperBound) - source.lineNumber(at: range.lowerBound) > 1
  }
}

extension ParsedSchema {
  /// What a `celestra:` comment of a declaration applies to: above or after a record type the whole type, beside DEFINE
  /// SCHEMA the file. `nil` for a comment after the last declaration.
  func reach(of owner: CommentAttachment.Owner) -> Range<Int>? {
    switch owner {
    case .header: 0..<source.bytes.count + 1
    case .role(let place): roles[place].range
    case .opening(let place), .closing(let place): recordTypes[place].range
    case .field(let type, let place): recordTypes[type].fields[place].range
    case .grant(let type, let place): recordTypes[type].grants[place].range
    case .end: nil
    }
  }
}

/// The comments that belong to a declaration and move with it.
struct AttachedComments {
  struct Line {
    /// With its marks; a block comment may span lines.
    var text: String
    var isBlock: Bool
    var isApart: Bool

    /// Whether nothing can follow on its line.
    var endsLine: Bool { !isBlock || text.utf8.contains(UInt8(ascii: "\n")) }
  }

  var leading: [Line] = []
  var trailing: [Line] = []

  /// The comments rearranged so that the trailing ones fit on one line: only the last may be a line comment.
  var fitting: AttachedComments {
    let isFitting =
      trailing.allSatisfy { !$0.text.utf8.contains(UInt8(ascii: "\n")) }
      && !trailing.dropLast().contains(where: \.endsLine)
    return isFitting ? self : AttachedComments(leading: leading + trailing, trailing: [])
  }
}

/// The comments of texts by the names of what they describe. Of several declarations with one name, each gets its own.
struct NamedComments {
  struct Text {
    let parsed: ParsedSchema
    let attached: CommentAttachment
    var roles: Places
    var types: Places
    /// The record type that was entered; `nil` if the text does not have it.
    var type: Int?
    var fields = Places([])
  }

  /// The indexes of declarations that no one has asked for yet, by name.
  struct Places {
    private var byName: [String: ArraySlice<Int>]

    init(_ names: [String]) {
      byName = Dictionary(grouping: names.indices) { names[$0] }.mapValues { $0[...] }
    }

    mutating func next(_ name: String) -> Int? { byName[name]?.popFirst() }
  }

  /// The texts whose comments count, then the ancestor if there is one.
  private var texts: [Text]
  private let hasAncestor: Bool
  /// Whether an empty line separates the first comment from DEFINE SCHEMA.
  var isHeaderApart: Bool {
    texts.dropLast(hasAncestor ? 1 : 0).contains(where: \.attached.isHeaderApart)
  }

  init(_ texts: [ParsedSchema], ancestor: ParsedSchema? = nil) {
    hasAncestor = ancestor != nil
    self.texts = (texts + [ancestor].compactMap(\.self)).map {
      Text(
        parsed: $0, attached: CommentAttachment($0), roles: Places($0.roles.map(\.name)),
        types: Places($0.recordTypes.map(\.name)))
    }
  }

  /// Goes on to a record type, which the calls for its members are about.
  mutating func enter(_ type: RecordType) {
    for index in texts.indices {
      texts[index].type = texts[index].types.next(type.name)
      let fields = texts[index].type.map { texts[index].parsed.recordTypes[$0].fields } ?? []
      texts[index].fields = Places(fields.map(\.name))
    }
  }

  mutating func of(_ role: Role) -> AttachedComments {
    merged { text in text.roles.next(role.name).map { [.role($0)] } ?? [] }
  }

  mutating func of(_ field: Field) -> AttachedComments {
    merged { text in
      guard let type = text.type, let place = text.fields.next(field.name) else { return [] }
      return [.field(type, place)]
    }
  }

  mutating func of(_ grant: Grant) -> AttachedComments {
    merged { text in
      guard let type = text.type else { return [] }
      let grants = text.parsed.recordTypes[type].grants
      return grants.indices.filter { grants[$0].grant.role == grant.role }.map { .grant(type, $0) }
    }
  }

  mutating func ofType(_ part: (Int) -> CommentAttachment.Owner) -> AttachedComments {
    merged { text in text.type.map { [part($0)] } ?? [] }
  }

  /// The comments of all texts. One that an earlier text has is not repeated, and one of the ancestor that a text with the
  /// declaration no longer has is left out.
  mutating func merged(_ owners: (inout Text) -> [CommentAttachment.Owner]) -> AttachedComments {
    var result = AttachedComments()
    var versions: [[AttachedComments]] = []
    for index in texts.indices {
      versions.append(owners(&texts[index]).map { texts[index].attached[$0] })
    }
    let former = hasAncestor ? versions.removeLast().words : []
    let removed = former.filter { word in versions.contains { !$0.isEmpty && !$0.words.contains(word) } }
    for version in versions {
      let known = [result].words.union(removed)
      for comments in version {
        result.leading += comments.leading.filter { !known.contains($0.text) }
        result.trailing += comments.trailing.filter { !known.contains($0.text) }
      }
    }
    return result.fitting
  }
}

extension [AttachedComments] {
  fileprivate var words: Set<String> { Set(flatMap { $0.leading + $0.trailing }.map(\.text)) }
}
