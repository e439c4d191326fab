internal import CloudKitEmulator
internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import Platform
internal import Records
internal import Reporting

extension LocalConsole {
  /// A page with the console's navigation, and with headers that keep other origins and frames away from it.
  ///
  /// - Parameters:
  ///   - place: the part of the address by which the navigation leads to it; `nil` for other pages.
  ///   - kind: the classes of the title, for the style sheet.
  ///   - script: the only script that may run in it; a page without one allows none.
  func page(
    _ title: String, _ content: HTML, at place: String? = nil, kind: String? = nil,
    script: [UInt8]? = nil, status: Int = 200
  ) -> EmulatorReply {
    let body: HTML = """
      <header class="top"><p><strong>\(store.name)</strong> (\(options.environment.rawValue))\(mode)</p>
      <nav aria-label="Pages">\(navigation(at: place))</nav></header>
      <main>
      <h1\(attribute: "class", kind)><bdi>\(title)</bdi></h1>
      \(content)</main>

      """
    return reply(HTMLPage(title: "\(title): \(store.name)", script: script, body: body), status)
  }

  /// The page for a request that may not use the console: it shows nothing of the container, and no path.
  func refusal(_ refused: ConsoleAccessCheck.Refused) -> EmulatorReply {
    let body: HTML = "<main>\n<h1>Refused</h1>\n<p>\(refused.reason)</p>\n</main>\n"
    return reply(HTMLPage(title: "Refused", body: body), refused.status)
  }

  private func reply(_ page: HTMLPage, _ status: Int) -> EmulatorReply {
    let policy = page.policy(forms: "'self'") + "; frame-ancestors 'none'"
    return EmulatorReply(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        // Under no-referrer a browser would send the forms with the origin null.
        ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
      ], body: page.html(statesPolicy: false).bytes)
  }

  private var mode: HTML { options.isReadOnly ? ", read-only" : "" }

  private func navigation(at place: String?) -> HTML {
    var pages = [("", "Home"), ("schema", "Schema")]
    if case .success(_?) = moderation { pages.append(("moderation", "Reports")) }
    if monitor != nil { pages.append(("requests", "Requests")) }
    if !options.isReadOnly { pages.append(("forms", monitor == nil ? "Snapshots" : "Snapshots and faults")) }
    return pages.map { page, title -> HTML in
      "<a\(attribute: "href", address(of: [page]))\(attribute: "aria-current", page == place ? "page" : nil)>\(title)</a>"
    }.joined(separator: " ")
  }

  /// The address of a page of this console, as an attribute.
  func link(_ parts: String..., query: [(String, String)] = []) -> HTML {
    "\(attribute: "href", address(of: parts, query: query))"
  }

  /// The `action` of a form that leads to a page of this console, as an attribute.
  func action(_ parts: String...) -> HTML { "\(attribute: "action", address(of: parts))" }

  /// A browser takes `.` and `..` for folders, also escaped, so that a record of such a name has it in the query.
  func address(of parts: [String], query: [(String, String)] = []) -> String {
    if let last = parts.last, [".", ".."].contains(last) {
      return address(of: parts.dropLast(), query: [("name", last)] + query)
    }
    let items = query.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let page = path + parts.map { PercentEncoding.encode($0) }.joined(separator: "/")
    return items.isEmpty ? page : "\(page)?\(items)"
  }
}

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
