package import DemoFeeds

extension DemoFeedTable {
  /// One feed of each behavior but those of the web.
  package static let everyBehavior = DemoFeedTable(
    (DemoBehavior.ordinary + DemoBehavior.servers + DemoBehavior.hostileDocuments).map(DemoFeed.init(_:)))

  /// One feed of each behavior of the web.
  package static let web = DemoFeedTable(DemoBehavior.web.map(DemoFeed.init(_:)))

  /// Feeds that lead into private networks.
  package static let privateTargets = DemoFeedTable(DemoBehavior.privateTargets.map(DemoFeed.init(_:)))
}

extension DemoFeedServer {
  /// Starts a server with a feed of each behavior but those of the web.
  package static func start(now: Int64, slowDelay: Duration = .seconds(3)) async throws -> DemoFeedServer {
    try await start(table: .everyBehavior, now: now, slowDelay: slowDelay)
  }
}
