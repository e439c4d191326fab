internal import Diagnostics
internal import XMLReading

/// What is known about the elements of HTML: which separate words, and which may be stored
/// (Documentation/reference/articles.md#stored-html).
enum HTMLVocabulary {
  /// Elements that begin on a line of their own, and those that separate words like them.
  static let blocks: Set = [
    "address", "article", "aside", "audio", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "optgroup",
    "option", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
    "ul", "video",
  ]

  static let voidElements: Set = ["br", "hr", "img", "wbr"]

  /// The elements that are stored, with their attributes. Any other block becomes a `div`, so that its words stay apart from
  /// those around it; any other element is dropped, and what is in it stays.
  private static let allowed: [String: Set<String>] = [
    "a": ["href", "title"], "abbr": ["title"], "b": [], "blockquote": ["cite"], "br": [], "caption": [],
    "cite": [], "code": [], "dd": [], "del": [], "dfn": [], "div": [], "dl": [], "dt": [], "em": [],
    "figcaption": [], "figure": [], "h1": [], "h2": [], "h3": [], "h4": [], "h5": [], "h6": [], "hr": [],
    "i": [], "img": ["src", "alt", "title", "width", "height"], "ins": [], "kbd": [], "li": [], "mark": [],
    "ol": ["start"], "p": [], "pre": [], "q": ["cite"], "rp": [], "rt": [], "ruby": [], "s": [], "samp": [],
    "small": [], "strong": [], "sub": [], "sup": [], "table": [], "tbody": [], "td": ["colspan", "rowspan"],
    "tfoot": [], "th": ["colspan", "rowspan"], "thead": [], "tr": [], "u": [], "ul": [], "var": [], "wbr": [],
  ]

  static func storedName(of element: String) -> String { allowed[element] == nil ? "div" : element }

  private static let addresses: Set = ["href", "src", "cite"]
  private static let numbers: Set = ["width", "height", "start", "colspan", "rowspan"]

  /// The attributes to store; `nil` for an element that is not stored: an unknown one, a link that leads to no web or
  /// mail address, or a picture that is missing or that only counts readers.
  static func safeAttributes(
    of element: String, _ attributes: [MarkupAttribute], _ base: BaseURL?,
    showsPicture: (String) -> Bool = { _ in true }
  ) -> [(name: String, value: String)]? {
    // The parser adds a body to each text.
    let isBlock = blocks.contains(element) && element != "body"
    guard let names = allowed[element] ?? (isBlock ? Set() : nil) else { return nil }
    var safe: [(name: String, value: String)] = []
    for attribute in attributes where !safe.contains(where: { $0.name == attribute.name }) {
      if names.contains(attribute.name), let value = safeValue(attribute, in: element, base) {
        safe.append((attribute.name, value))
      } else if attribute.name == "dir", ["ltr", "rtl", "auto"].contains(attribute.value.lowercased()) {
        safe.append(("dir", attribute.value.lowercased()))
      } else if attribute.name == "lang", isLanguage(attribute.value) {
        safe.append(("lang", attribute.value))
      }
    }
    switch element {
    case "a": return safe.contains { $0.name == "href" } ? safe : nil
    case "img":
      guard !isInvisible(attributes), let picture = picture(safe, attributes, base) else { return nil }
      return picture.contains { $0.name == "src" && !showsPicture($0.value) } ? nil : picture
    default: return safe
    }
  }

  private static func safeValue(
    _ attribute: MarkupAttribute, in element: String, _ base: BaseURL?
  ) -> String? {
    if addresses.contains(attribute.name) {
      return address(attribute.value, base, allowsMail: attribute.name == "href")
    }
    guard numbers.contains(attribute.name) else { return attribute.value }
    let isNumber = (1...5).contains(attribute.value.utf8.count) && attribute.value.utf8.allSatisfy(\.isDigit)
    return isNumber ? attribute.value : nil
  }

  /// Pages that load pictures late have their addresses in other attributes.
  private static func picture(
    _ safe: [(name: String, value: String)], _ attributes: [MarkupAttribute], _ base: BaseURL?
  ) -> [(name: String, value: String)]? {
    if safe.contains(where: { $0.name == "src" }) { return safe }
    let late = attributes.first { ["data-src", "data-lazy-src", "data-original"].contains($0.name) }
    guard let source = late.flatMap({ address($0.value, base, allowsMail: false) }) else { return nil }
    return [("src", source)] + safe
  }

  /// A picture of one pixel, or one that is not shown, counts readers.
  private static func isInvisible(_ attributes: [MarkupAttribute]) -> Bool {
    attributes.contains { attribute in
      switch attribute.name {
      case "width", "height": isPixel(attribute.value)
      case "hidden": true
      case "style":
        attribute.value.lowercased().split(separator: ";").contains { declaration in
          let parts = declaration.split(separator: ":", maxSplits: 1).map(\.trimmingWhitespace)
          guard parts.count == 2 else { return false }
          return switch parts[0] {
          case "width", "height", "max-width", "max-height": isPixel(parts[1])
          case "display": parts[1].hasPrefix("none")
          case "visibility": parts[1].hasPrefix("hidden")
          default: false
          }
        }
      default: false
      }
    }
  }

  /// `1`, `0`, `1px`, `0.5px`, but no share such as `1%`.
  private static func isPixel(_ length: String) -> Bool {
    let text = length.trimmingWhitespace
    let number = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(number.count).lowercased()
    return Double(number).map { $0 < 2 } == true
      && (unit.isEmpty || unit.hasPrefix("px") || unit.hasPrefix("!"))
  }

  private static let maxAddress = 2048

  /// The absolute form of a web address; `nil` for one that browsers read otherwise (``PlainWebAddress``).
  static func address(_ text: String, _ base: BaseURL?, allowsMail: Bool = false) -> String? {
    guard let plain = text.nonEmpty, PlainWebAddress.isPlainReference(plain) else { return nil }
    let address = URLResolver.resolve(plain, against: base).replacing(" ", with: "%20")
    guard address.utf8.count <= maxAddress else { return nil }
    if URLResolver.isWebAddress(address) { return PlainWebAddress.isPlain(address) ? address : nil }
    return allowsMail && address.utf8.startsIgnoringCase("mailto:") ? address : nil
  }

  private static func isLanguage(_ tag: String) -> Bool {
    (1...35).contains(tag.utf8.count) && tag.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2D }
  }

  static func hasMarkup(_ text: String) -> Bool {
    // Most titles have neither, and need no expression to be matched.
    let bytes = text.utf8
    if let start = bytes.firstIndex(of: UInt8(ascii: "&")), bytes[start...].contains(UInt8(ascii: ";")),
      text.firstMatch(of: /&(?:#x?[0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);/) != nil
    {
      return true
    }
    guard bytes.contains(UInt8(ascii: "<")) else { return false }
    return text.matches(of: /<\/?([a-zA-Z][a-zA-Z0-9]*)/).contains { match in
      let name = match.1.lowercased()
      return allowed[name] != nil || blocks.contains(name) || HTMLReader.unreadElements.contains(name)
        || ["font", "span", "tt", "strike", "big"].contains(name)
    }
  }
}
