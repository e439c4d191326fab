internal import NIOCore
import Synchronization

/// The open connections, up to a limit that keeps memory and file descriptors bounded. A new connection above the
/// limit replaces the one that has been idle longest, so that idle clients cannot block others.
final class OpenConnections: Sendable {
  private struct State {
    /// The connections without a request, and since when.
    var idle: [ObjectIdentifier: (channel: any Channel, since: UInt64)] = [:]
    var busy: [ObjectIdentifier: any Channel] = [:]
    var rests: UInt64 = 0
    var givesUpIdle = true

    mutating func rest(_ channel: any Channel) {
      rests += 1
      idle[ObjectIdentifier(channel)] = (channel, rests)
    }
  }

  let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// The number of connections without a request.
  var idle: Int { state.withLock { $0.idle.count } }

  /// Registers a new connection. `false` if the limit is reached and no connection is idle.
  func admit(_ channel: any Channel) -> Bool {
    let (isAdmitted, surplus) = state.withLock { state -> (Bool, (any Channel)?) in
      var surplus: (any Channel)?
      if state.givesUpIdle, state.idle.count + state.busy.count >= limit {
        guard let oldest = state.idle.min(by: { $0.value.since < $1.value.since }) else {
          return (false, nil)
        }
        surplus = state.idle.removeValue(forKey: oldest.key)?.channel
      }
      state.rest(channel)
      return (true, surplus)
    }
    surplus?.close(promise: nil)
    return isAdmitted
  }

  /// From now on, idle connections are not replaced. Called before a stop, when the server accepts no more
  /// connections and those still being set up must not be closed.
  func keepAll() { state.withLock { $0.givesUpIdle = false } }

  /// Records that a request begins. `false` if the connection is being closed; the request must not be processed
  /// then.
  func begin(_ channel: any Channel) -> Bool {
    state.withLock { state in
      guard state.idle.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return false }
      state.busy[ObjectIdentifier(channel)] = channel
      return true
    }
  }

  /// Records that the last request of the connection is answered.
  func end(_ channel: any Channel) {
    state.withLock { state in
      if state.busy.removeValue(forKey: ObjectIdentifier(channel)) != nil { state.rest(channel) }
    }
  }

  func closed(_ channel: any Channel) {
    state.withLock { state in
      state.idle.removeValue(forKey: ObjectIdentifier(channel))
      state.busy.removeValue(forKey: ObjectIdentifier(channel))
    }
  }

  /// Closes all connections, idle or not.
  func closeAll() {
    let open = state.withLock { $0.idle.values.map(\.channel) + $0.busy.values }
    for channel in open { channel.close(promise: nil) }
  }
}
