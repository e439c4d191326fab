public import CloudKitModel
public import Diagnostics
public import FeedHealth
internal import HTMLWriting
internal import LiveSessions

/// The report of `status` in every format: the health of the feeds, and live sessions that were not closed.
public struct StatusReport: Report {
  private let health: CatalogHealthReport
  /// `nil` for a container without live sessions.
  private let sessions: ActiveSessions.Stale?

  /// The report about feeds alone.
  public init(_ health: CatalogHealthReport) {
    self.health = health
    sessions = nil
  }

  /// Reads what the container holds. A container with live sessions need not have feeds.
  ///
  /// Throws the container's errors, and ``HealthCheckError`` when it has neither.
  public init(
    _ reader: CatalogHealthReader, of container: any Container, at now: Timestamp,
    failLevel: CatalogHealthReport.FailLevel?
  ) async throws {
    sessions = try await ActiveSessions.read(from: container, endedBefore: now)?.stale
    let read: CatalogHealth
    do { read = try await reader.read(at: now) } catch HealthCheckError.noFeedType where sessions != nil {
      read = CatalogHealth(asOf: now)
    }
    health = CatalogHealthReport(read, failLevel: failLevel)
  }

  public var status: ExitStatus { health.status }

  public var json: JSONValue {
    guard case .object(var json) = health.json, let sessions else { return health.json }
    json["staleSessions"] = .object([
      "count": JSONValue(sessions.count), "oldestEnd": sessions.oldestEnd.map { .string($0.iso8601) },
    ])
    return .object(json)
  }

  /// `3 sessions are active after their end, the first since 2026-11-20T08:00:00Z: run 'celestra-admin sessions close'.`
  private var staleSentence: String? {
    guard let sessions, let end = sessions.oldestEnd else { return nil }
    let subject = sessions.count == 1 ? "1 live session is" : "\(sessions.count) live sessions are"
    return
      "\(subject) active after the end, the first since \(end.iso8601): run 'celestra-admin sessions close'."
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    health.text(style) + (staleSentence.map { "\(style.yellow("!")) \($0)\n" } ?? "")
  }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .html: PrintableText(StatusPage(health, note: staleSentence).html)
    case .markdown:
      health.rendered(as: format, style)
        + PrintableText(staleSentence.map { MarkdownText("\n\($0)\n") } ?? "")
    default: text(style)
    }
  }
}
