import HTMLWriting
import Testing

@testable import SchemaLanguage
@testable import WebConsole

@Suite struct ConsoleSchemaDiagramTests {
  private func svg(_ names: [String], _ links: [(String, String)] = []) -> String {
    ConsoleSchemaDiagram(
      names, links.map { FieldRelation(type: $0.0, field: "f", target: $0.1, isToMany: false) }
    ).html.description
  }

  /// The places of the boxes, by the types' names.
  private func places(_ names: [String], _ links: [(String, String)]) -> [String: String] {
    svg(names, links).matches(of: /<rect x="(\d+)" y="(\d+)"[^>]*><text[^>]*>([^<]*)</).reduce(into: [:]) {
      $0[String($1.3)] = "\($1.1) \($1.2)"
    }
  }

  @Test("a type is a box, and a reference an arrow to the left")
  func picture() {
    #expect(svg([]).isEmpty)
    #expect(
      svg(["B", "A"], [("B", "A")]) == """
        <svg viewBox="0 0 490 58" width="490" height="58" role="img" aria-label="The record types and what they refer to; \
        the list below says the same.">
        <path fill="none" stroke="#57606a" d="M290 29C245 29 245 29 208 29"/>\
        <path class="head" fill="#57606a" d="M200 29l9 -4v8z"/>
        <rect x="290" y="10" width="190" height="38" rx="6" fill="none" stroke="#57606a"/><text x="300" y="34">B</text>
        <rect x="10" y="10" width="190" height="38" rx="6" fill="none" stroke="#57606a"/><text x="20" y="34">A</text>
        </svg>

        """)
    #expect(svg(["A", "B", "C"]).hasPrefix("<svg viewBox=\"0 0 210 178\" width=\"210\" height=\"178\""))
  }

  @Test("types of one column are below each other; the fourth column is the last")
  func columns() {
    let names = ["A", "B", "C", "D", "E", "F"]
    // Each pass over these links moves only one type.
    let chain = [("E", "D"), ("D", "C"), ("C", "B"), ("B", "A")]
    #expect(
      places(names, chain)
        == ["A": "10 10", "F": "10 70", "B": "290 10", "C": "570 10", "D": "850 10", "E": "850 70"])
    #expect(
      places(["A", "B", "C"], [("C", "A"), ("C", "B"), ("B", "A")]) == [
        "A": "10 10", "B": "290 10", "C": "570 10",
      ])
  }

  @Test("a type that refers to itself or to a type that is not shown stays where it is")
  func otherLinks() {
    let html = svg(["A", "B"], [("A", "A"), ("A", "Users"), ("Users", "B")])
    #expect(!html.contains("<path") && html.hasPrefix("<svg viewBox=\"0 0 210 118\""))
  }

  @Test("a name has at most 24 characters", arguments: [(23, 23), (24, 24), (25, 24), (40, 24)])
  func names(count: Int, shown: Int) throws {
    let html = svg([String(repeating: "N", count: count)])
    let name = try #require(html.firstMatch(of: />(N+…?)</)?.1)
    #expect(name.count == shown && name.hasSuffix("…") == (count > 24))
  }
}
