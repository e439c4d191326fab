internal import CloudKitModel
internal import Diagnostics
internal import HTMLWriting
internal import LocalContainer

extension LocalConsole {
  /// A page with the console's navigation, and with headers that keep other origins and frames away from it.
  ///
  /// - Parameter script: the only script that may run in it; a page without one allows none.
  func page(_ title: String, _ content: HTML, script: StaticString? = nil, status: Int = 200) -> ConsoleReply
  {
    let body: HTML = """
      <header><p><strong>\(store.name)</strong> (\(options.environment.rawValue))\(mode)</p>
      <nav aria-label="Pages">\(navigation)</nav></header>
      <main>
      <h1>\(title)</h1>
      \(content)</main>

      """
    return reply(
      HTMLPage(
        title: "\(title): \(store.name)", style: ConsoleStyleSheet.css, script: script, body: body), status)
  }

  /// The page for a request that may not use the console: it shows nothing of the container, and no path.
  func refusal(_ refused: ConsoleAccessCheck.Refused) -> ConsoleReply {
    let body: HTML = "<main>\n<h1>Refused</h1>\n<p>\(refused.reason)</p>\n</main>\n"
    return reply(HTMLPage(title: "Refused", style: ConsoleStyleSheet.css, body: body), refused.status)
  }

  private func reply(_ page: HTMLPage, _ status: Int) -> ConsoleReply {
    let policy = page.policy(forms: "'self'") + "; frame-ancestors 'none'"
    return ConsoleReply(
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

  private var navigation: HTML {
    var links: [HTML] = ["<a\(link())>Container</a>", "<a\(link("schema"))>Schema</a>"]
    if monitor != nil { links.append("<a\(link("requests"))>Requests</a>") }
    if !options.isReadOnly { links.append("<a\(link("forms"))>Forms</a>") }
    return links.joined(separator: " ")
  }

  /// The address of a page of this console, as an attribute.
  func link(_ parts: String..., query: [(String, String)] = []) -> HTML {
    let items = query.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let path = address(of: parts)
    return "\(attribute: "href", items.isEmpty ? path : "\(path)?\(items)")"
  }

  /// The `action` of a form that leads to a page of this console, as an attribute.
  func action(_ parts: String...) -> HTML { "\(attribute: "action", address(of: parts))" }

  private func address(of parts: [String]) -> String {
    path + parts.map { PercentEncoding.encode($0) }.joined(separator: "/")
  }
}
