import Foundation
import Testing

/// Runs `body` with the path of a new folder, which is removed afterward.
func inFolder(_ body: (String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "platform-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
  }
  try body(folder.path)
}
