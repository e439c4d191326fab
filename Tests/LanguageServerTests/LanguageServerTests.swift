import Diagnostics
import Platform
import SchemaLanguage
import Synchronization
import Testing

@testable import LanguageServer

/// An editor's conversation with the server.
@Suite struct LanguageServerTests {
  private static let uri = "file:///app/schema.ckdb"

  /// A server with one open document, and what an editor asks about it.
  struct Editor {
    var server: LanguageServer
    private var lastID: Int64 = 0
    /// What the server wants the person to read.
    private(set) var shown: [String] = []

    init(_ text: String, encoding: String = "utf-16", options: LintOptions = LintOptions()) {
      server = LanguageServer(version: "1") { _ in (options, []) }
      start(text, encoding: encoding)
    }

    mutating func start(_ text: String, encoding: String = "utf-16") {
      _ = ask("initialize", ["capabilities": ["general": ["positionEncodings": [.string(encoding)]]]])
      send("initialized", [:])
      send(
        "textDocument/didOpen",
        ["textDocument": ["uri": .string(uri), "languageId": "ckdb", "version": 1, "text": .string(text)]])
    }

    mutating func send(_ method: String, _ parameters: JSONValue) {
      #expect(
        server.handle(bytes(["jsonrpc": "2.0", "method": .string(method), "params": parameters])).isEmpty)
    }

    /// The result; the error's object where the server refuses.
    mutating func ask(_ method: String, _ parameters: JSONValue = [:]) -> JSONValue? {
      lastID += 1
      let answers = server.handle(
        bytes(["jsonrpc": "2.0", "id": .integer(lastID), "method": .string(method), "params": parameters]))
      shown += answers.dropLast().compactMap { $0["params"]?["message"]?.string }
      #expect(answers.last?["id"]?.integer == lastID)
      return answers.last?["result"] ?? answers.last?["error"]
    }

    /// Asks about the place behind `mark` in a line of the text.
    mutating func ask(_ method: String, line: Int, _ character: Int, _ more: JSONObject = [:]) -> JSONValue? {
      var parameters = more
      parameters["textDocument"] = ["uri": .string(uri)]
      parameters["position"] = ["line": JSONValue(line), "character": JSONValue(character)]
      return ask("textDocument/\(method)", .object(parameters))
    }

    mutating func findings() -> [JSONValue] {
      server.findings().last?["params"]?["diagnostics"]?.array ?? []
    }

    private func bytes(_ message: JSONValue) -> [UInt8] { Array(message.text().utf8) }
  }

  private static let schema = """
    DEFINE SCHEMA
        CREATE ROLE Editor;
        // Of a café 🎈 in town.
        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE,
            title STRING QUERYABLE,
            book REFERENCE, // -> Book
            GRANT READ TO "_world",
            GRANT WRITE TO Editor
        );
        RECORD TYPE Book (
            "___recordID" REFERENCE QUERYABLE,
            name STRING,
            GRANT READ, CREATE, WRITE TO Editor,
            GRANT READ TO "_world"
        );

    """

  @Test("findings appear, are fixed by their action, and are gone after it")
  func fix() throws {
    let text = Self.schema.replacing("title STRING QUERYABLE", with: "title STRING SORTABEL")
    var editor = Editor(text)
    let finding = try #require(editor.findings().first { $0["severity"]?.integer == 1 })
    #expect(
      finding["range"]?["start"]?["line"]?.integer == 5 && finding["code"]?.string?.hasPrefix("CK") ?? false)
    let actions = editor.ask(
      "textDocument/codeAction",
      ["textDocument": ["uri": .string(Self.uri)], "range": finding["range"] ?? .null, "context": [:]])
    let edit = try #require(actions?.array?.first?["edit"]?["changes"]?[Self.uri]?.array?.first)
    editor.send(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(Self.uri), "version": 2],
        "contentChanges": [["range": edit["range"] ?? .null, "text": edit["newText"] ?? ""]],
      ])
    #expect(!editor.findings().contains { $0["severity"]?.integer == 1 })
    // A finding of lint can also be accepted, with a reason that the person writes.
    editor = Editor(Self.schema.replacing("title STRING", with: "userId STRING"))
    let range = editor.findings().first { $0["code"] == "CK0306" }?["range"] ?? .null
    let acceptance = editor.ask(
      "textDocument/codeAction",
      ["textDocument": ["uri": .string(Self.uri)], "range": range, "context": [:]])?.array?.last
    #expect(acceptance?["title"] == "Accept CK0306 of line 6 with a comment")
    let added = acceptance?["edit"]?["changes"]?[Self.uri]?.array?.first?["newText"]
    #expect(added == "        // celestra:ignore CK0306 \n")
  }

  @Test("findings are made once for each change, and other schemas are searched once until files change")
  func keptFindings() throws {
    let settings = SourceText(name: "/app/celestra-admin.json", #"{"schema": {"database": "both"}}"#)
    let queries = SourceText(
      name: "/app/queries.json",
      #"[{"recordType": "Note", "filters": [{"field": "title", "comparator": "<"}], "sorts": ["title"]}, {"recordType": "Trail"}]"#
    )
    let reads = Mutex(0)
    let searches = Mutex(0)
    var editor = Editor(Self.schema)
    editor.server = LanguageServer(version: "1") { _ in
      reads.withLock { $0 += 1 }
      let (configuration, problems) = LintConfiguration.read(settings)
      var options = LintOptions(queries: QueryManifest(parsing: queries))
      options.configuration = configuration
      options.elsewhere = {
        searches.withLock { $0 += 1 }
        return ([], "there are too many folders")
      }
      return (options, problems)
    }
    editor.start(Self.schema)
    let found = editor.findings()
    let messages = found.compactMap { $0["message"]?.string }
    #expect(messages.contains { $0.hasPrefix("celestra-admin.json:1: expected") }, "\(messages)")
    #expect(messages.contains { $0.contains("type 'Trail', and the other schemas of the project are not") })
    let index = try #require(found.first { $0["code"] == "CK0201" })
    #expect(index["message"]?.string?.hasPrefix("queries.json:1: a sort needs") ?? false)
    #expect(index["range"]?["start"]?["line"]?.integer == 5)
    // The cursor is at the start of the line, outside of what is underlined.
    let cursor: JSONValue = ["line": 5, "character": 0]
    for _ in 0..<3 {
      let actions = editor.ask(
        "textDocument/codeAction",
        [
          "textDocument": ["uri": .string(Self.uri)], "range": ["start": cursor, "end": cursor],
          "context": [:],
        ])
      let titles = actions?.array?.compactMap { $0["title"]?.string }
      #expect(
        titles?.first == "Replace 'STRING QUERYABLE' with 'STRING QUERYABLE SORTABLE'", "\(titles ?? [])")
    }
    #expect(reads.withLock { $0 } == 1)
    let document: JSONValue = ["textDocument": ["uri": .string(Self.uri)], "contentChanges": []]
    for (count, method) in [
      (1, "textDocument/didChange"), (2, "workspace/didChangeWatchedFiles"), (3, "textDocument/didSave"),
    ] {
      editor.send(method, document)
      #expect(editor.findings().count == found.count && reads.withLock { $0 } == count + 1)
      #expect(searches.withLock { $0 } == count)
    }
  }

  @Test("hover explains a type, an option, a role, a system field and a record type")
  func hover() throws {
    var editor = Editor(Self.schema)
    let places: [(line: Int, character: Int, word: String)] = [
      (5, 15, "Text"), (5, 25, "equality"), (7, 24, "Everyone"), (4, 12, "listable"), (3, 17, "Of a café 🎈"),
      (6, 30, "fields"), (1, 6, "role of the container"), (1, 18, "WRITE on `Note`"),
    ]
    for (line, character, word) in places {
      let text = editor.ask("hover", line: line, character)?["contents"]?["value"]?.string
      #expect(text?.contains(word) ?? false, "\(line):\(character) \(text ?? "nothing")")
    }
  }

  @Test("completion offers what can stand at the place")
  func completion() {
    func labels(_ text: String) -> Set<String> {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      var editor = Editor(text)
      let items = editor.ask("completion", line: lines.count - 1, lines.last?.utf16.count ?? 0)?.array ?? []
      return Set(items.compactMap { $0["label"]?.string })
    }
    let open = "DEFINE SCHEMA\nCREATE ROLE Boss;\nRECORD TYPE T (\n"
    let starts = ["", "DEFINE SCHEMA\n", "DEFINE SCHEMA\nRECORD ", open + "GRANT READ TO Boss\n)\nCREATE "]
      .map(labels)
    #expect(starts == [["DEFINE SCHEMA"], ["RECORD TYPE", "CREATE ROLE"], ["TYPE"], ["ROLE"]])
    #expect(labels(open + "a ").isSuperset(of: ["STRING", "LIST", "ENCRYPTED"]))
    #expect(labels(open + "a STRING ") == ["QUERYABLE", "SEARCHABLE", "SORTABLE"])
    #expect(labels(open + "a STRING QUERYABLE ") == ["SEARCHABLE", "SORTABLE"])
    #expect(labels(open + "a ASSET ").isEmpty)
    #expect(labels(open + "a LIST<").isSuperset(of: ["STRING", "ENCRYPTED"]))
    #expect(!labels(open + "a LIST<ENCRYPTED ").contains("ASSET"))
    #expect(labels(open + "a NUMBER PREFERRED AS ") == ["INT64", "DOUBLE"])
    #expect(labels(open + "GRANT ") == ["READ", "CREATE", "WRITE"])
    #expect(labels(open + "GRANT READ, ") == ["CREATE", "WRITE"])
    #expect(labels(open + "GRANT READ ") == ["TO"])
    #expect(!labels(open + "\"___recordID\" REFERENCE,\n\"").contains("\"___recordID\" REFERENCE"))
    #expect(labels(open + "GRANT READ, WRITE TO ").isSuperset(of: ["Boss", "\"_world\""]))
    #expect(!labels(open + "GRANT READ TO \"").contains("Boss"))
    #expect(labels(open + "\"___recordID\" ") == ["REFERENCE"])
    #expect(!labels(open + "\"___recordID\" REFERENCE, ").contains("\"___recordID\" REFERENCE"))
    #expect(labels(open + "// celestra:ignore ").isSuperset(of: ["CK0203", "CK0306"]))
    var ignoring = Editor(open + "// celestra:ignore ")
    #expect(
      ignoring.ask("completion", line: 3, 19)?.array?.allSatisfy { $0["detail"]?.string != nil } ?? false)
    #expect(labels(open + "// celestra:ignore CK0203 ").isEmpty && labels(open + "// a word ").isEmpty)
    #expect(labels(open + "a REFERENCE // -> ") == ["T"])
    #expect(labels("DEFINE SCHEMA\n// celestra").contains("celestra:private"))
    // What is written of an item is replaced, with a quote that the editor put behind it.
    for (line, start, end) in [("GRANT READ TO \"_w\"", 14, 18), ("a STRI", 2, 6), ("// celestra:", 3, 12)] {
      var editor = Editor(open + line)
      let item = editor.ask("completion", line: 3, line.utf16.count - (line.hasSuffix("\"") ? 1 : 0))?.array?
        .first
      let range = item?["textEdit"]?["range"]
      #expect(
        range?["start"]?["character"]?.integer == Int64(start)
          && range?["end"]?["character"]?.integer == Int64(end),
        "\(line)")
    }
    var editor = Editor(open + "GRANT READ TO _w")
    let found = editor.ask("completion", line: 3, 16)?.array ?? []
    #expect(found.contains { $0["filterText"] == "_world\"" }, "a name can be typed without its quote")
  }

  @Test("a finding about several places leads to each of them")
  func places() {
    var editor = Editor(Self.schema.replacing("title STRING", with: "userId STRING, deviceId STRING"))
    #expect(editor.findings().count { $0["code"] == "CK0306" } == 2, "each field shows its own")
    editor = Editor(Self.schema.replacing("title STRING", with: "title STRING, title STRING"))
    let found = editor.findings().first { $0["code"] == "CK0121" }?["relatedInformation"]?.array
    #expect(found?.count == 1 && found?[0]["location"]?["uri"]?.string == Self.uri, "\(editor.findings())")
    // What is not checked is said, too, as a sentence where an editor shows one line.
    var silent = Editor("DEFINE SCHEMA\nRECORD TYPE A (x STRING);")
    let notice = silent.findings().first { $0["code"] == "CK0207" }?["message"]?.string
    #expect(notice?.contains(";\nset schema.database") ?? false, "\(notice ?? "nothing")")
  }

  @Test("while a mistake is typed in one record type, the findings of the others stay")
  func otherFindings() {
    let text = Self.schema.replacing("WRITE TO Editor\n", with: "WRITE TO \"_icloud\"\n")
    // In a type, where a statement begins, and a type without its end or its beginning.
    for (line, character, deleted, typed) in [
      (12, 19, 0, " STRIGN"), (16, 0, 0, "    RECO"), (16, 0, 0, "RECORD TYPE Vis"),
      (2, 0, 1, "RECORD TYPE Vis (a STRING"),
      (10, 0, 1, "    RECORD"),
    ] {
      var editor = Editor(text)
      let before = Set(editor.findings().compactMap { $0["code"]?.string })
      let place: JSONValue = ["line": JSONValue(line), "character": JSONValue(character)]
      let end: JSONValue = ["line": JSONValue(line), "character": JSONValue(character + deleted * 99)]
      editor.send(
        "textDocument/didChange",
        [
          "textDocument": ["uri": .string(Self.uri), "version": 2],
          "contentChanges": [["range": ["start": place, "end": end], "text": .string(typed)]],
        ])
      let after = editor.findings()
      #expect(
        before.contains("CK0301")
          && after.contains { $0["code"] == "CK0301" && $0["range"]?["start"]?["line"] == 8 }, "\(typed)")
      #expect(
        after.contains { $0["severity"]?.integer == 1 && $0["range"]?["start"]?["line"] != 8 }, "\(typed)")
    }
  }

  @Test("a type is found from a comment, and renamed everywhere; a system type and a field are not")
  func rename() throws {
    var editor = Editor(Self.schema)
    #expect(editor.ask("definition", line: 6, 30)?["range"]?["start"]?["line"]?.integer == 10)
    let edits = editor.ask("rename", line: 6, 30, ["newName": "Volume"])?["changes"]?[Self.uri]?.array
    #expect(edits?.count == 2)
    #expect(editor.ask("references", line: 8, 25)?.array?.count == 3)
    for name in ["_b d", "Note", "Users"] {
      #expect(editor.ask("rename", line: 6, 30, ["newName": .string(name)])?["code"]?.integer == -32602)
    }
    #expect(editor.ask("prepareRename", line: 5, 9) == nil)
    var copied = Editor("DEFINE SCHEMA\nRECORD TYPE A (x STRING);\nRECORD TYPE A (x STRING);")
    let only = copied.ask("rename", line: 2, 12, ["newName": "B"])?["changes"]?[Self.uri]?.array
    #expect(only?.count == 1 && only?[0]["range"]?["start"]?["line"] == 2, "of two, the one that is named")
  }

  @Test(
    "formatting gives what 'schema format' gives, with the line ends of the text, and nothing for a text with errors"
  )
  func format() throws {
    for text in [Self.schema, Self.schema.replacing("\n", with: "\r\n")] {
      var editor = Editor(text)
      let edits = try #require(editor.ask("formatting", line: 0, 0)?.array)
      var document = TextDocument(name: "a", text: text, version: 0, encoding: .utf16)
      // Each place is one of the text before all edits.
      for edit in edits.reversed() { document.replace(edit["range"], with: edit["newText"]?.string ?? "") }
      let formatted = SchemaFormatter.format(
        SchemaParser.parse(SourceText(name: "a", Self.schema)), keepsOrder: true)
      #expect(
        document.source.bytes
          == Array((text == Self.schema ? formatted : formatted.replacing("\n", with: "\r\n")).utf8))
    }
    // One line too far to the left is one edit: the cursor stays where it is.
    let formatted = SchemaFormatter.format(
      SchemaParser.parse(SourceText(name: "a", Self.schema)), keepsOrder: true)
    var nearly = Editor(formatted.replacing("        name ", with: "name "))
    let only = nearly.ask("formatting", line: 0, 0)?.array
    #expect(only?.count == 1 && only?[0]["newText"] == "        ")
    var broken = Editor(Self.schema.replacing("name STRING", with: "name ((("))
    #expect(broken.ask("formatting", line: 0, 0)?.array?.isEmpty ?? false)
    let said = broken.shown.last ?? ""
    #expect(said.hasPrefix("Not formatted: correct the errors first, such as schema.ckdb:13: "), "\(said)")
  }

  @Test(
    "after a thousand random edits the findings are those of the whole text", arguments: ["utf-8", "utf-16"])
  func edits(encoding: String) throws {
    var random = SeededGenerator(seed: 7)
    var editor = Editor(Self.schema, encoding: encoding)
    var text = TextDocument(
      name: "/app/schema.ckdb", text: Self.schema, version: 1, encoding: .init(rawValue: encoding) ?? .utf16)
    let pieces = [
      "", "x", "🎈", "\r\n", "\n", "é", " STRING", ");", "(", "// -> Book", "GRANT READ TO \"_world\",",
    ]
    for round in 0..<1000 {
      var ends = [Int.random(in: 0...text.source.bytes.count, using: &random), 0]
      ends[1] = min(text.source.bytes.count, ends[0] + Int.random(in: 0...4, using: &random))
      // An editor's positions lie between characters.
      let range = text.range(
        text.offset(of: text.position(at: ends[0]))..<text.offset(of: text.position(at: ends[1])))
      let piece = pieces.randomElement(using: &random) ?? ""
      text.replace(range, with: piece)
      editor.send(
        "textDocument/didChange",
        [
          "textDocument": ["uri": .string(Self.uri), "version": JSONValue(round + 2)],
          "contentChanges": [["range": range, "text": .string(piece)]],
        ])
      if round.isMultiple(of: 50) || round > 990 {
        let whole = SchemaLinter.check(SchemaParser.parse(text.source), joined: false).diagnostics
        #expect(editor.findings().prefix(whole.count).compactMap { $0["code"]?.string } == whole.map(\.code))
        _ = editor.ask("semanticTokens/full", line: 0, 0)
        _ = editor.ask("documentSymbol", line: 0, 0)
      }
    }
  }

  @Test("positions of both encodings count their own units")
  func positions() {
    for (encoding, character) in [(TextDocument.Encoding.utf16, 5), (.utf8, 9)] {
      let document = TextDocument(name: "a", text: "é🎈ab\nx", version: 0, encoding: encoding)
      #expect(
        document.offset(of: ["line": 0, "character": JSONValue(character - (encoding == .utf16 ? 1 : 2))])
          == 7)
      #expect(
        document.offset(of: ["line": 0, "character": 99]) == 8
          && document.offset(of: ["line": 9, "character": 0]) == 10)
    }
  }

  @Test("what is not a message is answered with an error, and the server goes on")
  func malformed() {
    var editor = Editor(Self.schema)
    for text in [
      "", "{", "[]", "{}", #"{"id": 1}"#, #"{"id": 1, "method": "nothing"}"#,
      #"{"method": "textDocument/didChange"}"#,
    ] {
      _ = editor.server.handle(Array(text.utf8))
    }
    #expect(editor.ask("hover", line: 5, 15)?["contents"] != nil)
    #expect(
      editor.ask("textDocument/hover", ["textDocument": ["uri": "file:///other"]])?["code"]?.integer == -32602
    )
    let canceled = editor.server.handle(Array(#"{"id": 9, "method": "textDocument/hover"}"#.utf8)) { $0 == 9 }
    #expect(canceled.first?["error"]?["code"]?.integer == -32800)
    #expect(editor.ask("shutdown") == .null || editor.server.ended == nil)
    editor.send("exit", [:])
    #expect(editor.server.ended?.isOrderly ?? false)
  }

  @Test("messages are found in any pieces; one without a length, or too long, ends the stream")
  func frames() throws {
    let bytes = Array((MessageFrames.framed("{\"a\":1}") + MessageFrames.framed("{\"é\":2}")).utf8)
    for size in [1, 3, 7, 100] {
      var frames = MessageFrames()
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        found += try frames.append(bytes[start..<min(bytes.count, start + size)])
      }
      #expect(found.map { String(decoding: $0, as: UTF8.self) } == ["{\"a\":1}", "{\"é\":2}"])
    }
    var none = MessageFrames()
    #expect(throws: MessageFrames.Failure.noLength) { try none.append("Content-Type: x\r\n\r\n{}".utf8) }
    var long = MessageFrames()
    #expect(throws: MessageFrames.Failure.tooLong) {
      try long.append("Content-Length: 999999999999\r\n\r\n".utf8)
    }
  }
}
