/// Finds where a JSON Feed must be cut so that reading it takes no more memory than it deserves, without reading it.
enum JSONItems {
  /// The end of the last whole element of the document's `items` before there are more than `limit` values in
  /// all; `nil` when there are not so many, or when they are somewhere else.
  static func end(in text: UnsafeBufferPointer<UInt8>, values limit: Int) -> Cut {
    let scan = scan(text) { $0.values <= limit }
    guard scan.values > limit else { return .none }
    return scan.lastElement.map(Cut.after) ?? .tooMany
  }

  /// Where the last whole element of `items` ends when the document ends too soon; `nil` when it does not.
  static func unfinishedItem(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    let scan = scan(text) { _ in true }
    return scan.depth > 0 ? scan.lastElement : nil
  }

  private static func scan(_ text: UnsafeBufferPointer<UInt8>, while isWanted: (Scan) -> Bool) -> Scan {
    var scan = Scan()
    var index = 0
    while index < text.count, isWanted(scan) {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") {
        let end = stringEnd(text, from: index + 1)
        if scan.depth == 1 { scan.name = index + 1..<end }
        index = end + 1
      } else {
        scan.take(byte, at: index, in: text)
        index += 1
      }
    }
    return scan
  }

  enum Cut: Equatable {
    case none
    /// What is before this place, and `]}`, is a document.
    case after(Int)
    case tooMany
  }

  private struct Scan {
    var depth = 0
    var values = 0
    /// The last text in the outermost object: the name of what follows.
    var name = 0..<0
    var isInItems = false
    var lastElement: Int?

    mutating func take(_ byte: UInt8, at index: Int, in text: UnsafeBufferPointer<UInt8>) {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        values += 1
        depth += 1
        if depth == 2, byte == UInt8(ascii: "["), text[name].elementsEqual("items".utf8) { isInItems = true }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 1 { isInItems = false }
      case UInt8(ascii: ","):
        values += 1
        if isInItems, depth == 2 { lastElement = index }
      default: break
      }
    }
  }

  /// Where the closing quote stands; the end of the text without one.
  private static func stringEnd(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, text.count)
  }
}
