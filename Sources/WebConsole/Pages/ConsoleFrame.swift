internal import CloudKitModel
internal import HTMLWriting
internal import LocalContainer

extension LocalConsole {
  /// A page with the console's navigation, and with headers that keep other origins and frames away from it.
  func page(_ title: String, _ content: HTML, status: Int = 200) -> ConsoleReply {
    let body: HTML = """
      <header><p><strong>\(store.name)</strong> (\(options.environment.rawValue))\(mode)</p>
      <nav aria-label="Pages">\(navigation)</nav></header>
      <main>
      <h1>\(title)</h1>
      \(content)</main>

      """
    return reply(HTMLPage(title: "\(title): \(store.name)", style: ConsoleStyleSheet.css, body: body), status)
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
    let items = query.map { "\($0)=\(FormValues.encoded($1))" }.joined(separator: "&")
    let path = address(of: parts)
    return "\(attribute: "href", items.isEmpty ? path : "\(path)?\(items)")"
  }

  /// The `action` of a form that leads to a page of this console, as an attribute.
  func action(_ parts: String...) -> HTML { "\(attribute: "action", address(of: parts))" }

  private func address(of parts: [String]) -> String {
    path + parts.map(FormValues.encoded).joined(separator: "/")
  }
}

/// The style sheet of the console's pages.
enum ConsoleStyleSheet {
  static let css: StaticString = """
    :root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--link:#0a58ca;--bad:#A4161A}
    @media (prefers-color-scheme:dark){:root{--ground:#111318;--ink:#e6e9ee;--soft:#a3abb6;--line:#363b45;--card:#1b1f27;--link:#8ab4f8;--bad:#FF7B72}}
    *{box-sizing:border-box}
    body{margin:0 auto;max-width:84rem;padding:1rem 1.25rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    a{color:var(--link)}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    header{border-bottom:1px solid var(--line)}
    header p{margin:0}
    nav a{display:inline-block;padding:.4rem .8rem .4rem 0}
    h1{font-size:1.5rem;margin:1rem 0 .5rem}
    h2{font-size:1.15rem;margin:1.75rem 0 .5rem}
    p{max-width:70ch}
    .wide{overflow-x:auto}
    table{border-collapse:collapse;font-variant-numeric:tabular-nums}
    th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
    td{max-width:40ch}
    .wide td,.wide th{min-width:13ch}
    caption{text-align:left;color:var(--soft);padding:.25rem 0}
    thead th{background:var(--card);white-space:nowrap}
    .number{text-align:right}
    .soft{color:var(--soft)}
    .notice{border-left:4px solid var(--bad);background:var(--card);padding:.5rem 1rem;margin:1rem 0}
    code,pre{font-family:ui-monospace,monospace;font-size:.92em}
    pre{white-space:pre-wrap;background:var(--card);padding:.75rem}
    form{border:1px solid var(--line);border-radius:.5rem;background:var(--card);padding:1rem;margin:1rem 0;max-width:60rem}
    form h2{margin-top:0}
    label{display:block;margin:.4rem 0 .1rem}
    input,textarea,button,select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.3rem;padding:.35rem .55rem;max-width:100%}
    input[type=text],textarea{width:100%}
    button{margin-top:.6rem;cursor:pointer}
    .failed{color:var(--bad);font-weight:600}
    svg{max-width:100%;height:auto}
    svg rect{fill:var(--card);stroke:var(--soft)}
    svg text{fill:var(--ink);font:14px system-ui,sans-serif}
    svg path{fill:none;stroke:var(--soft)}
    svg path.head{fill:var(--soft);stroke:none}
    """
}
