internal import CloudKitEmulator
internal import CloudKitModel
internal import Diagnostics
internal import HTMLWriting
internal import LocalContainer

extension LocalConsole {
  /// A page with the console's navigation, and with headers that keep other origins and frames away from it.
  ///
  /// - Parameters:
  ///   - place: the part of the address by which the navigation leads to it; `nil` for other pages.
  ///   - kind: the classes of the title, for the style sheet.
  ///   - script: the only script that may run in it; a page without one allows none.
  func page(
    _ title: String, _ content: HTML, at place: String? = nil, kind: String? = nil,
    script: StaticString? = nil, status: Int = 200
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
      ], body: page.html(policyIn: .header).bytes)
  }

  private var mode: HTML { options.isReadOnly ? ", read-only" : "" }

  private func navigation(at place: String?) -> HTML {
    var pages = [("", "Home"), ("schema", "Schema")]
    if options.moderation != nil { pages.append(("moderation", "Reports")) }
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

  func address(of parts: [String], query: [(String, String)] = []) -> String {
    let items = query.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let page = path + parts.map { PercentEncoding.encode($0) }.joined(separator: "/")
    return items.isEmpty ? page : "\(page)?\(items)"
  }
}
