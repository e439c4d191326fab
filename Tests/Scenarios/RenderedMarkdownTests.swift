import Foundation
import Testing

private let renderer = "/usr/bin/cmark-gfm"

/// Comments for pull requests as the reference implementation of GitHub's Markdown renders them, made of schemas whose
/// comments, names and file names look like markup.
@Suite(
  "Markdown of schemas through a renderer",
  .enabled(if: FileManager.default.isExecutableFile(atPath: renderer)))
struct RenderedMarkdownTests {
  /// The elements that these comments are made of.
  private static let elements: Set<Substring> = [
    "h1", "h2", "h3", "h4", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "br", "ul",
    "ol",
    "li",
    "pre", "details", "summary", "b",
  ]
  private static let hostile =
    "@octocat #12 | </td></details> <!-- `x [y](http://z) https://evil.example www.evil.example \\|"
  private static let files = (old: "old @octocat#12 [x](y)|`.ckdb", new: "www.evil.example <b> *new*.ckdb")

  /// Each type loses and gains something; two have more lines than stay unfolded.
  private static func schema(_ isNew: Bool) -> String {
    let fields = (10..<30).map { "  f_\($0)_ STRING\(isNew ? "" : " SORTABLE"), // \(hostile)" }
    let many = (10..<30).map { "  many_\($0) STRING, -- \(hostile)" }
    return """
      DEFINE SCHEMA
      // \(hostile)
      CREATE ROLE "A_role_";
      RECORD TYPE CD_a_b__c_ (
      \(fields.joined(separator: "\n"))
        GRANT WRITE TO "\(isNew ? "A_role_" : "_creator")"
      );
      // \(hostile)
      RECORD TYPE \(isNew ? "In_new_" : "In_old_") (
      \(many.joined(separator: "\n"))
        "from" \(isNew ? "STRING" : "INT64"), // \(hostile)
        GRANT READ, WRITE TO "_world"
      );
      """
  }

  /// The HTML of what a command prints, without what is in `code`.
  private func rendered(_ command: String, in folder: String) async throws -> String {
    for (name, isNew) in [(Self.files.old, false), (Self.files.new, true)] {
      try Self.schema(isNew).write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let line =
      "celestra-admin \(command) > printed.md; status=$?; \(renderer) --unsafe -e table -e autolink "
      + "-e strikethrough -e tagfilter printed.md; exit $status"
    let run = try await Tool(directory: folder).shell(line)
    #expect(run.status == 0, "\(command): \(run.err)")
    return run.out
  }

  @Test(
    "no link, mention, broken cell or open fold comes out of a schema",
    arguments: [
      "schema diff '\(files.old)' '\(files.new)' --format markdown",
      "schema diff '\(files.new)' '\(files.old)' --format markdown",
      "schema plan '\(files.new)' --container local:none.sqlite --format markdown",
      "schema docs '\(files.new)'",
    ])
  func contained(_ command: String) async throws {
    try await withScratchFolder { folder in
      let html = try await rendered(command, in: folder)
      for match in html.matches(of: /<\/?([a-z0-9]+)/) {
        #expect(Self.elements.contains(match.1), "\(match.0)")
      }
      for element in ["details", "summary", "table", "ul", "b"] {
        let (opened, closed) = (html.ranges(of: "<\(element)>").count, html.ranges(of: "</\(element)>").count)
        #expect(opened == closed, "\(element)")
      }
      for table in html.components(separatedBy: "<table>").dropFirst() {
        let rows = table.components(separatedBy: "</table>")[0].components(separatedBy: "<tr>").dropFirst()
        let widths = Set(rows.map { $0.ranges(of: /<t[hd][ >]/).count })
        #expect(widths.count == 1, "\(widths)")
      }
      let outside = html.replacing(/<pre>(?s:.*?)<\/pre>|<code>(?s:.*?)<\/code>/, with: "")
      #expect(!outside.contains(/[@#][a-z0-9]|www\.|:\/\//), "\(outside)")
      #expect(!outside.contains(/[A-Za-z]\\_/), "\(outside)")
    }
  }
}
