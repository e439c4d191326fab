import Diagnostics
import Testing

@testable import CommandLine

@Suite struct PrometheusTextTests {
  private static let down = MetricFamily("feeds", "Feeds by status")
  private static let runs = MetricFamily("run_exit_code", "A \\ and\na second line")

  @Test("a family has one description, all its samples below it, and no timestamp")
  func families() throws {
    let text = PrometheusText([
      Metric(Self.down, [.init("status", "down")], 2), Metric(Self.runs, 3),
      Metric(Self.down, [.init("status", "healthy")], 0),
    ]).text
    #expect(
      text == """
        # HELP celestra_admin_feeds Feeds by status
        # TYPE celestra_admin_feeds gauge
        celestra_admin_feeds{status="down"} 2
        celestra_admin_feeds{status="healthy"} 0
        # HELP celestra_admin_run_exit_code A \\\\ and\\na second line
        # TYPE celestra_admin_run_exit_code gauge
        celestra_admin_run_exit_code 3

        """)
  }

  @Test(
    "numbers are written as Prometheus reads them",
    arguments: [
      (0, "0"), (-1, "-1"), (1.5, "1.5"), (1_767_225_600.25, "1767225600.25"),
      (9_007_199_254_740_994, "9007199254740994"), (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
      (1e300, "1e+300"),
    ] as [(Double, String)])
  func numbers(_ value: Double, _ text: String) { #expect(PrometheusText.number(value) == text) }

  @Test(
    "any text can be the value of a label, and is read back as it was",
    arguments: [
      "", #"a"b"#, #"back\slash"#, "line\nend", "\"\u{301} quote with an accent", "\r\n", "}", #"\n"#, "日本語",
      #"x",command="y"#, " 7",
    ])
  func labels(_ value: String) throws {
    let labels = [Metric.Label("command", "health check"), .init("container", value)]
    let text = PrometheusText([Metric(Self.down, labels, 7)]).text
    #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 3)
    #expect(PrometheusText.labels(of: Self.down, in: text) == labels)
    #expect(PrometheusText.value(of: Metric(Self.down, labels, 0), in: text) == 7)
  }

  @Test(
    "a number is not read from a file that is not this tool's",
    arguments: [
      "", "celestra_admin_feeds", "celestra_admin_feeds x", "celestra_admin_feeds NaN",
      "celestra_admin_feeds +Inf",
      "celestra_admin_feeds{a=\"b\"} 1", "# celestra_admin_feeds 1", "\u{0}\u{FFFD}",
    ])
  func foreign(_ text: String) {
    #expect(PrometheusText.value(of: Metric(Self.down, 0), in: text) == nil)
  }
}
