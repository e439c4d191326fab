import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

extension Tool {
  /// Runs the tool while `body` watches and disturbs it. Output goes nowhere; what a run did is read from its
  /// container afterwards.
  ///
  /// - Returns: the exit status as a shell reports it.
  func run(_ words: [String], meanwhile body: (RunningProcess) async throws -> Void) async throws -> Int32 {
    let result = try await Subprocess.run(
      .path(FilePath(Tool.path)), arguments: Arguments(words), environment: .custom(variables),
      workingDirectory: FilePath(directory), input: .none, output: .discarded, error: .discarded
    ) { execution in try await body(RunningProcess(id: execution.processIdentifier.value)) }
    return result.terminationStatus.shellStatus
  }

  /// Runs the tool and ends it without warning after so long, unless it has ended by then. The moment itself is what
  /// is tested, so here a test does sleep.
  ///
  /// - Returns: whether it was cut off.
  func runAndKill(_ words: [String], after delay: Duration) async throws -> Bool {
    let status = try await self.run(words) { process in
      let moment = ContinuousClock.now + delay
      while ContinuousClock.now < moment, !process.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
      if !process.hasEnded { process.send(SIGKILL) }
    }
    return status == 128 + SIGKILL
  }
}

extension TerminationStatus {
  /// 128 and the number for a signal that ended the process.
  var shellStatus: Int32 {
    switch self {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }
}

/// A process that has been started and not yet waited for, so that its number is still its own.
struct RunningProcess {
  let id: pid_t

  func send(_ signal: Int32) { kill(id, signal) }

  var hasEnded: Bool {
    var info = siginfo_t()
    let waited = waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT)
    return waited != 0 || info.si_signo != 0
  }
}
