internal import Cryptography
internal import FoundationEssentials

/// A complete HTML page, with the head, style, script and security policy around its content.
///
/// The only style and the only script are files of this tool, named by their hash, so that a browser runs nothing
/// else, whatever the page quotes.
package struct HTMLPage: Sendable {
  private let title: String
  private let script: [UInt8]?
  private let body: HTML

  /// The style sheet of all pages: the status page and the console. A page is complete without it, for servers that forbid
  /// styles.
  ///
  /// Classes for pages: `tiles` (cards that fill their row), `bar` (what stands in one line above a table, with `details`
  /// that unfold), `chip`, `wide` (a region that scrolls) with a table `records`, `stack` (a table whose rows become blocks
  /// on a narrow screen; `data-h` names a cell), `number`, `notice`, `panel` (a form of its own), `line` (a form in one
  /// line), `danger`, `columns`, `queue` (a list beside one of its items), `done` (a notice with a button), and `down`,
  /// `degraded`, `healthy`, `failed`, `soft` for words.
  ///
  /// A row of the feeds' table is a grid and not a row of a table, because only then a browser leaves out the work for those
  /// that are not in view: 10,000 rows load four times as fast. Each color of a state has a contrast of at least 3:1 on its
  /// ground and stays apart from the others for readers who see two of the three primary colors.
  private static let style = PackageResources.page_css

  /// - Parameter script: JavaScript of this tool, without `</script` and `<!--`.
  package init(title: String, script: [UInt8]? = nil, body: HTML) {
    self.title = title
    self.script = script
    self.body = body
  }

  /// The page's content security policy (CSP Level 3): nothing is loaded, and only our style and script apply.
  ///
  /// - Parameter forms: `'none'`, or `'self'` for a page with forms.
  package func policy(forms: StaticString = "'none'") -> String {
    let script = script.map { "; script-src '\(Self.hash($0))'" } ?? ""
    return
      "default-src 'none'; style-src '\(Self.hash(Self.style))'\(script); base-uri 'none'; form-action \(forms)"
  }

  /// - Parameter statesPolicy: false for a served page, whose reply has the policy in its header, which can also forbid
  ///   frames. A file has no header.
  package func html(statesPolicy: Bool = true) -> HTML {
    // The policy applies to what follows it. A served page has both in its headers.
    let policy: HTML =
      statesPolicy
      ? "<meta http-equiv=\"Content-Security-Policy\"\(attribute: "content", policy())>\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      : ""
    let script: HTML = script.map { "<script>\(HTML(file: $0))</script>\n" } ?? ""
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      \(policy)<meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="robots" content="noindex">
      <title>\(title)</title>
      <style>\(HTML(file: Self.style))</style>
      </head>
      <body>
      \(body)
      \(script)</body>
      </html>

      """
  }

  /// The hash of the exact bytes between the tags.
  private static func hash(_ content: [UInt8]) -> String {
    "sha256-\(Data(SHA256.digest(content)).base64EncodedString())"
  }
}
