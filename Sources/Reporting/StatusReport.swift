package import CloudKitModel
package import Diagnostics
package import FeedHealth
internal import HTMLWriting
internal import People

/// The report of `status`: what the container holds about its feeds, as text and JSON, and as a page in HTML or Markdown.
package struct StatusReport: Report {
  private let health: CatalogHealthReport
  private let catalog: CatalogReport
  /// `nil` for a container without live sessions.
  private let sessions: ActiveSessions.Stale?

  init(_ catalog: CatalogReport, sessions: ActiveSessions.Stale? = nil) {
    health = catalog.states
    self.sessions = sessions
    var catalog = catalog
    catalog.notes = [
      catalog.states.refusedSentence.map { "Refused: \($0)." }, sessions?.sentence,
    ].compactMap(\.self)
    self.catalog = catalog
  }

  /// Reads what the container holds. A container with live sessions need not have feeds.
  ///
  /// Throws the container's errors, and ``HealthCheckError`` when it has neither.
  ///
  /// - Parameters:
  ///   - drift: `nil` when no file declares the schema, or the container's cannot be read.
  ///   - previous: what a page is compared with.
  ///   - failLevel: from which state of a feed on the report is a finding.
  package init(
    _ reader: CatalogHealthReader, of container: any Container, at now: Timestamp,
    options: CatalogReport.Options,
    drift: SchemaDrift?, since previous: PreviousReport?, failLevel: CatalogHealthReport.FailLevel?
  ) async throws {
    let sessions = try await ActiveSessions.read(from: container, endedBefore: now)?.stale
    let read: CatalogHealth
    do { read = try await reader.read(at: now) } catch HealthCheckError.noFeedType where sessions != nil {
      read = CatalogHealth(asOf: now)
    }
    self.init(
      CatalogReport(read, options: options, drift: drift, since: previous, failLevel: failLevel),
      sessions: sessions)
  }

  package var status: ExitStatus { health.status }

  package var json: JSONValue {
    var json = health.json.object ?? [:]
    if let sessions {
      json["staleSessions"] = .object([
        "count": JSONValue(sessions.count), "oldestEnd": sessions.oldestEnd.map { .string($0.iso8601) },
      ])
    }
    for (key, value) in catalog.json.members { json[key] = value }
    return .object(json)
  }

  package var body: ReportBody {
    health.body
    if let sentence = sessions?.sentence { ListItem(.caution, "\(sentence)") }
  }

  package func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .html: PrintableText(ReportPage(catalog).html)
    case .markdown: PrintableText(markdown)
    default: rendering(as: format, style)
    }
  }

  /// GitHub takes no more than a mebibyte of a step's summary.
  private var markdown: MarkdownText {
    MarkdownRenderer(maxBytes: catalog.options.maxBytes ?? 1 << 20).render(
      catalog.body, title: "\(catalog.health.verdict)")
  }
}

extension ActiveSessions.Stale {
  /// `3 live sessions are active after the end, the first since 2026-11-20T08:00:00Z: run 'celestra-admin sessions close'.`
  fileprivate var sentence: String? {
    guard let end = oldestEnd else { return nil }
    let subject = count == 1 ? "1 live session is" : "\(count) live sessions are"
    return
      "\(subject) active after the end, the first since \(end.iso8601): run 'celestra-admin sessions close'."
  }
}
