internal import NIOCore
internal import Platform

/// The open connections, up to a limit that keeps memory and file descriptors bounded. A new connection above the
/// limit replaces the one that has been idle longest, so that idle clients cannot block others.
final class OpenConnections: Sendable {
  private struct State: Sendable {
    var idle: [ObjectIdentifier: (channel: any Channel, since: UInt64)] = [:]
    var busy: [ObjectIdentifier: any Channel] = [:]
    var rests: UInt64 = 0
    var givesUpIdle = true
    var isStopping = false

    mutating func rest(_ channel: any Channel) {
      rests += 1
      idle[ObjectIdentifier(channel)] = (channel, rests)
    }
  }

  let limit: Int
  private let state = AwaitableValue(State())

  init(limit: Int) { self.limit = limit }

  var idle: Int { state.current.idle.count }

  /// The number of connections with a request whose reply is not written yet.
  var busy: Int { state.current.busy.count }

  /// Registers a new connection. `false` if the limit is reached and no connection is idle, or after a stop.
  func admit(_ channel: any Channel) -> Bool {
    var isAdmitted = false
    var surplus: (any Channel)?
    state.update { state in
      guard !state.isStopping else { return }
      if state.givesUpIdle, state.idle.count + state.busy.count >= limit {
        guard let oldest = state.idle.min(by: { $0.value.since < $1.value.since }) else { return }
        surplus = state.idle.removeValue(forKey: oldest.key)?.channel
      }
      state.rest(channel)
      isAdmitted = true
    }
    surplus?.close(promise: nil)
    return isAdmitted
  }

  /// Records that a request begins. `false` if the connection is being closed; the request must not be processed
  /// then.
  func begin(_ channel: any Channel) -> Bool {
    var isOpen = false
    state.update { state in
      isOpen = state.idle.removeValue(forKey: ObjectIdentifier(channel)) != nil
      if isOpen { state.busy[ObjectIdentifier(channel)] = channel }
    }
    return isOpen
  }

  /// Records that the reply is written. `false` if the connection must be closed now.
  func end(_ channel: any Channel) -> Bool {
    var isOpen = false
    state.update { state in
      isOpen = state.busy.removeValue(forKey: ObjectIdentifier(channel)) != nil && !state.isStopping
      if isOpen { state.rest(channel) }
    }
    return isOpen
  }

  func closed(_ channel: any Channel) {
    state.update { state in
      state.idle.removeValue(forKey: ObjectIdentifier(channel))
      state.busy.removeValue(forKey: ObjectIdentifier(channel))
    }
  }

  /// From now on, idle connections are not replaced. Called before a stop, when the server accepts no more
  /// connections and those still being set up must not be closed.
  func keepAll() { state.update { $0.givesUpIdle = false } }

  /// Returns once no connection is busy, and closes all connections from then on.
  func drain() async {
    // In a task of its own, which also waits when the caller's is cancelled.
    _ = await Task { [state] in try await state.wait { state -> Void? in state.busy.isEmpty ? () : nil } }
      .result
    state.update { $0.isStopping = true }
    for (channel, _) in state.current.idle.values { channel.close(promise: nil) }
  }

  func closeAll() {
    state.update { $0.isStopping = true }
    let open = state.current
    for channel in open.idle.values.map(\.channel) + open.busy.values { channel.close(promise: nil) }
  }
}
