import Foundation

/// This package's own folder.
let projectRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// A folder of its own for one test, with the project's schemas and seeds in it as in a clone; removed afterwards.
func withScratchFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let files = FileManager.default
  let folder = files.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString)").path
  try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? files.removeItem(atPath: folder) }
  for name in ["schema", "seeds"] {
    try files.copyItem(atPath: projectRoot.appending(path: name).path, toPath: "\(folder)/\(name)")
  }
  return try await body(folder)
}
