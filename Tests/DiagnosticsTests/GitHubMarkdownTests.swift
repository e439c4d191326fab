import Foundation
import Testing

@testable import Diagnostics

/// Texts of others in our Markdown, as a renderer of GitHub's Markdown shows them: each in its cell, as it is, and
/// neither a link, a mention, markup nor another line.
@Suite("Markdown through a renderer", .enabled(if: GitHubMarkdown.isInstalled)) struct GitHubMarkdownTests {
  private static let pieces = [
    "@octocat", "#12", "https://evil.example/x", "www.evil.example", "WWW.Evil.example", "http://",
    "a@b.example", "|",
    "`", "``", "*", "**", "_", "~~", "[x](http://y)", "![x](y)", "<b>", "</td>", "<!--", "&amp;", "&#64;",
    "\\", "\\|",
    "\u{301}", "\u{200D}", "\u{202E}", "é", " ", "a", "1.", "-", "+", "#", "$x$", "!", "user/repo#1", ":",
    "//",
    "mailto:a@b.example", "ftp://x.example", "xmpp:a@b.example", "\n", "\r\n", "\t", "日本", ":---", "---",
    "===", ">",
  ]

  /// Texts of random pieces, the same on each run.
  private static let texts: [String] = {
    var state: UInt64 = 42
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    return (0..<600).map { _ in (0...next(7)).map { _ in pieces[next(pieces.count)] }.joined() } + pieces
  }()

  /// What is shown: without the spaces that hold links back, and without those around it, which a cell never shows.
  private static func shown(_ text: String) -> String {
    String(String.UnicodeScalarView(GitHubMarkdown.unjoined(text).unicodeScalars.filter { $0 != "\u{200B}" }))
      .trimmingCharacters(in: .whitespaces)
  }

  private func cells(_ rows: [MarkdownText]) async throws -> [String] {
    let table: MarkdownText = "| a | b |\n| --- | --- |\n"
    let html = try GitHubMarkdown.html(of: (table + rows.joined()).description)
    return html.components(separatedBy: "<td>").dropFirst().map {
      $0.components(separatedBy: "</td>")[0]
    }
  }

  @Test("a text in a cell is shown as it is, and stays in its cell")
  func inCells() async throws {
    let cells = try await cells(Self.texts.map { "| \($0) | end |\n" })
    try #require(cells.count == 2 * Self.texts.count)
    for (index, text) in Self.texts.enumerated() {
      // Only URLs become code.
      #expect(text.contains("://") || !cells[2 * index].contains("<code>"), "\(text.debugDescription)")
      let cell = cells[2 * index].replacing("<code>", with: "").replacing("</code>", with: "")
      #expect(!cell.contains("<"), "\(text.debugDescription): \(cell)")
      #expect(
        Self.shown(GitHubMarkdown.plain(cell)) == Self.shown(text.printableLine), "\(text.debugDescription)")
      #expect(cells[2 * index + 1] == "end")
    }
  }

  @Test("code in a cell is code, and stays in its cell")
  func codeInCells() async throws {
    let texts = Self.texts.filter { !Self.shown($0.printableLine).isEmpty }
    let cells = try await cells(texts.map { "| \(tableCode: $0) | end |\n" })
    try #require(cells.count == 2 * texts.count)
    for (index, text) in texts.enumerated() {
      let cell = cells[2 * index]
      let inner = cell.replacing("<code>", with: "").replacing("</code>", with: "")
      #expect(cell.hasPrefix("<code>") && cell.hasSuffix("</code>") && !inner.contains("<"), "\(cell)")
      #expect(
        Self.shown(GitHubMarkdown.plain(inner)) == Self.shown(text.printableLine), "\(text.debugDescription)")
    }
  }

  @Test("a text in an element of HTML is shown as it is, and does not end it")
  func inHTML() async throws {
    let html = try GitHubMarkdown.html(
      of: Self.texts.map { "<details><summary>\(html: $0)</summary>\n\n- x\n</details>\n\n" as MarkdownText }
        .joined().description)
    let summaries = html.components(separatedBy: "<summary>").dropFirst().map {
      $0.components(separatedBy: "</summary>")[0]
    }
    try #require(summaries.count == Self.texts.count)
    for (summary, text) in zip(summaries, Self.texts) {
      #expect(!summary.contains("<"), "\(text.debugDescription): \(summary)")
      #expect(
        summary.firstMatch(of: /[@#][A-Za-z0-9]|[wW]{3}\.|:\/\//) == nil,
        "\(text.debugDescription): \(summary)")
      #expect(
        Self.shown(GitHubMarkdown.plain(summary)) == Self.shown(text.printableLine),
        "\(text.debugDescription)")
    }
    #expect(html.components(separatedBy: "<li>").count == Self.texts.count + 1)
  }

  @Test("a text in a list and in a heading is neither markup nor a link")
  func inLists() async throws {
    let html = try GitHubMarkdown.html(
      of: Self.texts.map { "### A \($0)\n\n- x \($0)\n  - y \($0)\n\n" as MarkdownText }.joined().description)
    for tag in [
      "<a ", "<em>", "<strong>", "<del>", "<img", "<b>", "<table", "<blockquote", "<ol", "<hr",
    ] {
      #expect(!html.contains(tag), "\(tag)")
    }
    #expect(html.components(separatedBy: "<h3>").count == Self.texts.count + 1)
    #expect(html.components(separatedBy: "<li>").count == 2 * Self.texts.count + 1)
  }
}

/// The reference implementation of GitHub Flavored Markdown, with the extensions that GitHub uses.
private enum GitHubMarkdown {
  private static let program = ["/usr/bin/cmark-gfm", "/opt/homebrew/bin/cmark-gfm"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  static var isInstalled: Bool { program != nil }

  static func html(of markdown: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gfm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appending(path: "in.md"), folder.appending(path: "out.html"))
    try markdown.write(to: input, atomically: true, encoding: .utf8)
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(filePath: try #require(program))
    process.arguments =
      ["--unsafe"] + ["table", "autolink", "strikethrough", "tagfilter"].flatMap { ["-e", $0] } + [input.path]
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return unjoined(try String(contentsOf: output, encoding: .utf8))
  }

  /// With letters in place of the marks that would join what is before them to one character of Swift's, such as a `<`.
  static func unjoined(_ text: String) -> String {
    let letters: [Unicode.Scalar: Unicode.Scalar] = ["\u{301}": "\u{E001}", "\u{200D}": "\u{E002}"]
    return String(String.UnicodeScalarView(text.unicodeScalars.map { letters[$0] ?? $0 }))
  }

  static func plain(_ html: String) -> String {
    html.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&amp;", with: "&")
  }
}
