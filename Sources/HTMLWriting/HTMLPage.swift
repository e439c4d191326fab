internal import Cryptography
internal import FoundationEssentials

/// A complete HTML page, with the head, style, script and security policy around its content.
///
/// The only style and the only script are literals of this tool, named by their hash, so that a browser runs nothing
/// else, whatever the page quotes.
package struct HTMLPage: Sendable {
  /// Where the content security policy is stated.
  package enum PolicyPlace: Sendable {
    /// In the page: a file has no header.
    case page
    /// In the reply's header, which can also forbid frames.
    case header
  }

  private let title: String
  private let style: StaticString
  private let script: StaticString?
  private let body: HTML

  /// - Parameters:
  ///   - style: CSS without `</style`; `nil` for ``PageStyleSheet``, which all pages of this tool have.
  ///   - script: JavaScript without `</script` and `<!--`.
  ///   - body: the content of `body`.
  package init(title: String, style: StaticString? = nil, script: StaticString? = nil, body: HTML) {
    self.title = title
    self.style = style ?? PageStyleSheet.css
    self.script = script
    self.body = body
  }

  /// The page's content security policy (CSP Level 3): nothing is loaded, and only our style and script apply.
  ///
  /// - Parameter forms: `'none'`, or `'self'` for a page with forms.
  package func policy(forms: StaticString = "'none'") -> String {
    let script = script.map { "; script-src '\(Self.hash($0))'" } ?? ""
    return
      "default-src 'none'; style-src '\(Self.hash(style))'\(script); base-uri 'none'; form-action \(forms)"
  }

  package func html(policyIn place: PolicyPlace = .page) -> HTML {
    // The policy applies to what follows it. A served page has both in its headers.
    let policy: HTML =
      place == .page
      ? "<meta http-equiv=\"Content-Security-Policy\"\(attribute: "content", policy())>\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      : ""
    let script: HTML = script.map { "<script>\(HTML(stringLiteral: $0))</script>\n" } ?? ""
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      \(policy)<meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="robots" content="noindex">
      <title>\(title)</title>
      <style>\(HTML(stringLiteral: style))</style>
      </head>
      <body>
      \(body)
      \(script)</body>
      </html>

      """
  }

  /// The hash of the exact bytes between the tags.
  private static func hash(_ content: StaticString) -> String {
    "sha256-\(Data(SHA256.digest(content.description)).base64EncodedString())"
  }
}
