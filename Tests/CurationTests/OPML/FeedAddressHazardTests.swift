import Catalog
import Diagnostics
import Testing

@testable import Curation

/// Documentation/reference/curation.md#opml-and-the-catalog
@Suite("Hazards of feed addresses") struct FeedAddressHazardTests {
  private func rules(_ url: String) -> [CurationRule] {
    FeedAddressHazard.all(in: ComparableAddress(url), of: "").map { $0.rule }
  }

  @Test(
    "a parameter that is named like a key and has a value is a secret",
    arguments: [
      ("https://a.example/f?token=x", true), ("https://a.example/f?a=1&API_KEY=x", true),
      ("https://a.example/f?a;pw=x", true), ("https://a.example/f?token=x=y", true),
      ("https://a.example/f?token=", false),
      ("https://a.example/f?token", false), ("https://a.example/f?tokens=x", false),
      ("https://a.example/token=x", false),
      ("https://a.example/f?a=token", false), ("https://a.example/f", false),
      ("https://a.example/f?a?token=x", false),
      ("https://a.example/f?a#&token=x", false),
    ])
  func secrets(_ url: String, _ isSecret: Bool) {
    #expect(rules(url).contains(.secretAddress) == isSecret)
  }

  @Test(
    "a host is private in certain networks, with one label, and below certain endings",
    arguments: [
      ("localhost", true), ("a.local", true), ("a.localhost", true), ("a.lan", true), ("a.internal", true),
      ("a.home.arpa", true), ("a.test", true), ("local.example", false), ("nas", true), ("a.example", false),
      ("[::1]", true), ("[fc00::1]", true), ("[fd00::1]", true), ("[fe80::1]", true),
      ("[2606:4700::1]", false), ("[5f00::1]", true),
      ("0.0.0.0", true), ("1.0.0.1", false), ("10.1.2.3", true), ("11.1.2.3", false), ("9.1.2.3", false),
      ("127.9.9.9", true),
      ("128.0.0.1", false), ("126.0.0.1", false), ("192.168.0.1", true), ("192.167.0.1", false),
      ("192.169.0.1", false),
      ("193.168.0.1", false), ("169.254.0.1", true), ("169.253.0.1", false), ("169.255.0.1", false),
      ("170.254.0.1", false),
      ("172.16.0.1", true), ("172.31.0.1", true), ("172.15.0.1", false), ("172.32.0.1", false),
      ("171.16.0.1", false),
      ("173.16.0.1", false), ("100.64.0.1", true), ("100.127.0.1", true), ("100.63.0.1", false),
      ("100.128.0.1", false),
      ("101.64.0.1", false), ("10.0.1", false), ("10.0.0.0.1", false), ("10.300.0.1", false),
      ("10.a.0.1", false),
    ])
  func privateHosts(_ host: String, _ isPrivate: Bool) {
    #expect(rules("https://\(host)/feed").contains(.privateAddress) == isPrivate)
  }

  @Test("several hazards are reported in one order, and other texts have none")
  func several() {
    #expect(rules("http://nas/f?key=1#a") == [.secretAddress, .privateAddress, .addressFragment])
    #expect(rules("https://a.example/#a") == [.addressFragment])
    #expect(rules("nas#a?key=1") == [])
  }

  private func finding(
    _ code: String, _ severity: Diagnostic.Severity, _ message: String, line: Int?, help: String? = nil
  )
    -> Diagnostic
  {
    let source = SourceText(name: "f", String(repeating: "\n", count: 20))
    return Diagnostic(code, severity, message, at: line.map { source.range($0 - 1..<$0) }, help: help)
  }

  @Test("findings with one cause are one line, the most severe first")
  func groups() {
    let found = [
      finding("CU1", .note, "'a' is odd: HTTP 404", line: 1),
      finding("CU1", .note, "'b' is odd: HTTP 404", line: 2),
      finding("CU1", .note, "'c' is odd: HTTP 500", line: 3),
      finding("CU1", .note, "'d: e' is odd", line: nil),
      finding("CU2", .error, "bad", line: 4, help: "fix it"),
      finding("CU2", .error, "worse", line: 5, help: "or this"),
    ]
    #expect(
      ReportBody { GroupedFindings(found).items }.text().description == """
        error[CU2]: bad (line 4)
          help: fix it
        error[CU2]: worse (line 5)
          help: or this
        note[CU1]: 'a' is odd: HTTP 404 (line 1), and 1 more like it (line 2)
        note[CU1]: 'c' is odd: HTTP 500 (line 3)
        note[CU1]: 'd: e' is odd

        """)
  }

  @Test("of many places the first five are listed")
  func places() {
    func text(_ count: Int) -> String {
      let findings = GroupedFindings((1...count).map { finding("CU1", .warning, "x", line: $0) })
      return ReportBody { findings.items }.text().description
    }
    #expect(text(6) == "warning[CU1]: x (line 1), and 5 more like it (lines 2, 3, 4, 5, 6)\n")
    #expect(text(7) == "warning[CU1]: x (line 1), and 6 more like it (lines 2, 3, 4, 5, 6 and 1 more)\n")
  }
}
