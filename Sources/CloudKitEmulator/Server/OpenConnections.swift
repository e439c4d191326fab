internal import NIOCore
import Synchronization

/// The connections that are open. There are never more than a limit: a new one takes the place of the one that has
/// been idle longest, so that neither memory nor file descriptors run out, and nobody is kept from being served by
/// connections that do nothing.
final class OpenConnections: Sendable {
  private struct State {
    /// Those without a request, and when they came to rest.
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

  /// Without a request.
  var idle: Int { state.withLock { $0.idle.count } }

  /// Takes a new connection in. `false` when every other one is busy.
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

  /// From now on no connection gives its place to another: the server takes no more, and those that it is still taking
  /// in must not be closed meanwhile.
  func keepAll() { state.withLock { $0.givesUpIdle = false } }

  /// A request begins. `false` when the connection is being closed, so that the request must not be carried out.
  func begin(_ channel: any Channel) -> Bool {
    state.withLock { state in
      guard state.idle.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return false }
      state.busy[ObjectIdentifier(channel)] = channel
      return true
    }
  }

  /// The last of its requests is answered.
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

  /// Whatever they are at.
  func closeAll() {
    let open = state.withLock { $0.idle.values.map(\.channel) + $0.busy.values }
    for channel in open { channel.close(promise: nil) }
  }
}
