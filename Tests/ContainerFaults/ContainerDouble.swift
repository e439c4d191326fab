public import CloudKitModel

/// A container of a test, with the abilities of a service that does not state its time. Only tests may leave them out.
public protocol ContainerDouble: Container {}

extension ContainerDouble {
  public var grouping: (any GroupCountingContainer)? { nil }
  public var simulatedUsers: (any SimulatedUsersContainer)? { nil }
  public var callerRecordName: String? { nil }
  public var clock: ContainerClock { .unstated }
}

extension ContainerClock {
  /// The clock of a service that states no time.
  public static let unstated = ContainerClock(known: { nil }, current: { nil })

  /// The clock of a service that stands at a moment, which is known to within a duration.
  public static func service(at moment: Timestamp, within uncertainty: Duration = .zero) -> ContainerClock {
    let time = ServiceTime(earliest: moment, latest: moment + uncertainty)
    return ContainerClock(known: { time }, current: { time })
  }
}
