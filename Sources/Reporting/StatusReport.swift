package import CloudKitModel
package import Diagnostics
package import FeedHealth
package import FeedState
internal import People

/// The report of `status`: what the container holds about its feeds, as text and JSON, and as a page in HTML or Markdown.
package struct StatusReport: Report {
  private let health: CatalogHealthReport
  fileprivate let catalog: CatalogReport
  /// `nil` for a container without live sessions.
  private let sessions: SessionOverview?
  /// `nil` for a container that has feeds, and until it is known.
  private let overview: Overview?
  private let mirrors: [Mirror]
  /// Whether it is a container without feeds that an overview has yet to describe.
  package private(set) var needsOverview = false

  package struct Mirror: Sendable {
    package let path: String
    /// The record types that it copies; `nil` when nothing is known about it.
    package let types: Set<String>?
    let asOf: Timestamp?
    let problem: String?

    /// - Parameters:
    ///   - asOf: it has every change from before this moment; `nil` while its first copy is incomplete.
    ///   - problem: why nothing is known about it; `nil` if it can be read.
    package init(path: String, types: Set<String>? = nil, asOf: Timestamp?, problem: String?) {
      self.path = path
      self.types = types
      self.asOf = asOf
      self.problem = problem
    }
  }

  /// What stands in the place of the feeds of an app that has none.
  package struct Overview: Sendable {
    /// Those of the schema; `nil` when it cannot be read.
    package var recordTypes: [String]?
    /// The jobs that hold one; `nil` when the container has no leases, or the key may not read them.
    package var leases: [(purpose: String, run: String)]?
    /// The last one of this machine in the container.
    package var lastRun: (id: String, command: String, started: Timestamp)?

    package init() {}

    fileprivate var summary: String {
      guard let recordTypes else { return "The schema is not known without a management token." }
      return "\(counted(recordTypes.count, "record type")): \(listed(recordTypes, upTo: 12))."
    }

    fileprivate var sentences: [String] {
      let held = leases.map { leases in
        leases.isEmpty
          ? "No job holds a lease."
          : "Not released: the lease of \(leases.map { "\($0.purpose) (run \($0.run))" }.joined(separator: ", "))."
      }
      let last = lastRun.map { "Last run from this machine: \($0.command), \($0.started.minute) (\($0.id))." }
      return [held, last ?? "No run from this machine is recorded."].compactMap(\.self)
    }

    fileprivate var json: JSONObject {
      [
        "recordTypes": recordTypes?.json,
        "leases": leases.map { leases in
          JSONValue.array(leases.map { ["purpose": $0.purpose.json, "run": $0.run.json] })
        },
        "lastRun": lastRun.map {
          ["id": $0.id.json, "command": $0.command.json, "started": $0.started.iso8601.json]
        },
      ]
    }
  }

  init(
    _ catalog: CatalogReport, sessions: SessionOverview? = nil, overview: Overview? = nil,
    mirrors: [Mirror] = []
  ) {
    health = catalog.states
    self.sessions = sessions
    self.overview = overview
    self.mirrors = mirrors
    var catalog = catalog
    if catalog.health.feeds.isEmpty { catalog.headline = sessions?.summary ?? overview?.summary }
    catalog.notes =
      [
        catalog.states.refusedSentence.map { "Refused: \($0)." },
        catalog.headline == nil ? sessions?.summary : nil,
      ].compactMap(\.self) + (sessions?.advice.map(catalog.options.completed) ?? [])
    if let overview { catalog.notes += (sessions == nil ? [] : [overview.summary]) + overview.sentences }
    self.catalog = catalog
  }

  /// Reads what the container holds. A container with live sessions need not have feeds.
  ///
  /// Throws the container's errors, and ``HealthCheckError`` when it has neither and is not to be described, or has the feeds
  /// of another profile: then the settings are wrong. A job that asks for findings about feeds does not pass without feeds.
  ///
  /// - Parameters:
  ///   - drift: `nil` when no file declares the schema, or the container's cannot be read.
  ///   - isForAnyApp: a container without feeds is then described by ``adding(_:)``.
  package init(
    of container: any Container, mapping: FeedRecordMapping, at now: Timestamp,
    options: CatalogReport.Options, drift: SchemaDrift?, since previous: ReportSnapshot?,
    failLevel: CatalogHealthReport.FailLevel?, mirrors: [Mirror],
    isForAnyApp: Bool = false
  ) async throws {
    let sessions = try await SessionOverview.read(from: container, endedBefore: now)
    let read: CatalogHealth
    var lacksFeeds = false
    do {
      read = try await CatalogHealth(of: container, mapping: mapping, at: now)
    } catch let missing as HealthCheckError {
      let usual = FeedRecordMapping.profiles.values.map { $0().recordType }
      // A type that the settings name should be there.
      guard case .noFeedType = missing, usual.contains(mapping.recordType) else { throw missing }
      lacksFeeds = isForAnyApp && failLevel == nil
      for other in usual
      where lacksFeeds && other != mapping.recordType {
        lacksFeeds = try await !container.hasRecordType(other)
      }
      guard sessions != nil || lacksFeeds else { throw missing }
      read = CatalogHealth(asOf: now)
    }
    self.init(
      CatalogReport(read, options: options, drift: drift, since: previous, failLevel: failLevel),
      sessions: sessions, mirrors: mirrors)
    needsOverview = lacksFeeds
  }

  package func adding(_ overview: Overview) -> StatusReport {
    StatusReport(catalog, sessions: sessions, overview: overview, mirrors: mirrors)
  }

  package var status: ExitStatus { health.status }

  package var urgent: ReportBody? {
    ReportBody {
      health.urgent ?? ReportBody()
      for sentence in sessions?.advice ?? [] { ListItem(.caution, "\(sentence)") }
      for mirror in mirrors {
        if let problem = mirror.problem { ListItem(.caution, "mirror \(mirror.path): \(problem)") }
      }
    }
  }

  package var json: JSONValue {
    health.json.adding([
      "sessions": sessions?.json, "mirrors": mirrors.isEmpty ? nil : mirrors.map(\.json).json,
    ]).adding(overview?.json ?? [:]).adding(catalog.json)
  }

  package var body: ReportBody {
    if catalog.options.isOfPart { ListItem(.caution, "\(catalog.verdict)") }
    if catalog.headline == nil, !catalog.options.isOfPart || !health.health.feeds.isEmpty { health.body }
    if let sessions {
      "\(sessions.summary)"
      for sentence in sessions.advice { ListItem(.caution, "\(sentence)") }
    }
    if let overview {
      "\(catalog.options.subject)"
      for sentence in [overview.summary] + overview.sentences { "\(sentence)" }
    }
    for mirror in mirrors { "\("mirror \(mirror.path): \(mirror.state(at: catalog.health.asOf))", .dim)" }
  }

  package func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText? {
    switch format {
    case .html: PrintableText(ReportPage(report: catalog).html)
    case .markdown:
      // GitHub takes no more than a mebibyte of a step's summary.
      PrintableText(
        MarkdownRenderer(maxBytes: catalog.options.maxBytes ?? 1 << 20)
          .render(catalog.body, title: "\(catalog.verdict)"))
    default: nil
    }
  }
}

extension StatusReport.Mirror {
  fileprivate var json: JSONValue {
    .object([
      "path": path.json, "asOf": asOf?.iso8601.json, "problem": problem?.json,
    ])
  }

  /// `3 hours ago, 2026-11-27T10:00:00.000Z`
  fileprivate func state(at now: Timestamp) -> String {
    guard let asOf else { return problem ?? "incomplete" }
    let age = ReadableDuration.text(now.since(asOf)).map { "\($0) ago" } ?? "just now"
    return "\(age), \(asOf.iso8601)" + (problem.map { "; \($0)" } ?? "")
  }
}

/// What a container holds about the health of its feeds, as parts of another page.
package struct HealthSummary: Sendable {
  package let verdict: String
  package let worst: HealthStatus
  package let head: HTML
  package let causes: HTML

  /// Reads what the container holds; `nil` when it has neither feeds nor live sessions.
  package static func read(
    of container: any Container, isOfPart: Bool, mapping: FeedRecordMapping, at now: Timestamp,
    completed: @escaping @Sendable (String) -> String,
    link: @escaping @Sendable (String) -> HTML
  ) async throws -> HealthSummary? {
    var options = CatalogReport.Options(subject: container.identity.name)
    options.isOfPart = isOfPart
    options.completed = completed
    do {
      let report = try await StatusReport(
        of: container, mapping: mapping, at: now, options: options, drift: nil, since: nil, failLevel: nil,
        mirrors: [])
      let page = ReportPage(report: report.catalog, link: link)
      return HealthSummary(
        verdict: report.catalog.verdict, worst: report.catalog.worstState, head: page.warnings + page.tiles,
        causes: page.causes + page.codes)
    } catch HealthCheckError.noFeedType {
      return nil
    }
  }
}
