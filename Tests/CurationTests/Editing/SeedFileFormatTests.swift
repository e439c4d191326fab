import Curation
import Diagnostics
import Platform
import Testing

@Suite("The layout of seed files") struct SeedFileFormatTests {
  @Test(
    "a new value is laid out by its form",
    arguments: [
      ("1", "1\n"), (#""a/é""#, "\"a/é\"\n"), ("[]", "[]\n"), ("{}", "{}\n"), ("null", "null\n"),
      (#"["a","b"]"#, "[\"a\", \"b\"]\n"),
      (#"["a",1]"#, "[\n  \"a\",\n  1\n]\n"),
      (#"[[],["a"]]"#, "[\n  [],\n  [\"a\"]\n]\n"),
      (
        #"{"a":{"b":[1],"c":{}},"d":true}"#,
        "{\n  \"a\": {\n    \"b\": [\n      1\n    ],\n    \"c\": {}\n  },\n  \"d\": true\n}\n"
      ),
      (#"{"feeds":["a","b"]}"#, "{\n  \"feeds\": [\n    \"a\",\n    \"b\"\n  ]\n}\n"),
      (#"{"feeds":[]}"#, "{\n  \"feeds\": []\n}\n"),
      (#"{"feeds":[["a"]]}"#, "{\n  \"feeds\": [\n    [\"a\"]\n  ]\n}\n"),
      (#"{"tags":["a","b"]}"#, "{\n  \"tags\": [\"a\", \"b\"]\n}\n"),
    ])
  func canonical(_ json: String, _ text: String) throws {
    #expect(String(decoding: SeedFileFormat.canonical(try JSONValue(parsing: json)), as: UTF8.self) == text)
  }

  @Test("a list of strings stays on one line up to 80 bytes")
  func shortLists() {
    func text(_ count: Int) -> String {
      String(
        decoding: SeedFileFormat.canonical([.string(String(repeating: "a", count: count))]), as: UTF8.self)
    }
    #expect(text(76) == "[\"\(String(repeating: "a", count: 76))\"]\n")
    #expect(text(77) == "[\n  \"\(String(repeating: "a", count: 77))\"\n]\n")
  }

  @Test("the keys of each kind of file get their order, with those for editors first and unknown ones last")
  func order() throws {
    let seeds = try ScratchSeeds([
      "categories.json":
        #"{"$z":1,"categories":[{"name":"A","x":1,"slug":"a","$b":2,"$a":3}],"$schema":"s"}"#,
      "feeds/a.json":
        #"{"feeds":[{"tags":["t"],"feedURL":"https://a.example/","title":"T","slug":"t"}],"category":"a"}"#,
      "collections/a.json": #"{"feeds":["t"],"title":"C","y":{"slug":1,"a":2},"slug":"c","$schema":"s"}"#,
    ])
    let report = try SeedFormatReport(folder: seeds.path + "/", isCheck: false)
    #expect(
      report.edits.map(\.path).sorted()
        == ["categories.json", "collections/a.json", "feeds/a.json"].map { "\(seeds.path)/\($0)" })
    try FileEdits.write(report.edits, in: seeds.path)
    #expect(
      try seeds.text("categories.json") == """
        {
          "$z": 1,
          "$schema": "s",
          "categories": [
            {
              "$b": 2,
              "$a": 3,
              "slug": "a",
              "name": "A",
              "x": 1
            }
          ]
        }

        """)
    #expect(
      try seeds.text("feeds/a.json") == """
        {
          "category": "a",
          "feeds": [
            {
              "slug": "t",
              "title": "T",
              "feedURL": "https://a.example/",
              "tags": ["t"]
            }
          ]
        }

        """)
    #expect(
      try seeds.text("collections/a.json") == """
        {
          "$schema": "s",
          "slug": "c",
          "title": "C",
          "feeds": [
            "t"
          ],
          "y": {
            "slug": 1,
            "a": 2
          }
        }

        """)
  }

  @Test("the report says what was formatted, or is to be, and a check of sound files is done")
  func report() throws {
    let seeds = try ScratchSeeds([
      "categories.json": "{\n  \"categories\": []\n}\n", "feeds/a.json": "{\"feeds\":[]}",
    ])
    let path = "\(seeds.path)/feeds/a.json"
    let check = try SeedFormatReport(folder: seeds.path, isCheck: true)
    #expect(check.text(.plain).description == "\(path) is not in canonical layout\n")
    #expect(check.status == .differences && !check.isConfirmation)
    #expect(check.json == ["files": [.string(path)], "check": true])
    let write = try SeedFormatReport(folder: seeds.path, isCheck: false)
    #expect(write.text(.plain).description == "formatted \(path)\n")
    #expect(write.status == .done && write.isConfirmation)
    try FileEdits.write(write.edits, in: seeds.path)
    let done = try SeedFormatReport(folder: seeds.path, isCheck: true)
    #expect(done.text(.plain).description == "All seed files are in canonical layout.\n")
    #expect(done.status == .done && done.isConfirmation && done.edits.isEmpty)
  }

  @Test(
    "only what cannot be read keeps files from being formatted",
    arguments: [
      ("{", true), ("[]", true), (#"{"feeds": [{"title": 1}]}"#, false), (#"{"category": "gone"}"#, false),
    ])
  func unreadable(_ text: String, _ isRefused: Bool) throws {
    let seeds = try ScratchSeeds(["categories.json": "{\"categories\": []}", "feeds/a.json": text])
    let report = try? SeedFormatReport(folder: seeds.path, isCheck: true)
    #expect((report == nil) == isRefused)
  }
}
