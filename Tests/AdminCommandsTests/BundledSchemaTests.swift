import Foundation
import Testing

@testable import AdminCommands

@Suite struct BundledSchemaTests {
  @Test(
    "the bundled schemas are the files in schema/", arguments: ["celestra", "celestra-feed", "live-sessions"])
  func bundled(name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = try String(contentsOf: root.appending(path: "schema/\(name).ckdb"), encoding: .utf8)
    #expect(BundledSchema.all.first { $0.name == "\(name).ckdb" }?.text == file)
  }
}
