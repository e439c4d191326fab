import Cryptography
import Foundation
import Testing

@testable import Reporting

@Suite struct HTMLPageTests {
  private let page = HTMLPage(
    title: "A <title>", script: Array("console.log(1 < 2)".utf8),
    body: "<p>Hello</p>")

  /// The hash is that of the bytes in the finished page.
  @Test func hashesMatchTheWrittenPage() throws {
    let text = page.html().description
    for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
      let start = try #require(text.range(of: "<\(tag)>")?.upperBound)
      let end = try #require(text.range(of: "</\(tag)>")?.lowerBound)
      let hash = Data(SHA256.digest(String(text[start..<end]))).base64EncodedString()
      #expect(page.policy().contains("\(directive) 'sha256-\(hash)'"))
    }
  }

  @Test func policyIsBeforeTheStyle() throws {
    let text = page.html().description
    let policy = try #require(text.range(of: "Content-Security-Policy"))
    #expect(policy.lowerBound < (try #require(text.range(of: "<style>")).lowerBound))
    #expect(text.contains("<title>A &lt;title&gt;</title>"))
    // A hash in base64 may contain what an attribute escapes.
    #expect(text.contains("default-src &#39;none&#39;"))
  }

  @Test func policyOfAServedPage() {
    #expect(!page.html(statesPolicy: false).description.contains("Content-Security-Policy"))
    #expect(page.policy(forms: "'self'").hasSuffix("form-action 'self'"))
    let quiet = HTMLPage(title: "", body: "")
    #expect(!quiet.policy().contains("script-src"))
  }

  @Test func sameInputSameBytes() { #expect(page.html().bytes == page.html().bytes) }
}
