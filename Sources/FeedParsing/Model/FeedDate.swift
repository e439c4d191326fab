/// A moment in time as feeds and CloudKit count it: whole milliseconds since 1970-01-01T00:00:00Z.
public struct FeedDate: Sendable, Hashable, Comparable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }
}
