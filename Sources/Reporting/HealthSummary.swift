package import CloudKitModel
package import FeedHealth
package import FeedState
package import HTMLWriting

/// What a container holds about the health of its feeds, as parts of another page.
package struct HealthSummary: Sendable {
  package let verdict: String
  package let worst: HealthStatus
  package let head: HTML
  package let causes: HTML

  /// Reads what the container holds; `nil` when it has neither feeds nor live sessions.
  ///
  /// - Parameter link: the attribute that leads from a feed to its record, by the record's name.
  package static func read(
    _ reader: CatalogHealthReader, of container: any Container, at now: Timestamp,
    link: @escaping @Sendable (String) -> HTML
  ) async throws -> HealthSummary? {
    let options = CatalogReport.Options(subject: container.identity.name)
    do {
      let report = try await StatusReport(
        reader, of: container, at: now, options: options, drift: nil, since: nil, failLevel: nil, mirrors: [])
      return report.summary(link: link)
    } catch HealthCheckError.noFeedType {
      return nil
    }
  }
}
