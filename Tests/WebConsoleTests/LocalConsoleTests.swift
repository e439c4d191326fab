import CloudKitModel
import Cryptography
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import CloudKitEmulator
@testable import WebConsole

@Suite struct LocalConsoleTests {
  private static let hostile = "</td><script>alert(1)</script>\"\u{301} onfocus=alert(1)"
  private static let now = Timestamp(milliseconds: 1_772_452_800_000)

  private func console(
    feeds count: Int = 3, readOnly: Bool = false, state: String? = nil, monitor: EmulatorActivity? = nil
  ) async throws -> LocalConsole {
    let container = try LocalContainer.open(.memory)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    try await container.importSchema(
      String(contentsOf: root.appending(path: "schema/celestra.ckdb"), encoding: .utf8))
    let feeds = (0..<count).map { index in
      RecordOperation(
        .create, recordType: "PublicFeed", recordName: "feed \(index)/#?",
        fields: [
          "title": .string("\(Self.hostile) \(index)"), "feedURL": .string("javascript:alert(\(index))"),
          "category": .reference(Reference("cat \(index)")), "addedAt": .timestamp(Self.now),
        ])
    }
    let untitled = RecordOperation(
      .create, recordType: "FeedCategory", recordName: "untitled", fields: ["slug": .string("untitled")])
    for outcome in try await container.modify(feeds + [untitled]) {
      if let error = outcome.error { throw error }
    }
    var options = LocalConsole.Options(environment: .development, now: { Self.now })
    (options.isReadOnly, options.stateFolder) = (readOnly, state)
    let console = LocalConsole(store: container.store, monitor: monitor, options: options)
    console.listens(on: 8081)
    return console
  }

  /// The headers of a browser that has opened the console's first page.
  private static func headers(_ console: LocalConsole) -> [(name: String, value: String)] {
    [("Host", "127.0.0.1:8081"), ("Cookie", String(console.callers.cookie.prefix { $0 != ";" }))]
  }

  /// A page of the console by its path below the secret one, or by a link of a page.
  private static func full(_ target: String, _ console: LocalConsole) -> String {
    target.hasPrefix(console.path) ? target : "\(console.path)\(target.dropFirst())"
  }

  private func get(_ console: LocalConsole, _ target: String) async -> (status: Int, html: String) {
    let reply = await console.reply(
      to: ConsoleRequest("GET", Self.full(target, console), headers: Self.headers(console)))
    return (reply.status, String(decoding: reply.body, as: UTF8.self))
  }

  private func post(_ console: LocalConsole, _ target: String, _ form: String) async -> (
    status: Int, html: String
  ) {
    let reply = await console.reply(
      to: ConsoleRequest(
        "POST", Self.full(target, console),
        headers: Self.headers(console) + [("Content-Type", "application/x-www-form-urlencoded")],
        body: Array("\(form)&secret=\(console.callers.formSecret)".utf8)))
    return (reply.status, String(decoding: reply.body, as: UTF8.self))
  }

  @Test("records are text, whatever they hold, in pages of 50")
  func records() async throws {
    let console = try await console(feeds: 60)
    let first = await get(console, "/records/PublicFeed?sort=title")
    #expect(first.status == 200)
    // The console's own script, and no other.
    #expect(first.html.components(separatedBy: "<script").count == 2)
    #expect(!first.html.contains("href=\"javascript"))
    #expect(first.html.contains("&lt;/td&gt;&lt;script&gt;alert(1)"))
    #expect(first.html.components(separatedBy: "<tr><th scope=\"row\">").count == 51)
    let next = try #require(first.html.firstMatch(of: /href="([^"]*marker[^"]*)"/)?.1)
    let second = await get(console, String(next).replacing("&amp;", with: "&").replacing("&#61;", with: "="))
    #expect(second.html.components(separatedBy: "<tr><th scope=\"row\">").count == 11)
  }

  @Test(
    "the columns: title first, short record name last, times with the exact UTC; the next page keeps the choice"
  )
  func columns() async throws {
    let console = try await console(feeds: 60)
    let html = await get(console, "/records/PublicFeed?column=addedAt&column=slug&sort=title").html
    let heads = html.matches(of: /<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)</).map { String($0.1) }
    #expect(heads == ["title", "slug", "addedAt", "Record name"])
    // What the schema makes SORTABLE sorts, a second time the other way.
    #expect(html.contains("aria-sort=\"ascending\"><a class=\"sort\""))
    #expect(html.contains("?sort&#61;title%3Adesc&amp;column&#61;addedAt&amp;column&#61;slug\">title</a>"))
    #expect(html.contains("title=\"Not SORTABLE in the schema\">slug</th>"))
    #expect(html.contains("<summary>Columns (2 of 17)</summary>"))
    #expect(html.contains("value=\"slug\" checked> slug</label>"))
    #expect(html.contains("value=\"siteURL\"> siteURL</label>"))
    #expect(
      html.contains(
        "<time datetime=\"2026-03-02T12:00:00Z\" title=\"2026-03-02T12:00:00Z\">2026-03-02 12:00:00 UTC</time>"
      ))
    #expect(html.contains("<bdi data-copied class=\"id\" title=\"feed 1/#?\">feed 1/#?</bdi>"))
    let next = try #require(html.firstMatch(of: /href="([^"]*marker[^"]*)"/)?.1)
    #expect(
      next.replacing("&amp;", with: "&").replacing("&#61;", with: "=").contains(
        "column=slug&column=addedAt&marker="))
    let unknown = await get(console, "/records/PublicFeed?column=slog")
    #expect(unknown.status == 400 && unknown.html.contains("no field &#39;slog&#39;"))
  }

  @Test("a record without a title is called by its record name, and so is its page")
  func untitled() async throws {
    let console = try await console()
    let html = await get(console, "/records/FeedMetadata").html
    #expect(html.contains("No record matches."))
    #expect(await get(console, "/record/untitled").html.contains("<h1><bdi>untitled</bdi></h1>"))
    let list = await get(console, "/records/FeedCategory").html
    #expect(list.contains("record/untitled\"><bdi class=\"id\" title=\"untitled\">untitled</bdi></a></th>"))
    #expect(list.contains(">Record</th>"))
  }

  @Test(
    "values of short lists are counted, filter by a click, and a filter of the form is one of the address")
  func filters() async throws {
    let console = try await console(feeds: 4)
    for outcome in try await console.container.modify(
      (0..<4).map { index in
        RecordOperation(
          .forceUpdate, recordType: "PublicFeed", recordName: "feed \(index)/#?",
          fields: [
            "language": .string(index == 0 ? "de" : "en"), "isFeatured": .int64(index == 0 ? 1 : 0),
            "category": .reference(Reference("untitled")),
          ])
      })
    {
      if let error = outcome.error { throw error }
    }
    let all = await get(console, "/records/PublicFeed").html
    #expect(all.contains("<span>4 records</span>"))
    #expect(all.contains("language%20%3D%3D%20en\"><bdi>en</bdi></a> <small>3</small>"))
    #expect(all.contains("isFeatured%20%3D%3D%201\"><bdi>1</bdi></a> <small>1</small>"))
    // No list of what is different everywhere.
    #expect(!all.contains("<strong>feedURL</strong>"))
    let some = await get(console, "/records/PublicFeed?field=language&op=%3D%3D&value=de").html
    #expect(some.contains("<span>1 record</span>") && some.contains("language == de ×</a>"))
    #expect(some.contains("<input type=\"hidden\" name=\"filter\" value=\"language &#61;&#61; de\">"))
  }

  @Test(
    "the first page has the verdict, the types and what is wrong; a reference has the title of its record")
  func home() async throws {
    let console = try await console()
    let home = await get(console, "/").html
    #expect(
      home.contains("<h1 class=\"verdict unknown\"><bdi>None of the 3 feeds was ever checked.</bdi></h1>"))
    #expect(home.contains("PublicFeed</a></th><td class=\"number\">3</td>"))
    let named = RecordOperation(
      .create, recordType: "FeedCategory", recordName: "cat 1", fields: ["name": .string("Science & more")])
    for outcome in try await console.container.modify([named]) {
      if let error = outcome.error { throw error }
    }
    #expect(
      await get(console, "/records/PublicFeed").html.contains(
        "record/cat%201\" title=\"cat 1\"><bdi>Science &amp; more</bdi></a>"))
    let category = await get(console, "/record/cat%201").html
    #expect(category.contains("<h1><bdi>Science &amp; more</bdi></h1>") && category.contains("<dt>name "))
    #expect(category.contains(">PublicFeed</a> by category</li>"))
  }

  @Test("a query that CloudKit would refuse names the line that the schema lacks")
  func preflight() async throws {
    let console = try await console()
    let reply = await get(console, "/records/PublicFeed?filter=subtitle+%3D%3D+x")
    #expect(reply.html.contains("CloudKit refuses this query, because 1 index is missing."))
    #expect(reply.html.contains("RECORD TYPE PublicFeed: <code>subtitle STRING QUERYABLE</code>"))
    #expect(!reply.html.contains("<tbody>"))
  }

  @Test(
    "what is wrong with a query or an address is said",
    arguments: [
      ("/records/PublicFed", 400, "no record type"),
      ("/records/PublicFeed?filter=titel+%3D%3D+x", 400, "titel"),
      ("/records/PublicFeed?filter=nonsense", 400, "nonsense"),
      ("/records/PublicFeed?marker=x", 200, "refuses"),
      ("/nowhere", 404, "no such page"), ("/requests", 404, "no such page"),
      ("/records/Users", 200, "refuses"),
      ("/record/nothing", 200, "not found"),
    ])
  func mistakes(_ target: String, _ status: Int, _ words: String) async throws {
    let reply = await get(try await console(), target)
    #expect(reply.status == status)
    #expect(reply.html.lowercased().contains(words.lowercased()), "\(reply.html)")
  }

  @Test("one record, with links to what it refers to and without its creator")
  func record() async throws {
    let console = try await console()
    let reply = await get(console, "/record/feed%201%2F%23%3F")
    #expect(reply.status == 200)
    #expect(reply.html.contains("href=\"\(console.path)record/cat%201\""))
    #expect(reply.html.contains("change tag"))
    #expect(!reply.html.contains("_a6f94335ec2250271f7122acfb8c2ea8"))
  }

  @Test("the schema has grants in words and a diagram")
  func schema() async throws {
    let reply = await get(try await console(), "/schema")
    #expect(
      reply.html.contains(
        "<p>Anyone may read. The role CatalogAdmin may read, create, change and delete.</p>"))
    #expect(reply.html.contains("<svg class=\"diagram\" viewBox"))
    #expect(reply.html.contains("<code>PublicFeed.category</code> refers to <code>FeedCategory</code>"))
  }

  @Test("a page with a script allows only that one, by its hash")
  func script() async throws {
    let console = try await console()
    let hash = Data(SHA256.digest(PackageResources.console_js)).base64EncodedString()
    for target in ["/", "/records/PublicFeed", "/record/feed%201%2F%23%3F"] {
      let reply = await console.reply(
        to: ConsoleRequest("GET", Self.full(target, console), headers: Self.headers(console)))
      let policy = try #require(reply.headers.first { $0.name == "Content-Security-Policy" }?.value)
      #expect(policy.contains("script-src 'sha256-\(hash)';"))
      #expect(policy.hasPrefix("default-src 'none'"))
    }
  }

  @Test(
    "every other reply forbids scripts, and all forbid frames and other origins",
    arguments: ["/nowhere", "/records/PublicFed", "/schema", "/forms", "/reset"])
  func headers(_ target: String) async throws {
    let console = try await console()
    for headers in [Self.headers(console), [("Host", "evil.com")], [("Host", "127.0.0.1:8081")]] {
      let reply = await console.reply(
        to: ConsoleRequest("GET", Self.full(target, console), headers: headers))
      let found = Dictionary(reply.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
      let policy = try #require(found["Content-Security-Policy"])
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("script-src"))
      #expect(found["Referrer-Policy"] == "same-origin")
      #expect(found["X-Content-Type-Options"] == "nosniff" && found["Cache-Control"] == "no-store")
      #expect(!reply.headers.contains { $0.name.hasPrefix("Access-Control") })
    }
  }

  @Test("no secret of forms in a page that has no form, and the cookie's value in none")
  func secret() async throws {
    let console = try await console()
    let cookie = try #require(console.callers.cookie.firstMatch(of: /=([0-9a-f]{32});/)?.1)
    for target in ["/", "/schema", "/records/PublicFeed", "/nowhere", "/reset"] {
      let html = await get(console, target).html
      #expect(html.contains(console.callers.formSecret) == (target == "/reset"))
      #expect(!html.contains(cookie))
    }
  }

  @Test("a refusal shows nothing of the container, no link and no secret")
  func refusals() async throws {
    let console = try await console()
    let host = (name: "Host", value: "127.0.0.1:8081")
    let refused = [
      ConsoleRequest("GET", "/", headers: Self.headers(console)),
      ConsoleRequest("GET", "/records/PublicFeed", headers: Self.headers(console)),
      ConsoleRequest("GET", console.path.uppercased(), headers: Self.headers(console)),
      ConsoleRequest("GET", console.path + "records/PublicFeed", headers: [host]),
      ConsoleRequest("GET", console.path, headers: [("Host", "evil.com")]),
      ConsoleRequest("GET", console.path, headers: [host, ("Sec-Fetch-Site", "cross-site")]),
      ConsoleRequest("PUT", console.path, headers: Self.headers(console)),
      ConsoleRequest("POST", console.path + "reset", headers: Self.headers(console)),
    ]
    for request in refused {
      let reply = await console.reply(to: request)
      let text = String(decoding: reply.body, as: UTF8.self)
      #expect([403, 405, 415, 421].contains(reply.status))
      for word in [
        "href", "form method", "PublicFeed", console.store.name, "development",
        String(console.path.dropLast()),
      ] {
        #expect(!text.contains(word), "\(word)")
      }
      #expect(!reply.headers.contains { $0.name == "Set-Cookie" })
    }
    #expect(try await console.store.info().counts.contains { $0.records == 3 })
  }

  @Test("the first page gives the cookie, with which its links work; others give none")
  func cookie() async throws {
    let console = try await console()
    let first = await console.reply(
      to: ConsoleRequest("GET", console.path, headers: [("Host", "127.0.0.1:8081")]))
    let cookie = try #require(first.headers.first { $0.name == "Set-Cookie" }?.value)
    let pair = String(cookie.prefix { $0 != ";" })
    let links = String(decoding: first.body, as: UTF8.self).matches(of: /href="([^"]*)"/).map { String($0.1) }
    #expect(links.contains(console.path + "schema") && links.contains(console.path + "records/PublicFeed"))
    for link in links where link.hasPrefix(console.path) && link != console.path {
      let request = ConsoleRequest("GET", link, headers: [("Host", "127.0.0.1:8081"), ("Cookie", pair)])
      let reply = await console.reply(to: request)
      #expect(reply.status == 200, "\(link)")
      #expect(!reply.headers.contains { $0.name == "Set-Cookie" })
    }
  }

  // MARK: Forms

  @Test("reset deletes the records and keeps the schema, once it is confirmed")
  func reset() async throws {
    let console = try await console()
    #expect(await post(console, "/reset", "").status == 400)
    #expect(try await console.store.info().counts.contains { $0.records == 3 })
    let done = await post(console, "/reset", "acceptRisk=data-loss")
    #expect(done.status == 200 && done.html.contains("records deleted"))
    #expect(await get(console, "/records/PublicFeed").html.contains("No record matches."))
    #expect(try await console.store.schema(of: .development)[recordType: "PublicFeed"] != nil)
  }

  @Test("a snapshot is a whole container under a plain name, and never replaces one")
  func snapshot() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "console-\(UUID().uuidString)").path
    // The system clears its own folder otherwise.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let console = try await console(state: folder)
    for name in ["", "..%2Fx", ".hidden", "a%2Fb", "a+b", "%C3%A4", String(repeating: "a", count: 65)] {
      #expect(await post(console, "/snapshot", "name=\(name)").status == 400, "\(name)")
    }
    #expect(await post(console, "/snapshot", "name=before-1").status == 200)
    let copy = try LocalContainer.open(.file("\(folder)/snapshots/before-1.sqlite"), access: .readOnly)
    #expect(try await copy.store.info().counts.contains { $0.recordType == "PublicFeed" && $0.records == 3 })
    #expect(await post(console, "/snapshot", "name=before-1").html.contains("already exists"))
  }

  @Test("a snapshot is written through no link, and into no folder that others can write to")
  func snapshotFolder() async throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "console-\(UUID().uuidString)").path
    // The system clears its own folder otherwise.
    defer { try? files.removeItem(atPath: folder) }
    let (state, elsewhere) = ("\(folder)/state", "\(folder)/elsewhere")
    try files.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try files.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let console = try await console(state: state)

    try files.createSymbolicLink(atPath: "\(state)/snapshots", withDestinationPath: elsewhere)
    let linked = await post(console, "/snapshot", "name=a")
    #expect(linked.status == 400 && linked.html.contains("is a link"))
    #expect(try files.contentsOfDirectory(atPath: elsewhere) == [])
    try files.removeItem(atPath: "\(state)/snapshots")

    try files.createDirectory(atPath: "\(state)/snapshots", withIntermediateDirectories: false)
    try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: "\(state)/snapshots")
    let open = await post(console, "/snapshot", "name=a")
    #expect(open.status == 400 && open.html.contains("other users may write to it"))
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(state)/snapshots")

    for name in ["a.sqlite", "b.sqlite.partial"] {
      try files.createSymbolicLink(
        atPath: "\(state)/snapshots/\(name)", withDestinationPath: "\(elsewhere)/x")
    }
    #expect(await post(console, "/snapshot", "name=a").html.contains("already exists"))
    // The unfinished copy has another name, so that this link is not in the way.
    #expect(await post(console, "/snapshot", "name=b").status != 400)
    #expect(try files.contentsOfDirectory(atPath: elsewhere) == [])
  }

  @Test("a read-only console has no forms and takes none")
  func readOnly() async throws {
    let console = try await console(readOnly: true)
    #expect(await get(console, "/forms").status == 404)
    #expect(await get(console, "/reset").status == 404)
    #expect(await post(console, "/reset", "acceptRisk=data-loss").status == 400)
    #expect(try await console.store.info().counts.contains { $0.records == 3 })
  }

  @Test("faults need an emulator")
  func faults() async throws {
    #expect(
      await post(try await console(), "/faults", "rules=half").html.contains(
        "no emulator runs with this console"))
  }

  @Test("a name for a snapshot has at most 64 characters; without a folder there is no form for it")
  func snapshotForm() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "console-\(UUID().uuidString)").path
    // The system clears its own folder otherwise.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let saving = try await console(feeds: 0, state: folder)
    #expect(await get(saving, "/forms").html.contains("Save a snapshot"))
    #expect(await post(saving, "/snapshot", "name=\(String(repeating: "a", count: 64))").status == 200)
    let console = try await console(feeds: 2)
    #expect(!(await get(console, "/forms").html.contains("Save a snapshot")))
    #expect(await post(console, "/snapshot", "name=a").html.contains("no folder to save snapshots in"))
  }
}
