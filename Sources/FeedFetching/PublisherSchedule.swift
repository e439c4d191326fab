package import CloudKitModel
internal import Platform

/// What a feed document asks about the time of the next fetch.
package struct PublisherSchedule: Sendable, Hashable {
  /// How long a copy may be kept.
  package var ttl: Duration?
  /// Hours of the day (UTC, 0...23) in which the publisher wants no requests.
  package var skipHours: Set<Int>
  /// Days of the week (1 is Monday, UTC) on which the publisher wants no requests.
  package var skipDays: Set<Int>

  package init(ttl: Duration? = nil, skipHours: Set<Int> = [], skipDays: Set<Int> = []) {
    self.ttl = ttl
    self.skipHours = skipHours
    self.skipDays = skipDays
  }
}

extension Timestamp {
  /// Days since 1970-01-01, UTC.
  package var day: Int64 { milliseconds.floorDivided(by: 86_400_000).quotient }

  /// 0...23, UTC.
  package var hour: Int { Int(milliseconds.floorDivided(by: 3_600_000).quotient - day * 24) }

  /// 1 = Monday ... 7 = Sunday, UTC. 1970-01-01 was a Thursday.
  package var weekday: Int { Int((day + 3).floorDivided(by: 7).remainder) + 1 }
}

extension Duration {
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
