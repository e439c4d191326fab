import CCurl
import CurlShim
internal import Platform

/// The loop of the driver's thread. No other thread accesses its state.
final class CurlLoop {
  private let driver: CurlDriver
  private let multi: UnsafeMutableRawPointer
  private let maxTransfers: Int
  private let configuration: CurlTransport.Configuration
  private var waiting = FIFOQueue<CurlTransfer>()
  private var startup = TransferStartLimiter()
  private var running: [UnsafeMutableRawPointer: CurlHandle] = [:]
  private var idle: [CurlHandle] = []

  init(
    _ driver: CurlDriver, multi: UnsafeMutableRawPointer, maxTransfers: Int,
    _ configuration: CurlTransport.Configuration
  ) {
    self.configuration = configuration
    self.driver = driver
    self.multi = multi
    self.maxTransfers = maxTransfers
  }

  func run() {
    while let (submitted, cancelled) = driver.takeInbox() {
      for transfer in submitted { waiting.append(transfer) }
      if !cancelled.isEmpty {
        let ids = Set(cancelled)
        end(HTTPFailure(.cancelled, "cancelled")) { ids.contains($0.id) }
      }
      startWaiting()
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      if collectFinished() { continue }
      curl_multi_poll(multi, nil, 0, Int32(maxWait.milliseconds), nil)
    }
    end(HTTPFailure(.cancelled, "the transport was closed")) { _ in true }
    idle = []
    curl_multi_cleanup(multi)
  }

  private func startWaiting() {
    let now = ContinuousClock.now
    startup.dropSettled(at: now)
    for _ in 0..<driver.room {
      guard running.count < maxTransfers, startup.room > 0, let transfer = waiting.popFirst() else { return }
      start(transfer, at: now)
    }
  }

  /// How long to wait for an event: not at all when another transfer can start now.
  private var maxWait: Duration {
    guard !waiting.isEmpty, running.count < maxTransfers, driver.room > 0 else { return .seconds(60) }
    guard startup.room <= 0 else { return .zero }
    return max(.milliseconds(1), startup.timeToSettle(at: .now) ?? .zero)
  }

  private func start(_ transfer: CurlTransfer, at now: ContinuousClock.Instant) {
    guard let handle = idle.popLast() ?? CurlHandle() else {
      return transfer.finish(.failure(HTTPFailure(.resources, "out of memory for a request")))
    }
    do throws(HTTPFailure) {
      // Each transfer has a buffer, which is smaller when there may be many transfers.
      let bufferSize = min(max(2 << 10, (4 << 20) / maxTransfers), 64 << 10)
      try handle.load(transfer, configuration, bufferSize: bufferSize)
      guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
        throw HTTPFailure(.resources, "libcurl did not accept the request")
      }
      running[handle.easy] = handle
      startup.add(transfer.id, at: now)
    } catch {
      transfer.finish(.failure(error))
      recycle(handle)
    }
  }

  /// Returns true when a transfer finished, so that another may start.
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

  private func end(_ failure: HTTPFailure, where isEnded: (CurlTransfer) -> Bool) {
    for handle in running.values {
      guard let transfer = handle.transfer, isEnded(transfer) else { continue }
      running[handle.easy] = nil
      transfer.finish(.failure(failure))
      release(handle)
    }
    for transfer in waiting.all where isEnded(transfer) { transfer.finish(.failure(failure)) }
    waiting.removeAll(where: isEnded)
  }

  private func release(_ handle: CurlHandle) {
    if let transfer = handle.transfer { startup.remove(transfer.id) }
    curl_multi_remove_handle(multi, handle.easy)
    recycle(handle)
  }

  private func recycle(_ handle: CurlHandle) {
    handle.unload()
    // Never more than may run at once: a handle is made only when none is idle.
    idle.append(handle)
  }
}

/// Limits how many transfers start in a short time.
///
/// Most servers answer at once, and thousands of bodies that arrive together fill the memory. A transfer that has not
/// ended after ``period`` mostly waits, which takes little memory; it no longer counts, so that servers that hang do not
/// block others.
struct TransferStartLimiter {
  static let maxTransfers = 256
  static let period = Duration.milliseconds(250)

  private var ids: Set<UInt64> = []
  private var queue = FIFOQueue<(id: UInt64, start: ContinuousClock.Instant)>()

  var room: Int { Self.maxTransfers - ids.count }

  mutating func add(_ id: UInt64, at now: ContinuousClock.Instant) {
    ids.insert(id)
    queue.append((id, now))
  }

  mutating func remove(_ id: UInt64) { ids.remove(id) }

  /// Removes the transfers that started more than ``period`` ago.
  mutating func dropSettled(at now: ContinuousClock.Instant) {
    while let oldest = queue.first, now - oldest.start >= Self.period || !ids.contains(oldest.id) {
      ids.remove(oldest.id)
      _ = queue.popFirst()
    }
  }

  /// The time until the oldest transfer is no longer counted; `nil` without transfers.
  func timeToSettle(at now: ContinuousClock.Instant) -> Duration? {
    queue.first.map { Self.period - (now - $0.start) }
  }
}
