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
