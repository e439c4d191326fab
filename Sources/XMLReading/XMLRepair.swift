/// Corrects what a strict parser refuses, as a lenient reader would understand it: bare ampersands and angle brackets,
/// characters that XML forbids, unknown entities, and end tags that are missing, crossed or never opened.
///
/// It invents no end: what the document leaves open at its end stays open, and a tag without its `>` is left out.
package struct XMLRepair {
  /// The elements of which a document has a list. An item begins inside a container and nowhere else, so that an item
  /// whose end tag is missing does not swallow the next one. Names are in lower case.
  package typealias Lists = (items: [StaticString], containers: [StaticString])

  private let input: UnsafeBufferPointer<UInt8>
  private let entities: [String: EntityText]
  private let lists: Lists
  /// Corrected text that has not been passed on yet.
  private var output: [UInt8] = []
  private var taken = 0
  /// False while only white space has been written.
  private var hasBegun = false
  private var index = 0
  /// The names of the open elements, as ranges of the input, with the numbers of start tags that were written before theirs.
  private var open: [(name: Range<Int>, number: Int)] = []
  private var tags = 0
  /// The tag before was broken off inside a value, so that the tags up to the next `>` between tags may be part of it.
  private var brokenTag: Int?
  /// The closing quote of the last value was not found.
  private var valueIsBroken = false
  /// Where the last `>` of the input is: a tag after it has no end.
  private let lastBracket: Int
  private let note: (Correction) -> Void
  /// How many open elements are searched for the start of a crossed end tag; an end tag without one is dropped.
  private static let maxSearch = 64

  private static let piece = 64 << 10

  /// A correction of one element, by the number of start tags before its own.
  package enum Correction: Equatable {
    /// Its start tag was broken off, or may be part of a value of a tag that was.
    case tag(Int)
    case end(Int)
  }

  /// Where the text of a section ends, and where the text after the section begins.
  private typealias Terminator = (content: Int, next: Int)

  /// Receives a piece; returns false when no more is wanted.
  typealias Take = (UnsafeBufferPointer<UInt8>) -> Bool

  /// Passes the corrected text to `take` piece by piece, until it returns false.
  ///
  /// - Parameter note: gets each correction of an element before the piece that has it.
  /// - Returns: how many bytes of the input were read, and the names of the elements that are still open.
  @discardableResult
  static func run(
    _ input: UnsafeBufferPointer<UInt8>, entities: [String: EntityText], lists: Lists,
    note: @escaping (Correction) -> Void = { _ in }, _ take: Take
  ) -> (length: Int, open: [Range<Int>]) {
    var repair = XMLRepair(
      input: input, entities: entities, lists: lists,
      lastBracket: input.lastIndex(of: UInt8(ascii: ">")) ?? 0, note: note)
    repair.output.reserveCapacity(2 * piece)
    repair.run(take)
    return (repair.index, repair.open.map(\.name))
  }

  private mutating func run(_ take: Take) {
    // Corrections make the text longer; a text of nothing but errors must not grow to five times its size.
    let limit = input.count + input.count / 4 + 4096
    while index < input.count, taken + output.count < limit {
      switch input[index] {
      case UInt8(ascii: "<"): markup()
      case UInt8(ascii: "&"): reference(limit: input.count)
      case UInt8(ascii: ">"): closingBracket()
      default: character()
      }
      guard output.count < Self.piece || pass(to: take) else { return }
    }
    _ = pass(to: take)
  }

  private mutating func pass(to take: Take) -> Bool {
    hasBegun = hasBegun || output.contains { !$0.isSpace }
    taken += output.count
    let isWanted = output.withUnsafeBufferPointer(take)
    output.removeAll(keepingCapacity: true)
    return isWanted
  }

  private func has(_ mark: Unicode.Scalar, at place: Int) -> Bool {
    input.indices.contains(place) && input[place] == UInt8(ascii: mark)
  }

  // MARK: Text

  private mutating func character() {
    let byte = input[index]
    index += 1
    // A value hardly ever goes on in the next line.
    if byte == 0x0A { brokenTag = nil }
    // XML 1.0, section 2.2: no controls but tab and line ends.
    if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return }
    output.append(byte)
  }

  /// XML 1.0, section 2.4: `]]>` ends a section and is not allowed in other text.
  private mutating func closingBracket() {
    let ends = output.suffix(2).elementsEqual("]]".utf8)
    output.append(contentsOf: (ends ? "&gt;" : ">").utf8)
    // Between tags it is most likely the end of the tag that was broken off.
    if has("/", at: index - 1), let match = open.lastIndex(where: { $0.number == brokenTag }) {
      closeTags(from: match)
    }
    brokenTag = nil
    index += 1
  }

  private mutating func reference(limit: Int) {
    let rest = UnsafeBufferPointer(rebasing: input[index..<limit])
    if let (text, length) = CharacterReferences.reference(rest), rest[1] == UInt8(ascii: "#") {
      // As a decimal number: XML allows only the lower-case x, and no halves of a character.
      output.append(contentsOf: "&#\(text.unicodeScalars.first?.value ?? 0xFFFD);".utf8)
      index += length
    } else if let (_, length) = CharacterReferences.reference(rest) ?? declared(rest) {
      output.append(contentsOf: rest[..<length])
      index += length
    } else if let length = CharacterReferences.numericLength(rest) {
      // No character has this number, or XML forbids it: the reference is dropped, as the character would be.
      index += length
    } else {
      output.append(contentsOf: "&amp;".utf8)
      index += 1
    }
  }

  private func declared(_ bytes: UnsafeBufferPointer<UInt8>) -> (text: String, length: Int)? {
    guard !entities.isEmpty, let end = bytes.prefix(64).firstIndex(of: UInt8(ascii: ";")), end > 1 else {
      return nil
    }
    let name = String(decoding: bytes[1..<end], as: UTF8.self)
    return entities[name] == nil ? nil : (name, end + 1)
  }

  // MARK: Markup

  private mutating func markup() {
    let rest = UnsafeBufferPointer(rebasing: input[index...])
    if rest.startsIgnoringCase("<![cdata[") {
      let end = end(of: "]]>", from: index)
      index += "<![CDATA[".utf8.count
      output.append(contentsOf: "<![CDATA[".utf8)
      return copy(to: end, "]]>")
    }
    if rest.startsIgnoringCase("<!--") { return index = end(of: "-->", from: index + 4).next }
    guard rest.count > 1 else { return escapeBracket() }
    switch rest[1] {
    case UInt8(ascii: "?"): instruction(rest)
    case UInt8(ascii: "!"):
      index = input.index(of: UInt8(ascii: ">"), from: index).map { $0 + 1 } ?? input.count
    case UInt8(ascii: "/"): endTag()
    case let byte where byte.isNameStart: startTag()
    default: escapeBracket()
    }
  }

  private mutating func escapeBracket() {
    output.append(contentsOf: "&lt;".utf8)
    index += 1
  }

  /// Copies the text of a section without forbidden characters, and ends the section.
  private mutating func copy(to end: Terminator, _ mark: String) {
    while index < end.content { character() }
    output.append(contentsOf: mark.utf8)
    index = end.next
  }

  /// Drops an XML declaration that is not at the start, and instructions over 64 KiB.
  private mutating func instruction(_ rest: UnsafeBufferPointer<UInt8>) {
    let end = end(of: "?>", from: index)
    hasBegun = hasBegun || output.contains { !$0.isSpace }
    let isDeclaration = rest.startsIgnoringCase("<?xml") && hasBegun
    guard !isDeclaration, end.content - index <= Self.piece else { return index = end.next }
    if !hasBegun { output.removeAll(keepingCapacity: true) }
    copy(to: end, "?>")
  }

  private func end(of text: StaticString, from start: Int) -> Terminator {
    guard let position = input.position(of: text, from: start) else { return (input.count, input.count) }
    return (position, position + text.utf8CodeUnitCount)
  }

  private func nameEnd(from start: Int) -> Int {
    input[start...].firstIndex { !$0.isNameByte } ?? input.count
  }

  private mutating func endTag() {
    let name = index + 2..<nameEnd(from: index + 2)
    let close = input[name.upperBound...].firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") }
    index = close.map { has(">", at: $0) ? $0 + 1 : $0 } ?? input.count
    // Without a close, the document was cut within this tag.
    guard close != nil,
      let match = open.suffix(Self.maxSearch).lastIndex(where: { isSame($0.name, name) })
    else { return }
    closeTags(from: match + 1)
    closeTags(from: match, isNoted: false)
  }

  /// Ends the elements from a place among the open ones on, the innermost first.
  private mutating func closeTags(from place: Int, isNoted: Bool = true) {
    while open.count > place, let last = open.popLast() {
      if isNoted { note(.end(last.number)) }
      output.append(contentsOf: "</".utf8)
      output.append(contentsOf: input[last.name])
      output.append(UInt8(ascii: ">"))
    }
  }

  private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    input[left].elementsEqual(input[right])
  }

  // MARK: Start tags

  private mutating func startTag() {
    let name = index + 1..<nameEnd(from: index + 1)
    // A tag in which the document ends is left out.
    guard index < lastBracket else { return index = input.count }
    valueIsBroken = false
    closeUnfinished(before: name)
    let written = output.count
    output.append(UInt8(ascii: "<"))
    output.append(contentsOf: input[name])
    index = name.upperBound
    var seen: [Range<Int>] = []
    var isBroken = brokenTag != nil
    while index < input.count, !has(">", at: index), !has("<", at: index), !isAtEmptyEnd {
      if input[index].isNameStart {
        attribute(&seen)
      } else {
        // A quote here ends a value that has quotes in it.
        isBroken = isBroken || has("\"", at: index) || has("'", at: index)
        index += 1
      }
    }
    guard index < input.count else { return output.removeLast(output.count - written) }
    let isEmpty = isAtEmptyEnd
    let hasEnd = isEmpty || has(">", at: index)
    if hasEnd { index += isEmpty ? 2 : 1 }
    output.append(contentsOf: (isEmpty ? "/>" : ">").utf8)
    if !isEmpty { open.append((name, tags)) }
    if isBroken || valueIsBroken || !hasEnd { note(.tag(tags)) }
    tags += 1
  }

  private var isAtEmptyEnd: Bool { has("/", at: index) && has(">", at: index + 1) }

  /// Closes what is still open in the container when a new item begins.
  private mutating func closeUnfinished(before name: Range<Int>) {
    guard isOne(of: lists.items, name),
      let container = open.suffix(Self.maxSearch).lastIndex(where: { isOne(of: lists.containers, $0.name) })
    else { return }
    closeTags(from: container + 1)
  }

  private func isOne(of names: [StaticString], _ range: Range<Int>) -> Bool {
    names.contains { $0.utf8CodeUnitCount == range.count && input[range].startsIgnoringCase($0) }
  }

  private mutating func attribute(_ seen: inout [Range<Int>]) {
    let name = index..<nameEnd(from: index)
    index = name.upperBound
    skipSpaces()
    var value = name
    if has("=", at: index) {
      index += 1
      skipSpaces()
      value = self.value()
    }
    // XML forbids repeated attributes. After 64 attributes the rest is dropped, so that comparing stays cheap.
    guard seen.count < 64, !seen.contains(where: { isSame($0, name) }) else { return }
    seen.append(name)
    output.append(UInt8(ascii: " "))
    output.append(contentsOf: input[name])
    output.append(contentsOf: "=\"".utf8)
    write(value)
    output.append(UInt8(ascii: "\""))
  }

  private mutating func skipSpaces() {
    while index < input.count, input[index].isSpace { index += 1 }
  }

  private mutating func value() -> Range<Int> {
    let start = index
    guard has("\"", at: start) || has("'", at: start) else {
      while index < input.count, !input[index].isSpace, !has(">", at: index), !has("<", at: index) {
        index += 1
      }
      return start..<index
    }
    let (quote, content) = (input[start], start + 1)
    var end =
      bracketedValueEnd(quote, from: content)
      ?? input[content...].firstIndex { $0 == quote || $0 == UInt8(ascii: "<") } ?? input.count
    if end < input.count, input[end] == quote {
      index = end + 1
      return content..<end
    }
    valueIsBroken = true
    if end < input.count, let bracket = input[content..<end].firstIndex(of: UInt8(ascii: ">")) {
      // The closing quote was forgotten, and this ends the tag.
      end = bracket > content && has("/", at: bracket - 1) ? bracket - 1 : bracket
    } else if brokenTag == nil {
      brokenTag = tags
    }
    index = end
    return content..<end
  }

  /// The end of a short value that contains `<`; `nil` when its closing quote was forgotten, in which case the quote
  /// found begins the next value.
  private func bracketedValueEnd(_ quote: UInt8, from start: Int) -> Int? {
    let reach = input[start..<min(start + 1024, input.count)]
    guard let end = reach.firstIndex(of: quote), end + 1 < input.count else { return nil }
    let next = input[end + 1]
    return next.isSpace || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") ? end : nil
  }

  private mutating func write(_ value: Range<Int>) {
    let after = index
    index = value.lowerBound
    while index < value.upperBound {
      switch input[index] {
      case UInt8(ascii: "&"): reference(limit: value.upperBound)
      case UInt8(ascii: "\""):
        output.append(contentsOf: "&quot;".utf8)
        index += 1
      case UInt8(ascii: "<"): escapeBracket()
      default: character()
      }
    }
    index = after
  }
}
