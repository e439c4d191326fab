internal import XMLReading

/// The HTML of an item, read once: its text, and markup that is safe to show
/// (Documentation/reference/articles.md#text-of-html).
package struct ArticleText: Sendable, Hashable {
  /// Without markup: a block a line, other white space as one space.
  package private(set) var text = ""
  /// Only the elements and attributes of ``SafeMarkup``. Empty unless asked for.
  package private(set) var html = ""
  package private(set) var imageURL: String?

  /// Reads HTML of any quality.
  ///
  /// - Parameters:
  ///   - baseURL: what relative addresses are resolved against; without one they are dropped.
  package init(
    html source: String, baseURL: String? = nil, keepsMarkup: Bool = false,
    showsPicture: @escaping (String) -> Bool = { _ in true }
  ) {
    var reading = ArticleReading(
      base: baseURL.flatMap(BaseURL.init), showsPicture: showsPicture,
      markup: keepsMarkup ? SafeMarkup(maxBytes: .max) : nil)
    Self.read(Self.unwrapped(source)) { reading.receive($0) }
    text = reading.lines.text
    html = reading.markup?.finished() ?? ""
    imageURL = reading.imageURL
  }

  /// Takes a text without markup; its line ends stay.
  package init(plain source: String, keepsMarkup: Bool = false) {
    var lines = TextLines()
    var markup = SafeMarkup(maxBytes: .max)
    for line in source.split(whereSeparator: \.isNewline) {
      lines.add(String(line))
      lines.endBlock()
      markup.start("p", [])
      markup.add(String(line))
      markup.end()
    }
    text = lines.text
    html = keepsMarkup ? markup.finished() : ""
  }

  /// One line of text from a title that may have markup or references in it
  /// (Documentation/reference/feeds.md#titles). Where nothing but markup is in it, all of it is text.
  package static func title(_ source: String) -> String {
    let source = unwrapped(source)
    let text = label(source)
    return text.isEmpty && source.utf8.contains(UInt8(ascii: "<")) ? line(source) : text
  }

  /// The same, without a text where nothing but markup is in it.
  package static func label(_ source: String) -> String {
    guard source.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
      return line(source)
    }
    var lines = TextLines()
    read(TitleMarkup.html(of: source)) { event in
      switch event {
      case .text(let text): lines.add(text)
      case .start(name: "br", _): lines.add(" ")
      default: break
      }
    }
    return lines.text
  }

  /// The text of a CDATA section that was escaped once more, as by programs that put one into a finished feed.
  private static func unwrapped(_ text: String) -> String {
    let (start, end) = ("<![CDATA[", "]]>")
    guard let inner = text.nonEmpty, inner.hasPrefix(start), inner.hasSuffix(end) else { return text }
    return String(inner.dropFirst(start.count).dropLast(end.count))
  }

  static func line(_ text: String) -> String {
    var lines = TextLines()
    lines.add(text)
    return lines.text
  }

  /// Shortens ``html`` to at most `bytes`, at the end of a block or else of a word, and links to the original.
  package static func cut(html: String, to bytes: Int, original: String?) -> String {
    guard html.utf8.count > bytes else { return html }
    var link = SafeMarkup(maxBytes: .max)
    if let original {
      link.start("p", [])
      link.start("a", [("href", original)])
      link.add("…")
    }
    let end = link.finished()
    var reading = ArticleReading(
      base: nil, showsPicture: { _ in true }, markup: SafeMarkup(maxBytes: max(0, bytes - end.utf8.count)))
    read(html) { reading.receive($0) }
    return (reading.markup?.finished() ?? "") + end
  }

  /// Shortens a text to at most `bytes`, at the end of a line or else of a word.
  package static func cut(text: String, to bytes: Int) -> String {
    guard text.utf8.count > bytes else { return text }
    let room = max(0, bytes - "…".utf8.count)
    var head = text.utf8.prefix(room)
    // Not within a character.
    while let end = head.indices.last, text.utf8[head.endIndex] & 0xC0 == 0x80 { head = head[..<end] }
    let whole = Substring(head)
    let ends = [whole.lastIndex(of: "\n"), whole.lastIndex(where: \.isWhitespace)].compactMap(\.self)
    // A text without spaces is cut where it must be.
    let end = ends.first { whole.utf8.distance(from: whole.startIndex, to: $0) > room / 2 }
    return whole[..<(end ?? whole.endIndex)] + "…"
  }

  private static func read(_ html: String, _ receive: (MarkupEvent) -> Void) {
    withoutActuallyEscaping(receive) { receive in
      _ = HTMLReader(maxText: 1 << 20).read(text: html) {
        receive($0)
        return .read
      }
    }
  }
}

private struct ArticleReading {
  let base: BaseURL?
  let showsPicture: (String) -> Bool
  var lines = TextLines()
  var markup: SafeMarkup?
  var imageURL: String?

  mutating func receive(_ event: MarkupEvent) {
    switch event {
    case .start(let name, let attributes): start(name, attributes)
    case .text(let text):
      lines.add(text)
      markup?.add(text)
    case .end(let name):
      if HTMLVocabulary.blocks.contains(name) { lines.endBlock() }
      markup?.end()
    }
  }

  private mutating func start(_ name: String, _ attributes: [MarkupAttribute]) {
    if HTMLVocabulary.blocks.contains(name) { lines.endBlock() }
    guard markup != nil || name == "img" else { return }
    let safe = HTMLVocabulary.safeAttributes(of: name, attributes, base, showsPicture: showsPicture)
    if name == "img", imageURL == nil { imageURL = safe?.first { $0.name == "src" }?.value }
    if let safe { markup?.start(HTMLVocabulary.storedName(of: name), safe) } else { markup?.startUnwritten() }
  }
}

/// A text that grows by pieces: white space becomes one space, and the end of a block a line end. Control characters are
/// dropped.
struct TextLines {
  private var bytes: [UInt8] = []
  /// What comes before the next character, if that is not the first.
  private var separator: UInt8?

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func endBlock() { separator = UInt8(ascii: "\n") }

  mutating func add(_ piece: String) {
    var piece = piece
    piece.withUTF8 { piece in
      var index = 0
      while index < piece.count {
        let byte = piece[index]
        // A no-break space, U+00A0.
        let isWideSpace = byte == 0xC2 && index + 1 < piece.count && piece[index + 1] == 0xA0
        // The control characters U+0080...U+009F.
        let isControl =
          byte < 0x20 || byte == 0x7F
          || byte == 0xC2 && index + 1 < piece.count && piece[index + 1] < 0xA0
        index += byte == 0xC2 && (isWideSpace || isControl) ? 2 : 1
        if byte.isSpace || isWideSpace {
          separator = separator ?? UInt8(ascii: " ")
        } else if !isControl {
          if let separator, !bytes.isEmpty { bytes.append(separator) }
          separator = nil
          bytes.append(byte)
        }
      }
    }
  }
}

/// Counts words as a reader needs time for them (Documentation/reference/articles.md#reading-time).
package enum WordCount {
  /// Words between white space that have a letter or a digit. In scripts without spaces, Chinese and Japanese, two
  /// characters count as a word.
  package static func of(_ text: String) -> Int {
    var words = 0
    var characters = 0
    var isInWord = false
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        if byte <= 0x20 {
          isInWord = false
        } else if !isInWord, byte.isLetter || byte.isDigit {
          words += 1
          isInWord = true
        }
      } else if scalar.isIdeographic {
        characters += 1
        isInWord = false
      } else if scalar.properties.isWhitespace {
        isInWord = false
      } else if !isInWord, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        words += 1
        isInWord = true
      }
    }
    return words + (characters + 1) / 2
  }

  /// Minutes for 200 words a minute, rounded down, at least 1.
  package static func readingMinutes(words: Int) -> Int { max(1, words / 200) }
}

extension Unicode.Scalar {
  /// Of a script that puts no spaces between words.
  fileprivate var isIdeographic: Bool {
    switch value {
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,
      0xFF66...0xFF9D, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
