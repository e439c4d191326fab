import CurlShim
import Synchronization

/// Asks the system for a name, on a thread of its own, because it waits for name servers: libcurl says that a name was not
/// resolved, but not whether it does not exist or no name server answered.
final class NameLookup: Sendable {
  enum Answer: Int32 { case unknown, found, unanswered = -1 }

  private let host: String
  private let waiting = Mutex<CheckedContinuation<Answer, Never>?>(nil)

  private init(_ host: String) { self.host = host }

  /// Cancellation ends the wait, without an answer.
  static func ask(_ host: String) async -> Answer {
    let lookup = NameLookup(host)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        lookup.waiting.withLock { $0 = continuation }
        let context = Unmanaged.passRetained(lookup)
        let started = curl_shim_start_thread(
          {
            let lookup = Unmanaged<NameLookup>.fromOpaque($0).takeRetainedValue()
            lookup.finish(Answer(rawValue: curl_shim_look_up(lookup.host)) ?? .unanswered)
          }, context.toOpaque())
        if !started { context.release() }
        if !started || Task.isCancelled { lookup.finish(.unanswered) }
      }
    } onCancel: {
      lookup.finish(.unanswered)
    }
  }

  private func finish(_ answer: Answer) { waiting.withLock { $0.take() }?.resume(returning: answer) }
}
