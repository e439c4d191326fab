internal import FoundationEssentials
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Takes a result line by line, for results too large to hold: to standard output, or to a file that appears
/// under its name only when it is whole.
final class LineSink: Sendable {
  private let path: String?
  private let console: Console
  private let pending = Mutex<String>("")
  private static let chunk = 1 << 16

  init(path: String?, console: Console) throws {
    self.path = path == "-" ? nil : path
    self.console = console
    if let file = self.path, !FileManager.default.createFile(atPath: LineSink.partial(file), contents: nil) {
      throw CommandFailure("cannot write \(file)", code: "unwritable-file")
    }
  }

  func write(_ line: String) throws {
    try append(line)
    try append("\n")
  }

  /// A part of a line.
  func append(_ part: String) throws {
    try pending.withLock { text in
      text += part
      if text.utf8.count >= LineSink.chunk {
        try flush(text)
        text = ""
      }
    }
  }

  func finish() throws {
    try pending.withLock { text in
      try flush(text)
      text = ""
    }
    if let path, rename(LineSink.partial(path), path) != 0 {
      throw CommandFailure(
        "cannot write \(path): \(Posix.message())", code: "unwritable-file")
    }
  }

  private func flush(_ text: String) throws {
    guard let path else { return try console.output.write(text) }
    guard let file = fopen(LineSink.partial(path), "a") else { throw unwritable(path) }
    defer { fclose(file) }
    if fputs(text, file) < 0 { throw unwritable(path) }
  }

  private func unwritable(_ path: String) -> CommandFailure {
    CommandFailure("cannot write \(path): \(Posix.message())", code: "unwritable-file")
  }

  private static func partial(_ path: String) -> String { path + ".partial" }
}
