import CCurl
import CurlShim

/// What the driver's thread does; nothing in here is ever touched by another.
final class CurlLoop {
  private let driver: CurlDriver
  private let multi: UnsafeMutableRawPointer
  private let maxTransfers: Int
  private let settings: CurlHandle.Settings
  private var waiting = Line<CurlTransfer>()
  private var fresh = FreshTransfers()
  private var running: [UnsafeMutableRawPointer: CurlHandle] = [:]
  private var idle: [CurlHandle] = []

  init(
    _ driver: CurlDriver, multi: UnsafeMutableRawPointer, maxTransfers: Int, certificateAuthorities: String?
  ) {
    settings = CurlHandle.Settings(certificateAuthorities: certificateAuthorities, maxTransfers: maxTransfers)
    self.driver = driver
    self.multi = multi
    self.maxTransfers = maxTransfers
  }

  func run() {
    while let (submitted, cancelled) = driver.takeInbox() {
      waiting.append(contentsOf: submitted)
      if !cancelled.isEmpty { cancel(Set(cancelled)) }
      startWaiting()
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      if collectFinished() { continue }
      curl_multi_poll(multi, nil, 0, Int32(patience.milliseconds), nil)
    }
    cleanUp()
  }

  /// Begins as many as there is room for.
  private func startWaiting() {
    let now = ContinuousClock.now
    fresh.forgetAged(at: now)
    for _ in 0..<driver.room {
      guard running.count < maxTransfers, fresh.room > 0, let transfer = waiting.popFirst() else { return }
      start(transfer, at: now)
    }
  }

  /// How long to wait for something to happen, if nothing does: not at all when more could be begun at once.
  private var patience: Duration {
    guard !waiting.isEmpty, running.count < maxTransfers, driver.room > 0 else { return .seconds(60) }
    guard fresh.room <= 0 else { return .zero }
    return max(.milliseconds(1), fresh.timeToAge(at: .now) ?? .zero)
  }

  private func start(_ transfer: CurlTransfer, at now: ContinuousClock.Instant) {
    guard let handle = idle.popLast() ?? CurlHandle() else {
      return transfer.finish(.failure(HTTPFailure(.resources, "no memory for a request")))
    }
    do throws(HTTPFailure) {
      try handle.load(transfer, settings)
      guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
        throw HTTPFailure(.resources, "libcurl could not take the request")
      }
      running[handle.easy] = handle
      fresh.began(transfer.id, at: now)
    } catch {
      transfer.finish(.failure(error))
      recycle(handle)
    }
  }

  /// True when something was finished, so that there may be room for what waits.
  private func collectFinished() -> Bool {
    var finished = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left)?.pointee {
      guard message.msg == CURLMSG_DONE, let handle = running.removeValue(forKey: message.easy_handle)
      else { continue }
      handle.transfer?.finish(message.data.result, handle)
      release(handle)
      finished = true
    }
    return finished
  }

  private func cancel(_ ids: Set<UInt64>) {
    let cancelled = HTTPFailure(.cancelled, "cancelled")
    for handle in running.values {
      guard let transfer = handle.transfer, ids.contains(transfer.id) else { continue }
      running[handle.easy] = nil
      transfer.finish(.failure(cancelled))
      release(handle)
    }
    for transfer in waiting.all where ids.contains(transfer.id) { transfer.finish(.failure(cancelled)) }
    waiting.removeAll { ids.contains($0.id) }
  }

  private func release(_ handle: CurlHandle) {
    if let transfer = handle.transfer { fresh.ended(transfer.id) }
    curl_multi_remove_handle(multi, handle.easy)
    recycle(handle)
  }

  private func recycle(_ handle: CurlHandle) {
    handle.unload()
    if idle.count < maxTransfers { idle.append(handle) }
  }

  private func cleanUp() {
    for handle in running.values {
      handle.transfer?.finish(.failure(HTTPFailure(.cancelled, "the transport was closed")))
      curl_multi_remove_handle(multi, handle.easy)
    }
    for transfer in waiting.all {
      transfer.finish(.failure(HTTPFailure(.cancelled, "the transport was closed")))
    }
    running = [:]
    idle = []
    curl_multi_cleanup(multi)
  }
}

/// The transfers begun a moment ago that have not ended: only so many at a time.
///
/// Most servers answer at once, and thousands of bodies at once fill the memory. A transfer that has not ended soon
/// mostly waits, which takes little: it no longer counts, so that hosts which hang never keep others from their turn.
struct FreshTransfers {
  static let most = 256
  static let age = Duration.milliseconds(250)

  private var ids: Set<UInt64> = []
  private var line = Line<(id: UInt64, begun: ContinuousClock.Instant)>()

  var room: Int { Self.most - ids.count }

  mutating func began(_ id: UInt64, at now: ContinuousClock.Instant) {
    ids.insert(id)
    line.append((id, now))
  }

  mutating func ended(_ id: UInt64) { ids.remove(id) }

  mutating func forgetAged(at now: ContinuousClock.Instant) {
    while let oldest = line.first, now - oldest.begun >= Self.age || !ids.contains(oldest.id) {
      ids.remove(oldest.id)
      _ = line.popFirst()
    }
  }

  /// Until the oldest no longer counts; `nil` when there is none.
  func timeToAge(at now: ContinuousClock.Instant) -> Duration? {
    line.first.map { Self.age - (now - $0.begun) }
  }
}

/// First come, first served, without moving the others up each time. Whoever has left is no longer held.
struct Line<Element> {
  /// `nil` before the head.
  private var elements: [Element?] = []
  private var head = 0

  init(_ elements: [Element] = []) { self.elements = elements }

  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  /// In their order.
  var all: some Sequence<Element> { elements[head...].lazy.compactMap(\.self) }

  mutating func append(_ newcomer: Element) { elements.append(newcomer) }

  mutating func append(contentsOf newcomers: some Sequence<Element>) {
    for newcomer in newcomers { append(newcomer) }
  }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    elements[head] = nil
    head += 1
    if isEmpty || head > 1024 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Those that stay keep their order.
  mutating func removeAll(where leaves: (Element) -> Bool) { self = Line(all.filter { !leaves($0) }) }
}
