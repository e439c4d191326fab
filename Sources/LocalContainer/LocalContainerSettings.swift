public import CloudKitModel
internal import FoundationEssentials

/// Settings of a local container: its behavior, limits, clock and name generator.
public struct LocalContainerSettings: Sendable {
  public var behavior = ServerBehavior()
  /// The default and maximum number of records in a page, from 1 to 200.
  public var pageSize = ContainerLimits.recordsPerRequest
  /// How long to wait for another process that is writing.
  public var busyTimeout = Duration.seconds(5)
  /// The clock for the `created` and `modified` stamps.
  public var now: @Sendable () -> Timestamp
  /// Makes the names of records that are created without one.
  public var makeRecordName: @Sendable () -> String
  /// The device ID in the `created` and `modified` stamps.
  public var deviceID = "celestra-admin"
  /// The maximum size of the file in SQLite pages, with which tests simulate a full disk.
  var maximumPages: Int?

  public init(
    now: @escaping @Sendable () -> Timestamp = LocalContainerSettings.systemClock,
    makeRecordName: @escaping @Sendable () -> String = LocalContainerSettings.randomName
  ) {
    self.now = now
    self.makeRecordName = makeRecordName
  }

  @Sendable public static func randomName() -> String { UUID().uuidString }

  @Sendable public static func systemClock() -> Timestamp {
    Timestamp(Date())
  }
}
