/// The checks of one day, as FeedMetadata keeps them (DESIGN section 4, Uptime): one INT64 a day.
public struct DailyCheck: Sendable, Hashable {
  /// Days since 1970.
  public var day: Int64
  /// 0...65,535.
  public var successes: Int64
  /// 0...65,535.
  public var failures: Int64

  public init(day: Int64, successes: Int64, failures: Int64) {
    self.day = day
    self.successes = successes
    self.failures = failures
  }

  /// The day in the upper 32 bits, then 16 bits each for successes and failures.
  public init(packed: Int64) {
    self.init(day: packed >> 32, successes: packed >> 16 & 0xFFFF, failures: packed & 0xFFFF)
  }
}
