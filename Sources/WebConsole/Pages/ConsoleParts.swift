internal import CloudKitModel
internal import Diagnostics
internal import HTMLWriting
internal import Platform
internal import Records

/// HTML fragments that several pages of the console share.
enum ConsoleParts {
  /// Unicode scalars of a value that a cell shows.
  private static let maxCell = 200

  static func shortened(_ text: String) -> String {
    text.unicodeScalars.count > maxCell ? String(text.unicodeScalars.prefix(maxCell - 1)) + "…" : text
  }

  /// A moment in UTC, which the script shows in the reader's time zone; the exact one appears on hover.
  static func time(_ time: Timestamp) -> HTML {
    let text = time.iso8601
    // Other years have no date that a browser could read.
    guard UTCTime.years.contains(time.milliseconds) else { return "\(text)" }
    let seconds = "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    return "<time\(attribute: "datetime", text)\(attribute: "title", text)>\(seconds)</time>"
  }

  /// Says how the times of a page are meant. The script replaces it.
  static let timeZone: HTML = "<span class=\"zone\">Times are in UTC.</span>"

  /// A record name, which the style sheet shortens: it is complete on hover and when it is copied.
  static func shortRecordName(_ name: String) -> HTML {
    "<bdi class=\"id\"\(attribute: "title", name)>\(name)</bdi>"
  }

  /// A record name that gets a button to copy it.
  static func copied(_ name: String, isShort: Bool) -> HTML {
    let kind = isShort ? "id" : nil
    return "<bdi data-copied\(attribute: "class", kind)\(attribute: "title", name)>\(name)</bdi>"
  }

  static func value(_ value: FieldValue, isShort: Bool) -> HTML {
    switch value {
    case .timestamp(let moment): return time(moment)
    case .double(let number) where isShort && number.magnitude < 1e9:
      return "\(String((number * 10_000).rounded() / 10_000))"
    case .list(of: _, let values) where !isShort:
      return values.map { Self.value($0, isShort: true) }.joined(separator: ", ")
    case .string(let text) where HTML.isWebAddress(text) && text.utf8.count <= 2000:
      return "<a\(link: text)>\(HTML(breakingAtSlashes: isShort ? shortened(text) : text))</a>"
    case .string(let text) where !isShort && text.contains("\n"): return paragraphs(text) ?? plain(value)
    case .string, .int64, .double, .bytes, .reference, .location, .asset, .list:
      return isShort ? "<bdi>\(shortened(value.display))</bdi>" : plain(value)
    }
  }

  private static func plain(_ value: FieldValue) -> HTML { "<bdi>\(value.display)</bdi>" }

  /// The lines of a text as paragraphs; `nil` for a text with other control characters.
  private static func paragraphs(_ text: String) -> HTML? {
    let lines = text.split { $0.isNewline }.map(String.init)
    guard lines.allSatisfy(\.isPrintableLine) else { return nil }
    return lines.map { "<p><bdi>\($0)</bdi></p>" as HTML }.joined()
  }
}
