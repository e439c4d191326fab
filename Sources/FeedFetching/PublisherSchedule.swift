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
