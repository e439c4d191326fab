import Foundation
import Subprocess
import Synchronization
import Testing

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// A terminal without a window.
final class Terminal: Sendable {
  /// The side of the person.
  private let person: Int32
  /// The side of the program. Kept open, so that what it wrote can be read after its end.
  private let program: Int32
  private let printed = Mutex("")

  struct Unavailable: Error {}

  /// - Parameter columns: the width of the window.
  init(columns: UInt16 = 80) throws {
    var (person, program): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&person, &program, nil, nil, &size) == 0, fcntl(person, F_SETFL, O_NONBLOCK) == 0 else {
      throw Unavailable()
    }
    self.person = person
    self.program = program
  }

  deinit {
    close(person)
    close(program)
  }

  var isEchoing: Bool {
    var settings = termios()
    return tcgetattr(program, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Everything the terminal has shown so far.
  var shown: String {
    var piece = [UInt8](repeating: 0, count: 4096)
    return printed.withLock { printed in
      while case let count = read(person, &piece, piece.count), count > 0 {
        printed += String(decoding: piece.prefix(count), as: UTF8.self)
      }
      return printed
    }
  }

  /// The user changes the width of the window.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(person, UInt(TIOCSWINSZ), &size)
  }

  /// What the status line has shown, one text after the other, without the sequences that move the cursor.
  var statusLines: [String] {
    shown.split(separator: "\r").filter { !$0.hasPrefix("\n") }
      .map { String($0).replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "") }.filter { !$0.isEmpty }
  }

  func type(_ text: String) { _ = write(person, text, text.utf8.count) }

  /// Runs the tool with this terminal as its input and for its messages.
  func run(
    _ tool: Tool, _ words: [String], meanwhile body: (RunningProcess) async throws -> Void
  ) async throws -> Int32 {
    let descriptor = FileDescriptor(rawValue: program)
    let result = try await Subprocess.run(
      .path(FilePath(Tool.path)), arguments: Arguments(words), environment: .custom(tool.variables),
      workingDirectory: FilePath(tool.directory),
      input: .fileDescriptor(descriptor, closeAfterSpawningProcess: false), output: .discarded,
      error: .fileDescriptor(descriptor, closeAfterSpawningProcess: false)
    ) { execution in try await body(RunningProcess(id: execution.processIdentifier.value)) }
    return result.terminationStatus.shellStatus
  }

  /// Everything that the tool writes to this terminal.
  func output(of tool: Tool, _ words: [String]) async throws -> String {
    let descriptor = FileDescriptor(rawValue: program)
    // A terminal that nobody reads stops its program.
    let reader = Task {
      while !Task.isCancelled {
        _ = shown
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    defer { reader.cancel() }
    _ = try await Subprocess.run(
      .path(FilePath(Tool.path)), arguments: Arguments(words), environment: .custom(tool.variables),
      workingDirectory: FilePath(tool.directory), input: .none,
      output: .fileDescriptor(descriptor, closeAfterSpawningProcess: false),
      error: .fileDescriptor(descriptor, closeAfterSpawningProcess: false))
    return shown
  }

  /// Waits until the terminal has shown a text; a failure says what it has shown.
  func waitFor(_ text: String) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while !shown.contains(text) {
      guard ContinuousClock.now < end else {
        Issue.record("the terminal did not show '\(text)': \(statusLines)")
        throw Unavailable()
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
