import CCurl
import CurlShim
import Platform
import Synchronization

final class CurlDriver: Sendable {
  private struct Inbox {
    var submitted: [CurlTransfer] = []
    var cancelled: [UInt64] = []
    var isStopped = false
  }

  /// Safe: the only call that other threads make on it is the wake-up, which libcurl allows.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer
  private let inbox = Mutex(Inbox())
  private let nextID = Atomic<UInt64>(0)
  /// Responses that their senders have not read yet.
  private let unread = Atomic<Int>(0)

  /// No transfer starts while this many responses are unread: they would only fill the memory.
  private static let maxUnread = 64

  private static let maxConnections = 256

  /// Initialized once per process, before the first transfer.
  private static let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  init(_ configuration: CurlTransport.Configuration) throws(HTTPFailure) {
    guard Self.curlIsReady, let handle = curl_multi_init() else {
      throw HTTPFailure(.resources, "libcurl, the HTTP library, could not be started")
    }
    multi = handle
    let room = Self.maxTransfers(for: configuration.maxConcurrentTransfers)
    curl_shim_multi_set_long(handle, CURLMOPT_MAXCONNECTS, min(room, Self.maxConnections))
    let loop = CurlLoop(self, multi: handle, maxTransfers: room, configuration)
    let context = Unmanaged.passRetained(loop)
    let started = curl_shim_start_thread(
      { Unmanaged<CurlLoop>.fromOpaque($0).takeRetainedValue().run() }, context.toOpaque())
    guard started else {
      context.release()
      curl_multi_cleanup(handle)
      throw HTTPFailure(.resources, "the system could not start the thread that runs HTTP transfers")
    }
  }

  /// How many transfers the process's file descriptors allow: a transfer may try two addresses at once, and the rest
  /// of the process needs some as well.
  private static func maxTransfers(for wanted: Int) -> Int {
    let reserve = 128
    let limit = FileDescriptorLimit.raise(to: max(1, wanted) * 2 + reserve)
    return min(max(1, wanted), max(1, (limit - reserve) / 2))
  }

  /// Ends the thread. Call when no transfer is running.
  func stop() { post { $0.isStopped = true } }

  func run(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
    let id = nextID.add(1, ordering: .relaxed).newValue
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>) in
        let transfer = CurlTransfer(id: id, request) { result in
          self.unread.add(1, ordering: .relaxed)
          continuation.resume(returning: result)
        }
        post { $0.submitted.append(transfer) }
        // The cancellation handler may have run before the transfer was submitted.
        if Task.isCancelled { post { $0.cancelled.append(id) } }
      }
    } onCancel: {
      post { $0.cancelled.append(id) }
    }
    // At half the limit, wake the driver so that it can start a batch.
    if unread.subtract(1, ordering: .relaxed).newValue == Self.maxUnread / 2 { post { _ in } }
    return result
  }

  /// How many transfers may start now.
  var room: Int { max(0, Self.maxUnread - unread.load(ordering: .relaxed)) }

  /// The requests since the last call; `nil` when the thread must stop.
  func takeInbox() -> (submitted: [CurlTransfer], cancelled: [UInt64])? {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return nil }
      defer { inbox = Inbox() }
      return (inbox.submitted, inbox.cancelled)
    }
  }

  private func post(_ change: (inout Inbox) -> Void) {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return }
      let wasEmpty = inbox.submitted.isEmpty && inbox.cancelled.isEmpty
      change(&inbox)
      // One wake-up is enough until the thread has read the inbox. Under the lock, because the thread frees the handle
      // after it has seen `isStopped`.
      if wasEmpty { curl_multi_wakeup(multi) }
    }
  }
}
