import DemoFeeds
import Synchronization
import Testing

/// Feeds whose address redirects, for a while, to one of two others.
@Suite struct RedirectedFeedTests {
  private static let check = ["health", "check", "--force", "--allow-private-addresses", "--format", "json"]

  @Test("an ETag is sent to the address that gave it, and to no other")
  func validators() async throws {
    let (target, asked) = (SharedText("one.xml"), SharedText(""))
    let feed = DemoFeed(
      slug: "blog",
      behavior: .response("blog", "redirects") { request in
        if request.ifNoneMatch != nil { asked.append(request.path + " ") }
        guard ["/one.xml", "/two.xml"].contains(request.path) else {
          return DemoResponse("302 Found", [("Location", request.site + target.text)])
        }
        guard request.ifNoneMatch == nil else { return DemoResponse("304 Not Modified", [("ETag", "\"1\"")]) }
        return DemoResponse(
          "200 OK", [("Content-Type", "application/rss+xml"), ("ETag", "\"1\"")],
          "<rss version='2.0'><channel><title>Blog</title><link>https://blog.example/</link>"
            + "<description>d</description><item><guid isPermaLink='false'>\(request.path)</guid>"
            + "<title>Post</title></item></channel></rss>")
      })
    try await withDemoFeeds([feed]) { tool in
      // The server of the second address takes the ETag of the first for one of its own.
      for (address, notModified, paths) in [
        ("one.xml", 0, ""), ("one.xml", 1, "/one.xml "), ("two.xml", 0, "/one.xml "),
        ("two.xml", 1, "/one.xml /two.xml "),
      ] {
        target.text = address
        let result = try await tool.json(Self.check)
        #expect(result["notModified"] as? Int == notModified)
        #expect(asked.text == paths)
      }
    }
  }
}

/// A text that a server and a test share.
private final class SharedText: Sendable {
  private let value: Mutex<String>

  init(_ text: String) { value = Mutex(text) }

  var text: String {
    get { value.withLock(\.self) }
    set { value.withLock { $0 = newValue } }
  }

  func append(_ text: String) { value.withLock { $0 += text } }
}
