import Testing

@testable import CloudKitEmulator

@Suite struct EmulatorRequestTests {
  @Test(
    "a target is divided at its first question mark",
    arguments: [
      ("/a/b", "/a/b", nil), ("/a?b=c", "/a", "b=c"), ("/a?b?c", "/a", "b?c"), ("/a?", "/a", ""),
      ("", "", nil),
      ("?x", "", "x"), ("/é\u{1F600}?ü", "/é\u{1F600}", "ü"), ("/a?\u{301}b", "/a", "\u{301}b"),
    ] as [(String, String, String?)])
  func target(_ target: String, _ path: String, _ query: String?) {
    let request = EmulatorRequest("GET", target)
    #expect(request.path == path && request.query == query)
  }
}
