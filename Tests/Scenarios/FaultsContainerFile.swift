import GRDB

/// A container's SQLite file, looked at with plain SQL: nothing of the tool's own decides what it says.
struct ContainerFile {
  let path: String

  /// From now on, the file itself logs every write of a record.
  func watchWrites() throws {
    try connection().write { db in
      try db.execute(
        sql: """
          CREATE TABLE testWrite (name TEXT NOT NULL, tag INTEGER NOT NULL);
          CREATE TRIGGER testCreate AFTER INSERT ON _record
            BEGIN INSERT INTO testWrite VALUES (NEW.name, NEW.tag); END;
          CREATE TRIGGER testUpdate AFTER UPDATE OF tag ON _record
            BEGIN INSERT INTO testWrite VALUES (NEW.name, NEW.tag); END;
          """)
    }
  }

  /// Records written more than once since ``watchWrites()``; a job's lock may be, as it is renewed.
  func recordsWrittenTwice() throws -> [String] {
    try strings("SELECT name FROM testWrite WHERE name NOT LIKE 'lease-%' GROUP BY name HAVING count(*) > 1")
  }

  /// How many writes of records there were since ``watchWrites()``, locks left out.
  func writes() throws -> Int { try number("SELECT count(*) FROM testWrite WHERE name NOT LIKE 'lease-%'") }

  /// Feeds and collections whose published count is not the number of their subscriptions.
  func wrongCounts() throws -> [String] {
    try strings(
      """
      WITH target AS (
        SELECT _id, subscriberCount FROM PublicFeed UNION ALL SELECT _id, subscriberCount FROM FeedCollection)
      SELECT name || ' says ' || coalesce(subscriberCount, 'nothing')
      FROM target JOIN _record ON id = _id
      WHERE subscriberCount IS NOT
        (SELECT count(*) FROM FeedSubscription WHERE feedRecordName = _record.name)
      """)
  }

  /// Leases of runs that have not ended them.
  func heldLeases(in table: String = "AdminLease") throws -> Int {
    try number("SELECT count(*) FROM \(table) WHERE expiresAt > 0")
  }

  /// Whether a run has taken, and not ended, the lease with this purpose: `recount quality 1/2`.
  func isLeaseHeld(_ purpose: String) throws -> Bool {
    try number("SELECT count(*) FROM AdminLease WHERE expiresAt > 0 AND purpose = '\(purpose)'") > 0
  }

  /// How often each feed was checked, for those that were.
  func attempts() throws -> [Int] {
    try connection().read { try Int.fetchAll($0, sql: "SELECT totalAttempts FROM FeedMetadata") }
  }

  /// The records of a type in an environment.
  func count(_ type: String, _ environment: String) throws -> Int {
    try number(
      """
      SELECT count(*) FROM "\(environment == "production" ? "production." : "")_record"
      WHERE type IN (SELECT id FROM _type WHERE name = '\(type)' AND environment = '\(environment)')
      """)
  }

  private func number(_ sql: String) throws -> Int {
    try connection().read { try Int.fetchOne($0, sql: sql) ?? 0 }
  }

  func execute(_ sql: String) throws { try connection().write { try $0.execute(sql: sql) } }

  /// Moves what stands in the file's log into the file itself.
  func gather() throws {
    try connection().writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
  }

  private func strings(_ sql: String) throws -> [String] {
    try connection().read { try String.fetchAll($0, sql: sql) }
  }

  private func connection() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}

extension ContainerFile {
  /// Makes every published count wrong, and so every one to be written again.
  func spoilCounts() throws {
    try execute("UPDATE PublicFeed SET subscriberCount = coalesce(subscriberCount, 0) + 1")
  }

  /// When the lease is first taken, every feed gets a new change tag: a recount has read the feeds by then and
  /// writes next, so that every first write of a count meets a conflict.
  func touchAfterFirstLease() throws {
    try execute(
      """
      CREATE TRIGGER testTouchFirst AFTER INSERT ON _record WHEN NEW.name LIKE 'lease-%'
        BEGIN UPDATE _record SET tag = NEW.tag WHERE id IN (SELECT _id FROM PublicFeed); END;
      """)
  }
}
