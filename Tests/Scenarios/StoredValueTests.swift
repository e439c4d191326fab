import Foundation
import Testing

/// A record is stored with the values that it was sent with, or refused. Any number of filters finds it.
@Suite("Values as sent") struct StoredValueTests {
  private static let schema = """
    DEFINE SCHEMA
        RECORD TYPE Place (
            "___recordID" REFERENCE QUERYABLE,
            height        DOUBLE,
            number        INT64 QUERYABLE,
            seen          TIMESTAMP,
            place         LOCATION,
            text          STRING SEARCHABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );

    """

  private func withPlaces(_ body: (Tool) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      try Data(Self.schema.utf8).write(to: URL(filePath: "\(tool.directory)/place.ckdb"))
      try await tool.succeed("container", "init", "--schema", "place.ckdb")
      try await body(tool)
    }
  }

  private func load(_ line: String, _ tool: Tool) async throws {
    let outcome = try await tool.run(["records", "import", "-", "--yes"], stdin: line)
    #expect(outcome.status == 0, "\(outcome.err)")
  }

  private static func line(_ field: String) -> String {
    #"{"recordType":"Place","recordName":"a","fields":{\#(field)}}"# + "\n"
  }

  @Test(
    "an import refuses what cannot be stored as it was sent",
    arguments: [
      #""number":{"type":"INT64","value":-9223372036854775809}"#,
      #""number":{"type":"INT64","value":9223372036854775808}"#,
      #""seen":{"type":"TIMESTAMP","value":-9223372036854775809}"#,
      #""height":{"type":"DOUBLE","value":"0x10"}"#, #""height":{"type":"DOUBLE","value":"nan"}"#,
      #""place":{"type":"LOCATION","value":{"latitude":1,"longitude":2,"timestamp":1700000000000.5}}"#,
      #""place":{"type":"LOCATION","value":{"latitude":1,"longitude":2,"horizontalAccuracy":"12"}}"#,
      #""place":{"type":"LOCATION","value":{"latitude":1,"longitude":2,"speed":true}}"#,
    ])
  func refused(_ field: String) async throws {
    try await withPlaces { tool in
      let outcome = try await tool.run(["records", "import", "-", "--yes"], stdin: Self.line(field))
      #expect(outcome.status == 1 && outcome.err.contains("Invalid value, expected type"), "\(outcome)")
      #expect(try await tool.succeed("records", "export", "Place").out.isEmpty)
    }
  }

  @Test(
    "an import and an export keep the ends of each range",
    arguments: [
      #""number":{"value":-9223372036854775808,"type":"INT64"}"#,
      #""number":{"value":9223372036854775807,"type":"INT64"}"#,
      #""seen":{"value":-9223372036854775808,"type":"TIMESTAMP"}"#,
      #""height":{"value":1e+308,"type":"DOUBLE"}"#,
      #""place":{"value":{"latitude":1.0,"longitude":2.0,"speed":3.0,"timestamp":4},"type":"LOCATION"}"#,
    ])
  func kept(_ field: String) async throws {
    try await withPlaces { tool in
      try await load(Self.line(field), tool)
      #expect(try await tool.succeed("records", "export", "Place").out == Self.line(field))
    }
  }

  @Test("more filters, or more words in one, than SQLite has levels")
  func manyFilters() async throws {
    try await withPlaces { tool in
      let words = (0..<1200).map { "w\($0)" }.joined(separator: " ")
      let field = #""number":{"value":1,"type":"INT64"},"text":{"value":"\#(words)","type":"STRING"}"#
      try await load(Self.line(field), tool)
      let filters = (1...1200).flatMap { ["--filter", "number > -\($0)"] }
      for (last, count) in [("number == 1", 1), ("number == 2", 0)] {
        let query = try await tool.run(
          ["records", "query", "Place", "--format", "jsonl", "--filter", last] + filters)
        #expect(query.status == 0 && query.out.split(separator: "\n").count == count, "\(query.err)")
      }
      for (word, count) in [("", 1), (" other", 0)] {
        let query = try await tool.run([
          "records", "query", "Place", "--format", "jsonl", "--filter",
          "text CONTAINS_ALL_TOKENS \(words)\(word)",
        ])
        #expect(query.status == 0 && query.out.split(separator: "\n").count == count, "\(query.err)")
      }
    }
  }
}
