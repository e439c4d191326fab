import CloudKitModel
import Diagnostics
import Foundation
import Synchronization

@testable import AdminCommands
@testable import CommandLine

/// A world of its own for one test: nothing of the tester's environment, terminal or clock reaches it.
final class TestProcess: Sendable {
  let folder: String
  private let printed = Mutex<(out: String, err: String)>(("", ""))
  private let answers: Mutex<[String]?>

  /// The columns of the terminal that standard error is; `nil` when it is none.
  let width: Int?
  private let time = Mutex(Timestamp(milliseconds: 1_700_000_000_000))

  /// - Parameter answers: the lines that the user types; `nil` without a user.
  init(answers: [String]? = nil, terminalWidth width: Int? = nil) throws {
    self.width = width
    folder = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID().uuidString)").path
    self.answers = Mutex(answers)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var out: String { printed.withLock { $0.out } }
  var err: String { printed.withLock { $0.err } }

  func write(_ text: String, to path: String) throws {
    let url = URL(filePath: "\(folder)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func process(_ environment: [String: String] = [:]) -> ProcessContext {
    let hasPerson = answers.withLock { $0 != nil }
    let readLine: (@Sendable () -> String?)? = hasPerson ? { @Sendable in self.nextAnswer() } : nil
    var columns: (@Sendable () -> Int?)?
    if width != nil { columns = { self.width } }
    let console = Console(
      output: .init(write: { text in self.printed.withLock { $0.out += text } }),
      errors: .init(write: { text in self.printed.withLock { $0.err += text } }, width: columns),
      readLine: readLine)
    var process = ProcessContext(
      environment: environment, directory: folder, console: console,
      now: { self.time.withLock(\.date) }, wait: { _ in })
    process.uptime = { .milliseconds(self.time.withLock(\.milliseconds)) }
    // A test draws the status line itself. Until the command ends, no second passes.
    process.tick = {
      let (endless, _) = AsyncStream.makeStream(of: Void.self)
      for await _ in endless {}
      throw CancellationError()
    }
    return process
  }

  func pass(milliseconds: Int64) {
    time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + milliseconds) }
  }

  func context(_ environment: [String: String] = [:], _ common: SharedOptionValues = SharedOptionValues())
    async throws
    -> CommandContext
  {
    let process = process(environment)
    return CommandContext(
      common: common, format: .text,
      settings: try Settings.load(of: AdminTool.tool, common: common, process: process),
      process: process)
  }

  private func nextAnswer() -> String? {
    answers.withLock { answers in
      guard let first = answers?.first else { return nil }
      answers?.removeFirst()
      return first
    }
  }
}

extension ConfirmationOptions where Self == MutationOptions {
  static func given(yes: Bool = false, risks: [String] = []) -> MutationOptions {
    var options = MutationOptions()
    options.dryRun = false
    options.yes = yes
    options.acceptRisk = risks
    return options
  }
}
