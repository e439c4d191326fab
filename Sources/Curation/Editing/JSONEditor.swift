package import Catalog
package import Diagnostics
package import Platform

/// Changes single values in a JSON text and leaves every other byte as it is
/// (Documentation/reference/curation.md#editing-in-place).
///
/// Added values get the layout of their neighbors. All changes are made in one pass by ``bytes``, so positions refer
/// to the original text.
struct JSONEditor {
  let source: [UInt8]
  let root: JSONNode
  private let layout: JSONLayout
  private var edits: [(range: Range<Int>, text: String)] = []
  /// By the position of the object.
  private var memberChanges: [Int: MemberChanges] = [:]

  private struct MemberChanges {
    let object: JSONNode
    let members: [JSONMember]
    var removed: Set<Int> = []
    /// Each after the member with the index, if that stays.
    var added: [(place: Int?, key: String, value: JSONValue)] = []
  }

  /// The elements to add to empty lists, by the position of the list.
  private var fillings: [Int: (list: JSONNode, values: [JSONValue])] = [:]

  init(_ file: SeedFile) {
    source = file.source.bytes
    root = file.root
    layout = JSONLayout(of: source)
  }

  var bytes: [UInt8] {
    var output: [UInt8] = []
    var place = 0
    let all = memberChanges.values.flatMap(memberEdits) + edits + fillings.values.map(filling)
    for (range, text) in all.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where range.lowerBound >= place {
      output += source[place..<range.lowerBound]
      output += text.utf8
      place = range.upperBound
    }
    return output + source[place...]
  }

  // MARK: Members

  /// Sets a member's value. A new member is inserted in the position that `order` gives; `nil` removes the member.
  mutating func set(_ key: String, to value: JSONValue?, in object: JSONNode, order: [String]) {
    guard let members = object.members else { return }
    let index = members.firstIndex { $0.key == key }
    if let index, let value {
      let old = members[index].value
      let indent = layout.indent(of: members[index].keyRange.lowerBound)
      let isInline = !layout.spansLines(old.range) && !isLongList(value, old)
      edits.append((old.range, layout.text(JSONNode(value), indent: indent, isInline: isInline)))
      return
    }
    var changes = memberChanges[object.range.lowerBound] ?? MemberChanges(object: object, members: members)
    if let index { changes.removed.insert(index) }
    if let value {
      let rank = { (key: String) in order.firstIndex(of: key) ?? Int.max }
      changes.added.append(
        (members.lastIndex { $0.key.hasPrefix("$") || rank($0.key) < rank(key) }, key, value))
    }
    memberChanges[object.range.lowerBound] = changes
  }

  private func isLongList(_ value: JSONValue, _ old: JSONNode) -> Bool {
    guard let elements = value.array else { return false }
    return elements.count > max(12, (old.elements?.count ?? 0) + 6)
  }

  /// A comma goes with each removed member, and comes with each added one, so they depend on which members stay.
  private func memberEdits(_ changes: MemberChanges) -> [(range: Range<Int>, text: String)] {
    let (object, members) = (changes.object, changes.members)
    let isInline = !layout.spansLines(object.range)
    let kept = members.indices.filter { !changes.removed.contains($0) }
    guard let first = kept.first else {
      let value = JSONValue.object(JSONObject(changes.added.map { (key: $0.key, value: $0.value) }))
      let indent = layout.indent(of: object.range.lowerBound)
      return [(object.range, layout.text(JSONNode(value), indent: indent, isInline: isInline))]
    }
    let start = { (index: Int) in members[index].keyRange.lowerBound }
    let end = { (index: Int) in members[index].value.range.upperBound }
    let additions = changes.added.map { place, key, value -> (range: Range<Int>, text: String) in
      let before = place.flatMap { place in kept.last { $0 <= place } }
      let indent = layout.indent(of: start(before ?? first))
      let member = layout.member(key, JSONNode(value), indent: indent, isInline: isInline)
      let gap = "," + layout.gap(indent: indent, isInline: isInline)
      return before.map { (end($0)..<end($0), gap + member) } ?? (start(first)..<start(first), member + gap)
    }
    let removals = changes.removed.map { index -> (range: Range<Int>, text: String) in
      (index < first ? start(index)..<start(index + 1) : end(index - 1)..<end(index), "")
    }
    return additions + removals
  }

  // MARK: Elements

  /// Adds elements to a list: each before the element that `position` names, or at the end.
  mutating func add(_ values: [JSONValue], to list: JSONNode, position: (JSONValue) -> Int? = { _ in nil }) {
    guard let elements = list.elements, !values.isEmpty else { return }
    guard let last = elements.last else {
      fillings[list.range.lowerBound, default: (list, [])].values += values
      return
    }
    let separator = separator(of: elements, in: list)
    for value in values {
      let index = position(value)
      let neighbor = index.map { elements[$0] } ?? last
      let indent = layout.indent(of: neighbor.range.lowerBound)
      let text = layout.text(JSONNode(value), indent: indent, isInline: !layout.spansLines(neighbor.range))
      if index != nil {
        edits.append((neighbor.range.lowerBound..<neighbor.range.lowerBound, text + separator))
      } else {
        edits.append((last.range.upperBound..<last.range.upperBound, separator + text))
      }
    }
  }

  private func separator(of elements: [JSONNode], in list: JSONNode) -> String {
    let between =
      elements.count > 1
      ? source[elements[elements.count - 2].range.upperBound..<elements[elements.count - 1].range.lowerBound]
      : [UInt8(ascii: ",")] + source[(list.range.lowerBound + 1)..<elements[0].range.lowerBound]
    let text = String(decoding: between, as: UTF8.self)
    return elements.count == 1 && text == "," && layout.hasSpaces ? ", " : text
  }

  private func filling(_ list: JSONNode, _ values: [JSONValue]) -> (range: Range<Int>, text: String) {
    let indent = layout.indent(of: list.range.lowerBound)
    let isInline = !layout.spansLines(root.range)
    return (list.range, layout.text(JSONNode(.array(values)), indent: indent, isInline: isInline))
  }
}

/// How values are laid out in a JSON text. Short lists of strings are on one line.
struct JSONLayout {
  private let source: [UInt8]
  private let newline: String
  private let unit: String
  /// Whether a space follows colons and commas.
  let hasSpaces: Bool

  init(of source: [UInt8]) {
    self.source = source
    newline = source.firstIndex(of: 0x0A).map { $0 > 0 && source[$0 - 1] == 0x0D } == true ? "\r\n" : "\n"
    unit = Self.firstIndent(source)
    let colon = source.firstIndex(of: UInt8(ascii: ":"))
    hasSpaces = colon.map { $0 + 1 >= source.count || source[$0 + 1] == 0x20 } ?? true
  }

  /// The canonical layout for what was read from a text.
  init(canonicalFor source: [UInt8]) {
    (self.source, newline, unit, hasSpaces) = (source, "\n", "  ", true)
  }

  private static func firstIndent(_ source: [UInt8]) -> String {
    var rest = source[...]
    while let end = rest.firstIndex(of: 0x0A) {
      rest = rest[(end + 1)...]
      let white = rest.prefix { $0 == 0x20 || $0 == 0x09 }
      if !white.isEmpty, let next = rest.dropFirst(white.count).first, next != 0x0A, next != 0x0D {
        return String(decoding: white, as: UTF8.self)
      }
    }
    return "  "
  }

  func spansLines(_ range: Range<Int>) -> Bool { source[range].contains(0x0A) }

  /// The white space that begins the line of a position.
  func indent(of position: Int) -> String {
    let start = source[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return String(decoding: source[start..<position].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }

  func gap(indent: String, isInline: Bool) -> String { isInline ? (hasSpaces ? " " : "") : newline + indent }

  func member(_ key: String, _ value: JSONNode, indent: String, isInline: Bool) -> String {
    copy(of: "") { write(key, value, to: &$0, indent: indent, isInline: isInline) }
  }

  /// A value as text. All lines but the first one are indented. Numbers stay as they are written, also those that 64 bits
  /// cannot hold.
  func text(_ node: JSONNode, indent: String, isInline: Bool) -> String {
    copy(of: "") { write(node, to: &$0, indent: indent, isInline: isInline) }
  }

  /// The feeds of a collection are a line each.
  private func write(
    _ key: String, _ value: JSONNode, to text: inout String, indent: String, isInline: Bool
  ) {
    text += JSONValue.string(key).text()
    text += hasSpaces ? ": " : ":"
    write(value, to: &text, indent: indent, isInline: isInline || key != "feeds" && value.isShortList)
  }

  private func write(_ node: JSONNode, to text: inout String, indent: String, isInline: Bool) {
    let inner = indent + unit
    switch node.content {
    case .array(let elements) where !elements.isEmpty:
      write(elements, "[", "]", to: &text, indent: indent, isInline: isInline) { element, text in
        write(element, to: &text, indent: inner, isInline: isInline || element.isShortList)
      }
    case .object(let members) where !members.isEmpty:
      write(members, "{", "}", to: &text, indent: indent, isInline: isInline) { member, text in
        write(member.key, member.value, to: &text, indent: inner, isInline: isInline)
      }
    case .scalar(.integer) where !node.range.isEmpty, .scalar(.double) where !node.range.isEmpty:
      text += String(decoding: source[node.range], as: UTF8.self)
    default: text += node.value.text()
    }
  }

  private func write<Item>(
    _ items: [Item], _ open: String, _ close: String, to text: inout String, indent: String, isInline: Bool,
    item: (Item, inout String) -> Void
  ) {
    let gap = gap(indent: indent + unit, isInline: isInline)
    text += open
    for index in items.indices {
      if index > 0 { text += "," }
      if index > 0 || !isInline { text += gap }
      item(items[index], &text)
    }
    text += isInline ? close : newline + indent + close
  }
}

extension JSONNode {
  /// A value that was not read from a text.
  init(_ value: JSONValue) {
    let content: Content =
      switch value {
      case .array(let elements): .array(elements.map { JSONNode($0) })
      case .object(let object):
        .object(object.members.map { JSONMember(key: $0.key, keyRange: 0..<0, value: JSONNode($0.value)) })
      default: .scalar(value)
      }
    self.init(content, range: 0..<0)
  }

  /// A short list of strings, such as tags, is written on one line.
  fileprivate var isShortList: Bool {
    guard let elements else { return false }
    return elements.allSatisfy { $0.string != nil } && value.text().utf8.count <= 80
  }
}

/// The layout of seed files that `seed format` writes and new files get.
package enum SeedFileFormat {
  /// Two spaces for each level, one member on each line, short lists of strings on one line, and each feed of a
  /// collection on its own line. Ends with a line end.
  package static func canonical(_ value: JSONValue) -> [UInt8] { bytes(JSONNode(value), readFrom: []) }

  /// A whole seed file in canonical form: the keys of its entries in the order of the table, unknown ones last. Numbers
  /// stay as they are written, also those that 64 bits cannot hold.
  package static func canonical(_ file: SeedFile) -> [UInt8] {
    let order = SeedFields.celestra[file.kind].map(\.key)
    var root = file.root
    if file.kind == .collection {
      root = root.sorted(order)
    } else {
      let list = file.kind == .feed ? "feeds" : "categories"
      root = root.sorted(["category", list]) { key, value in
        guard key == list, let entries = value.elements else { return value }
        return JSONNode(.array(entries.map { $0.sorted(order) }), range: value.range)
      }
    }
    return bytes(root, readFrom: file.source.bytes)
  }

  private static func bytes(_ node: JSONNode, readFrom source: [UInt8]) -> [UInt8] {
    Array((JSONLayout(canonicalFor: source).text(node, indent: "", isInline: false) + "\n").utf8)
  }

  /// The edits that bring the files of a seed folder into canonical layout. Throws ``CommandFailure`` with the findings
  /// when a file cannot be read.
  package static func edits(in folder: String) throws(CommandFailure) -> [FileEdit] {
    let seeds = SeedLoader(directory: folder).load()
    let blocking = Set([SeedRule.invalidJSON, .unreadable, .tooLarge, .outsideTree].map(\.code))
    guard !seeds.diagnostics.contains(where: { blocking.contains($0.code) && $0.severity == .error }) else {
      throw CommandFailure(
        "a seed file cannot be read; nothing was written", code: "bad-seeds",
        diagnostics: seeds.diagnostics.filter { blocking.contains($0.code) })
    }
    let base = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    return seeds.files.compactMap { file in
      let canonical = Self.canonical(file)
      return canonical == file.source.bytes
        ? nil : FileEdit("\(base)/\(file.path)", before: file.source.bytes, after: canonical)
    }
  }

  /// - Parameter isCheck: the files are only named, with the status of a difference.
  package static func report(_ edits: [FileEdit], isCheck: Bool) -> PlainReport {
    PlainReport(
      isCheck && !edits.isEmpty ? .differences : .done,
      json: ["files": edits.map(\.path).json, "check": isCheck.json],
      isConfirmation: edits.isEmpty || !isCheck
    ) {
      if edits.isEmpty { "All seed files are in canonical layout." }
      for edit in edits { isCheck ? "\(edit.path) is not in canonical layout" : "formatted \(edit.path)" }
    }
  }
}

extension JSONNode {
  /// An object with its members in the order of the keys: those that begin with `$` first, unknown ones last.
  fileprivate func sorted(
    _ order: [String], _ change: (String, JSONNode) -> JSONNode = { $1 }
  ) -> JSONNode {
    guard let members else { return self }
    let rank = { (key: String) in
      key.hasPrefix("$") ? -1 : order.firstIndex(of: key) ?? order.count
    }
    let sorted = members.sorted { rank($0.key) < rank($1.key) }
      .map { JSONMember(key: $0.key, keyRange: $0.keyRange, value: change($0.key, $0.value)) }
    return JSONNode(.object(sorted), range: range)
  }
}
