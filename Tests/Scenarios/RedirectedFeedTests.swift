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
      func notModified() async throws -> Int? { try await tool.json(Self.check)["notModified"] as? Int }
      #expect(try await notModified() == 0 && asked.text == "")
      #expect(try await notModified() == 1 && asked.text == "/one.xml ")
      // Another address, whose server takes the ETag for one of its own.
      target.text = "two.xml"
      #expect(try await notModified() == 0 && asked.text == "/one.xml ")
      #expect(try await notModified() == 1 && asked.text == "/one.xml /two.xml ")
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
