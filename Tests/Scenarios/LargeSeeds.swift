import Foundation

/// A seed folder that takes many requests to write.
enum LargeSeeds {
  static let feeds = 500
  static let records = feeds + 1

  static func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/feeds", withIntermediateDirectories: true)
    let category = ["categories": [["slug": "news", "name": "News"]]]
    try JSONSerialization.data(withJSONObject: category).write(to: URL(filePath: "\(folder)/categories.json"))
    let feeds = (0..<LargeSeeds.feeds).map { number in
      ["title": "Feed \(number)", "feedURL": "https://feeds.example/\(number)"]
    }
    let file: [String: Any] = ["category": "news", "feeds": feeds]
    try JSONSerialization.data(withJSONObject: file).write(to: URL(filePath: "\(folder)/feeds/news.json"))
  }
}

/// The records of a container, comparable between runs made at different times.
struct ExportedRecords: Equatable {
  /// By record name, as JSON without the times at which a run wrote.
  let records: [String: String]
  /// Lines in the export: more than records when one was written twice.
  let lines: Int

  struct NotARecord: Error { let line: String }

  init(of tool: Tool) async throws {
    let export = try await tool.run(["records", "export"])
    var records: [String: String] = [:]
    let lines = export.out.split(separator: "\n")
    for line in lines {
      guard var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let name = object["recordName"] as? String, var fields = object["fields"] as? [String: Any]
      else { throw NotARecord(line: String(line)) }
      for time in ["addedAt", "createdAt", "updatedAt"] { fields[time] = nil }
      object["fields"] = fields
      let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
      records[name] = String(decoding: data, as: UTF8.self)
    }
    self.records = records
    self.lines = lines.count
  }
}
