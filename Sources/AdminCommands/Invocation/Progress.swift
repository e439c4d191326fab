internal import CloudKitModel
internal import Synchronization

extension Session {
  /// Progress on standard error: a line that is rewritten on a terminal; elsewhere a line every few seconds.
  func progress(of command: String) -> @Sendable (_ done: Int, _ total: Int) -> Void {
    guard !common.quiet, format == .text else { return { _, _ in } }
    let stream = world.console.errors
    let now = world.now
    let lastShown = Mutex(now())
    return { done, total in
      // Progress is a courtesy: a closed standard error must not end the work.
      if stream.isTerminal {
        try? stream.write("\r\(command): \(done) of \(total)\(done == total ? "\n" : "")")
        return
      }
      let due = lastShown.withLock { last in
        guard now().milliseconds - last.milliseconds >= 5_000 else { return false }
        last = now()
        return true
      }
      if due { try? stream.write("\(command): \(done) of \(total)\n") }
    }
  }
}
