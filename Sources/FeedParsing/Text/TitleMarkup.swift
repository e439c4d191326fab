internal import XMLReading

/// Tells markup in a title from text that speaks of markup (Documentation/reference/feeds.md#titles): a few inline elements
/// with both of their tags are markup, and so is a block around the whole title.
enum TitleMarkup {
  private static let inline: Set = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd",
    "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
  ]
  /// Inline elements without an end tag.
  private static let void: Set = ["br", "img", "wbr"]
  private static let blocks: Set = ["center", "div", "h1", "h2", "h3", "h4", "h5", "h6", "p", "section"]

  /// A tag by the positions of its first byte and of the one after its last.
  private struct Tag {
    let range: Range<Int>
    let name: String
    let isEnd: Bool
    var isMarkup = false
  }

  static func html(of title: String) -> String {
    let bytes = Array(title.utf8)
    let tags = Self.markup(among: Self.tags(in: bytes), in: bytes)
    var next = 0
    var output: [UInt8] = []
    for index in bytes.indices {
      while next < tags.count, tags[next].range.upperBound <= index { next += 1 }
      let isInTag = next < tags.count && tags[next].range.contains(index)
      if bytes[index] == UInt8(ascii: "<"), !isInTag {
        output += "&lt;".utf8
      } else {
        output.append(bytes[index])
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func tags(in bytes: [UInt8]) -> [Tag] {
    var tags: [Tag] = []
    var index = 0
    while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
      index = open + 1
      let isEnd = index < bytes.count && bytes[index] == UInt8(ascii: "/")
      let name = bytes[(isEnd ? index + 1 : index)...].prefix { $0.isLetter || $0.isDigit }
      guard name.first?.isLetter == true, name.endIndex < bytes.count else { continue }
      let rest = bytes[name.endIndex...].prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
      let isTag = rest.first.map { $0.isSpace || $0 == UInt8(ascii: "/") } ?? true
      guard isTag, rest.endIndex < bytes.count, bytes[rest.endIndex] == UInt8(ascii: ">") else { continue }
      index = rest.endIndex + 1
      tags.append(
        Tag(range: open..<index, name: String(decoding: name, as: UTF8.self).lowercased(), isEnd: isEnd))
    }
    return tags
  }

  private static func markup(among tags: [Tag], in bytes: [UInt8]) -> [Tag] {
    var tags = tags
    var open: [String: [Int]] = [:]
    for index in tags.indices {
      let name = tags[index].name
      if void.contains(name) {
        tags[index].isMarkup = true
      } else if !tags[index].isEnd {
        open[name, default: []].append(index)
      } else if let start = open[name]?.popLast() {
        let isWhole = {
          isBlank(bytes[..<tags[start].range.lowerBound]) && isBlank(bytes[tags[index].range.upperBound...])
        }
        let isMarkup = inline.contains(name) || blocks.contains(name) && isWhole()
        tags[start].isMarkup = isMarkup
        tags[index].isMarkup = isMarkup
      }
    }
    return tags.filter(\.isMarkup)
  }

  private static func isBlank(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.allSatisfy(\.isSpace) }
}
