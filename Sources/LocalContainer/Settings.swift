public import CloudKitModel
internal import FoundationEssentials

/// How a local container behaves and what it takes from its surroundings.
public struct LocalSettings: Sendable {
  public var behaviour = ServerBehaviour()
  /// Records of a page when the request does not say, and at most; 1...200.
  public var pageSize = ContainerLimits.recordsPerRequest
  /// How long to wait for another process that writes.
  public var busyTimeout = Duration.seconds(5)
  public var now: @Sendable () -> Timestamp
  /// Names for records created without one.
  public var makeRecordName: @Sendable () -> String
  /// What `created` and `modified` give as the device.
  public var deviceID = "celestra-admin"
  /// A full disk, for tests: SQLite refuses to let the file grow over this many pages.
  var maximumPages: Int?

  public init(
    now: @escaping @Sendable () -> Timestamp = LocalSettings.systemClock,
    makeRecordName: @escaping @Sendable () -> String = LocalSettings.randomName
  ) {
    self.now = now
    self.makeRecordName = makeRecordName
  }

  @Sendable public static func randomName() -> String { UUID().uuidString }

  @Sendable public static func systemClock() -> Timestamp {
    Timestamp(Date())
  }
}
