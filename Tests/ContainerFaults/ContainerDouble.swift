package import CloudKitModel

/// A container of a test, with the abilities of a service that does not state its time. Only tests may leave them out.
package protocol ContainerDouble: Container {}

extension ContainerDouble {
  package var grouping: (any GroupCountingContainer)? { nil }
  package var simulatedUsers: (any SimulatedUsersContainer)? { nil }
  package var callerRecordName: String? { nil }
  package var clock: ContainerClock { .unstated }
}

extension ContainerClock {
  /// The clock of a service that states no time.
  package static let unstated = ContainerClock(known: { nil }, current: { nil })

  /// The clock of a service that stands at a moment, which is known to within a duration.
  package static func service(at moment: Timestamp, within uncertainty: Duration = .zero) -> ContainerClock {
    let time = ServiceTime(earliest: moment, latest: moment + uncertainty)
    return ContainerClock(known: { time }, current: { time })
  }
}
