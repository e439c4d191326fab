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

/// How many feeds and records the project's seeds declare.
enum ProjectSeeds {
  static let feeds = count("feeds") { ($0["feeds"] as? [Any])?.count ?? 0 }
  static let records =
    feeds + count("collections") { _ in 1 } + count("") { ($0["categories"] as? [Any])?.count ?? 0 }

  private static func count(_ folder: String, _ entries: ([String: Any]) -> Int) -> Int {
    let path = projectRoot.appending(path: "seeds/\(folder)").path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.reduce(0) { sum, file in
      let data = FileManager.default.contents(atPath: "\(path)/\(file)") ?? Data()
      return sum + ((try? JSONSerialization.jsonObject(with: data) as? [String: Any]).map(entries) ?? 0)
    }
  }
}
