import CCurl
import CurlShim
import Synchronization

/// The thread that drives every transfer of one transport.
final class CurlDriver: Sendable {
  /// What other threads ask of the driver's thread.
  private struct Inbox {
    var submitted: [CurlTransfer] = []
    var cancelled: [UInt64] = []
    var isStopped = false
  }

  /// libcurl allows exactly one call on a multi handle from other threads: the wake-up.
  private struct Multi: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
  }

  private let multi: Multi
  private let inbox = Mutex(Inbox())
  private let nextID = Atomic<UInt64>(0)
  /// Responses whose senders have not come to look at them yet.
  private let unclaimed = Atomic<Int>(0)

  /// With so many responses lying about nothing new is begun: they would only fill the memory.
  private static let mostUnclaimed = 64

  /// Once a process, before the first transfer.
  private static let curlIsReady = {
    curl_shim_return_large_blocks()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }()

  init(_ configuration: CurlTransport.Configuration) throws(HTTPFailure) {
    guard Self.curlIsReady, let handle = curl_multi_init() else {
      throw HTTPFailure(.resources, "libcurl could not be started")
    }
    multi = Multi(handle: handle)
    curl_shim_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maxConnectionsPerHost)
    let room = Self.transferRoom(for: configuration.maxConcurrentTransfers)
    curl_shim_multi_set_long(handle, CURLMOPT_MAXCONNECTS, min(room, configuration.maxConnections))
    let loop = CurlLoop(
      self, multi: handle, maxTransfers: room, certificateAuthorities: configuration.certificateAuthorities)
    let context = Unmanaged.passRetained(loop)
    let started = curl_shim_start_thread(
      { Unmanaged<CurlLoop>.fromOpaque($0).takeRetainedValue().run() }, context.toOpaque())
    guard started else {
      context.release()
      curl_multi_cleanup(handle)
      throw HTTPFailure(.resources, "the system has no thread for libcurl")
    }
  }

  /// How many transfers the descriptors of this process suffice for: a transfer may try two addresses at once,
  /// and the rest of the process needs some too.
  private static func transferRoom(for wanted: Int) -> Int {
    let reserve = 128
    let limit = curl_shim_raise_descriptor_limit(max(1, wanted) * 2 + reserve)
    return min(max(1, wanted), max(1, (limit - reserve) / 2))
  }

  /// Ends the thread; nothing may be running any more.
  func stop() { tell { $0.isStopped = true } }

  func run(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    let id = nextID.add(1, ordering: .relaxed).newValue
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>) in
        let transfer = CurlTransfer(id: id, request) { result in
          self.unclaimed.add(1, ordering: .relaxed)
          continuation.resume(returning: result)
        }
        tell { $0.submitted.append(transfer) }
        // The handler below may have run before there was anything to cancel.
        if Task.isCancelled { tell { $0.cancelled.append(id) } }
      }
    } onCancel: {
      tell { $0.cancelled.append(id) }
    }
    // Halfway down the driver's thread, if it has stopped beginning transfers, has room for a good many again.
    if unclaimed.subtract(1, ordering: .relaxed).newValue == Self.mostUnclaimed / 2 { wake() }
    return try result.get()
  }

  /// How many transfers may be begun now.
  var room: Int { max(0, Self.mostUnclaimed - unclaimed.load(ordering: .relaxed)) }

  /// What came in since the last call; `nil` when it is time to stop.
  func takeInbox() -> (submitted: [CurlTransfer], cancelled: [UInt64])? {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return nil }
      defer { inbox = Inbox() }
      return (inbox.submitted, inbox.cancelled)
    }
  }

  private func wake() {
    // Under the lock, as the thread frees the handle after it has seen `isStopped`.
    inbox.withLock { inbox in
      if !inbox.isStopped { curl_multi_wakeup(multi.handle) }
    }
  }

  private func tell(_ change: (inout Inbox) -> Void) {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return }
      let wasEmpty = inbox.submitted.isEmpty && inbox.cancelled.isEmpty
      change(&inbox)
      // Once is enough until the thread has looked. Under the lock, as the thread frees the handle after it has
      // seen `isStopped`.
      if wasEmpty { curl_multi_wakeup(multi.handle) }
    }
  }
}
