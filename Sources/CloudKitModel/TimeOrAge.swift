/// A moment in the past: a time, or an age that is counted back from the clock of the records.
package enum TimeOrAge: Sendable, Hashable {
  case time(Timestamp)
  case age(Duration)

  /// The moment, if it is `now`. A time that is still to come counts as now.
  package func moment(at now: Timestamp) -> Timestamp {
    switch self {
    case .time(let time): min(time, now)
    case .age(let age): now - age
    }
  }
}
