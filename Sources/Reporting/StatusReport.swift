public import Diagnostics
public import FeedHealth
internal import HTMLWriting

/// The report of `status` in every format: that of the library, and the page.
public struct StatusReport: Report {
  private let report: CatalogHealthReport

  public init(_ report: CatalogHealthReport) { self.report = report }

  public var status: ExitStatus { report.status }
  public var json: JSONValue { report.json }
  public func text(_ style: TerminalStyle) -> PrintableText { report.text(style) }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    format == .html ? PrintableText(StatusPage(report).html) : report.rendered(as: format, style)
  }
}
