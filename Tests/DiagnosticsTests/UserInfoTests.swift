import Testing

@testable import Diagnostics

@Suite("User names and passwords in URLs") struct UserInfoTests {
  @Test(
    "they are left out of a text",
    arguments: [
      ("see https://user:word@example.com/x.", "see https://[redacted]@example.com/x."),
      ("'http://a@b', 'http://c:d@e'", "'http://[redacted]@b', 'http://[redacted]@e'"),
      ("https://user:two words@example.com", "https://[redacted]@example.com"),
      ("https://u:p@q@example.com", "https://[redacted]@example.com"),
      ("https://example.com/@user", "https://example.com/@user"),
      ("mail@example.com", "mail@example.com"), ("//", "//"), ("", ""),
    ])
  func leftOut(_ text: String, _ wanted: String) {
    #expect(text.withoutUserInfo == wanted)
    #expect(text.maskingUserInfo.unicodeScalars.count == text.unicodeScalars.count)
  }

  @Test("they are in no finding, and in no line under one")
  func finding() {
    let source = SourceText(name: "a.json", #"{"url": "https://user:word@example.com/"}"#)
    let found = Diagnostic(
      "XX1", .error, "https://user:word@example.com/ is refused", at: source.range(8..<40),
      help: "not https://user:word@example.com/")
    let text = TextRenderer().render([found]).description
    #expect(text.contains("https://*********@example.com/"))
    #expect(!text.contains("word"))
  }

  @Test("a confidential text is not shown, its places are")
  func confidential() {
    let source = SourceText(name: "a.json", bytes: Array(#"{"token": secret}"#.utf8), isConfidential: true)
    let text = TextRenderer().render([Diagnostic("XX1", .error, "wrong", at: source.range(10..<16))])
      .description
    #expect(text == "a.json:1:11: error[XX1]: wrong\n")
  }
}
