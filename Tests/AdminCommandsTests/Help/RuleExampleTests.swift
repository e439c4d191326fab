import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import AdminCommands
@testable import CommandLine
@testable import Records

/// Feeds the examples of the record and configuration rules to what reads such files.
@Suite("Examples of record and configuration rules") struct RuleExampleTests {
  @Test(
    "the example of a record rule has its finding, the text to use instead has none",
    arguments: RecordRule.rules)
  func records(rule: Rule) throws {
    #expect(try recordCodes(rule.example) == [rule.code])
    #expect(try recordCodes(rule.useInstead) == [])
  }

  @Test(
    "the example of a configuration rule has its finding, the text to use instead has none",
    arguments: ConfigurationRule.rules)
  func configuration(rule: Rule) throws {
    #expect(try configurationCodes(rule.example) == [rule.code])
    #expect(try configurationCodes(rule.useInstead) == [])
  }

  /// Lines with `//` are records that the container has.
  private func recordCodes(_ text: String) throws -> [String] {
    let lines = text.split(separator: "\n")
    let present = try lines.filter { $0.hasPrefix("// ") }.map {
      try Record(portableJSON: JSONValue(parsing: Array($0.dropFirst(3).utf8)))
    }
    let file = lines.filter { !$0.hasPrefix("//") }.joined(separator: "\n")
    let bundled = try #require(BundledSchema.all.first { $0.mainType == "PublicFeed" })
    let schema = try Schema(parsing: bundled.text + "RECORD TYPE Photo (file ASSET);", name: bundled.name)
    return try codes(of: file) { path in
      let read = try RecordFile(InputFile.source(path), schema: schema)
      let existing = read.records.map { record in present.first { $0.recordName == record.recordName } }
      try read.check(against: existing)
    }
  }

  private func configurationCodes(_ text: String) throws -> [String] {
    try codes(of: text) { path in
      var common = SharedOptionValues()
      common.config = path
      _ = try Settings.load(of: AdminTool.tool, common: common, process: TestProcess().process())
    }
  }

  /// The codes of the failure of `body`, which gets a file with the text.
  private func codes(of text: String, _ body: (String) throws -> Void) throws -> [String] {
    let process = try TestProcess()
    try process.write(text, to: "file.json")
    do {
      try body("\(process.folder)/file.json")
      return []
    } catch let failure as CommandFailure {
      return failure.diagnostics.map(\.code)
    }
  }
}
