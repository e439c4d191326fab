internal import NIOCore
internal import Synchronization

/// The open connections, up to a limit that keeps memory and file descriptors bounded. A new connection above the
/// limit replaces the one that has been idle longest, so that idle clients cannot block others.
final class OpenConnections: Sendable {
  private struct State {
    var idle: [ObjectIdentifier: (channel: any Channel, since: UInt64)] = [:]
    var busy: [ObjectIdentifier: any Channel] = [:]
    var rests: UInt64 = 0
    var givesUpIdle = true
    var isStopping = false
    /// Those who wait until no connection is busy.
    var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func rest(_ channel: any Channel) {
      rests += 1
      idle[ObjectIdentifier(channel)] = (channel, rests)
    }

    mutating func woken() -> [CheckedContinuation<Void, Never>] {
      guard busy.isEmpty else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  var idle: Int { state.withLock { $0.idle.count } }

  /// The number of connections with a request whose reply is not written yet.
  var busy: Int { state.withLock { $0.busy.count } }

  /// Registers a new connection. `false` if the limit is reached and no connection is idle, or after a stop.
  func admit(_ channel: any Channel) -> Bool {
    let (isAdmitted, surplus) = state.withLock { state -> (Bool, (any Channel)?) in
      guard !state.isStopping else { return (false, nil) }
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

  /// Records that a request begins. `false` if the connection is being closed; the request must not be processed
  /// then.
  func begin(_ channel: any Channel) -> Bool {
    state.withLock { state in
      guard state.idle.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return false }
      state.busy[ObjectIdentifier(channel)] = channel
      return true
    }
  }

  /// Records that the reply is written. `false` if the connection must be closed now.
  func end(_ channel: any Channel) -> Bool {
    let (isOpen, woken) = state.withLock { state in
      let wasBusy = state.busy.removeValue(forKey: ObjectIdentifier(channel)) != nil
      let isOpen = wasBusy && !state.isStopping
      if isOpen { state.rest(channel) }
      return (isOpen, state.woken())
    }
    for continuation in woken { continuation.resume() }
    return isOpen
  }

  func closed(_ channel: any Channel) {
    let woken = state.withLock { state in
      state.idle.removeValue(forKey: ObjectIdentifier(channel))
      state.busy.removeValue(forKey: ObjectIdentifier(channel))
      return state.woken()
    }
    for continuation in woken { continuation.resume() }
  }

  /// From now on, idle connections are not replaced. Called before a stop, when the server accepts no more
  /// connections and those still being set up must not be closed.
  func keepAll() { state.withLock { $0.givesUpIdle = false } }

  /// Returns once no connection is busy, and closes all connections from then on.
  func drain() async {
    await withCheckedContinuation { continuation in
      let woken = state.withLock { state in
        state.waiting.append(continuation)
        return state.woken()
      }
      for continuation in woken { continuation.resume() }
    }
    let idle = state.withLock { state in
      state.isStopping = true
      return state.idle.values.map(\.channel)
    }
    for channel in idle { channel.close(promise: nil) }
  }

  func closeAll() {
    let open = state.withLock { state in
      state.isStopping = true
      return state.idle.values.map(\.channel) + state.busy.values
    }
    for channel in open { channel.close(promise: nil) }
  }
}
