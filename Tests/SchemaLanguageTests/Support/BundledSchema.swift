import Diagnostics
// FileManager reads the files; nothing smaller does.
import Foundation
import SchemaLanguage
import Testing

/// A file of the project's `schema` folder.
struct BundledSchema: Sendable, CustomTestStringConvertible {
  let name: String

  init(_ name: String) { self.name = name }

  static let all = ["celestra.ckdb", "celestra-feed.ckdb", "live-sessions.ckdb"].map(BundledSchema.init)

  /// The folder that holds the package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func source(_ name: String) throws -> SourceText {
    let file = root.appendingPathComponent("schema").appendingPathComponent(name)
    return SourceText(name: name, bytes: Array(try Data(contentsOf: file)))
  }

  func parse() throws -> ParsedSchema { SchemaParser.parse(try Self.source(name)) }

  var testDescription: String { name }
}
