import Foundation
import Testing

/// What `schema generate` writes, with the compilers that use it: swiftc, and Debian's tsc and node.
@Suite struct GeneratedCodeTests {
  private static let fixtures = projectRoot.appending(path: "Tests/Scenarios/generated").path
  private static let swiftc = "swiftc -swift-version 6 -warnings-as-errors -parse-as-library"
  private static let tsc = "tsc --strict --noUnusedLocals --target es2015 --module commonjs"

  /// Runs a line of the shell that must succeed, with the compilers of this machine on the path.
  @discardableResult
  private func shell(_ line: String, in folder: String, status: Int32 = 0) async throws -> Tool.Outcome {
    let own = URL(filePath: Tool.path).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let outcome = try await Tool(directory: folder, environment: ["PATH": "\(own):\(path)"]).shell(line)
    #expect(outcome.status == status, "\(line)\n\(outcome.out)\n\(outcome.err)")
    return outcome
  }

  @Test("code for every name and field type compiles, in Swift and in TypeScript")
  func everyName() async throws {
    try await withScratchFolder { folder in
      try await shell("cp \(Self.fixtures)/words.ckdb .", in: folder)
      for access in ["public", "package"] {
        try await shell(
          "celestra-admin schema generate words.ckdb --language swift --access \(access) --output \(access)",
          in: folder)
        try await shell("\(Self.swiftc) -package-name p -typecheck \(access)/*.swift", in: folder)
      }
      try await shell(
        "celestra-admin schema generate words.ckdb --language typescript --output ts", in: folder)
      // The last options are what verbatimModuleSyntax asks for.
      try await shell(
        "\(Self.tsc) --noEmit --module es2020 --isolatedModules --preserveValueImports ts/*.ts", in: folder)
      let found = try await shell("grep -nwE ': any|<any>|as any' ts/*.ts", in: folder, status: 1)
      #expect(found.out.isEmpty)
    }
  }

  @Test("the guide's import compiles with the one option that the guide names")
  func guideImport() async throws {
    try await withScratchFolder { folder in
      let root = projectRoot.path
      try await shell(
        "celestra-admin schema generate '\(root)/schema/celestra.ckdb' --language typescript --output schema",
        in: folder)
      try await shell(
        "grep '^import .* from ' '\(root)/Documentation/CodeGeneration.md' > use.ts && "
          + "tsc --target es2015 --noEmit use.ts", in: folder)
    }
  }

  @Test("a package runs the installed tool by the command plugin, and builds nothing of it")
  func plugin() async throws {
    let manifest = try String(contentsOf: projectRoot.appending(path: "Package.swift"), encoding: .utf8)
    let declaration = try #require(manifest.firstRange(of: "let commandPlugin = "))
    let end = try #require(manifest[declaration.lowerBound...].firstRange(of: "\n\n"))
    try await withScratchFolder { folder in
      let package = """
        // swift-tools-version: 6.2
        import PackageDescription
        \(manifest[declaration.lowerBound..<end.lowerBound])
        let package = Package(name: "App", targets: [.target(name: "App", path: "Sources"), commandPlugin])
        """
      try Data(package.utf8).write(to: URL(filePath: "\(folder)/Package.swift"))
      try await shell(
        "cp -r '\(projectRoot.path)/Plugins' . && mkdir Sources && cp \(Self.fixtures)/words.ckdb app.ckdb",
        in: folder)
      let run =
        "swift package --allow-writing-to-package-directory celestra-admin schema generate app.ckdb --output Sources --language"
      try await shell("\(run) swift", in: folder)
      try await shell("test -f Sources/Every.swift && ! ls .build/debug/App.build", in: folder)
      let failed = try await shell("\(run) cobol", in: folder, status: 1)
      #expect(failed.out.contains("cobol") && failed.err.contains("celestra-admin ended with status 64"))
    }
  }

  @Test("with a stub of CloudKit, records are written and read, and the guide's Swift is type-checked")
  func cloudKit() async throws {
    try await withScratchFolder { folder in
      try await shell(
        "cp \(Self.fixtures)/* . && celestra-admin schema generate words.ckdb --language swift --output swift",
        in: folder)
      try await shell(
        "swiftc -parse-as-library -emit-module -emit-library -module-name CloudKit CloudKitStub.swift -emit-module-path CloudKit.swiftmodule -o libCloudKit.so"
          + " && echo 'import CloudKit' > empty.swift"
          + " && swiftc -parse-as-library -emit-module empty.swift -module-name CoreLocation -I . -emit-module-path CoreLocation.swiftmodule",
        in: folder)
      try await shell(
        "\(Self.swiftc) -I . -L . -lCloudKit -Xlinker -rpath -Xlinker $PWD swift/*.swift CloudKitCheck.swift -o check",
        in: folder)
      try Data(Self.guideCode().utf8).write(to: URL(filePath: "\(folder)/Guide.swift"))
      try await shell(
        "celestra-admin schema generate schema/live-sessions.ckdb --language swift --output sessions && \(Self.swiftc) -I . -typecheck sessions/*.swift Guide.swift",
        in: folder)
      let run = try await shell("./check", in: folder)
      #expect(
        run.out == """
          Every %K == %@ AND %K CONTAINS %@ ["int64", 7, "names", "a"] by double false
          the field Every.double has the type String, expected DOUBLE

          """)
    }
  }

  /// The Swift of the guide to live sessions, with what an app has around it.
  private static func guideCode() throws -> String {
    let page = projectRoot.appending(path: "Documentation/LiveSessions.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let code = try #require(text.firstMatch(of: /(?s)```swift\n(.*?)```/)?.output.1)
    return """
      import CloudKit
      struct SHA256 { static func hash(data: Data) -> Data { data } }
      struct CKContainer {
        let containerIdentifier: String?
        func userRecordID() async throws -> CKRecord.ID { CKRecord.ID(recordName: "") }
      }
      func guide(text: String, session: Record<LiveSession>, container: CKContainer) async throws -> [Any] {
      \(code)
        return [record, query, blocked]
      }
      """
  }

  @Test("a record of each type of the catalog is decoded, encoded and equal field by field")
  func roundTrip() async throws {
    try await withScratchFolder { folder in
      try await shell(
        "cp \(Self.fixtures)/* . && celestra-admin container init --schema schema/celestra.ckdb -q",
        in: folder)
      for (type, fields) in Self.records {
        try Data(fields.utf8).write(to: URL(filePath: "\(folder)/\(type).json"))
        try await shell(
          "celestra-admin records create \(type) --fields-file \(type).json --record-name \(type)-1 --yes",
          in: folder)
      }
      let export = try await shell("celestra-admin records export | tee records.jsonl", in: folder)
      let wanted = Set(try export.out.split(separator: "\n").map { try Self.canonical(String($0)) })
      #expect(wanted.count == 5)

      try await shell(
        "celestra-admin schema generate schema/celestra.ckdb --language swift --output swift", in: folder)
      try await shell("\(Self.swiftc) swift/*.swift RoundTrip.swift -o round", in: folder)
      let swift = try await shell("./round < records.jsonl", in: folder).out.split(separator: "\n").map(
        String.init)
      #expect(Set(try swift.prefix(5).map(Self.canonical)) == wanted)
      #expect(
        Array(swift.dropFirst(5)) == [
          "cleared true [\"title\"] kept true",
          #"{"fields":{"qualityScore":{"type":"DOUBLE","value":0.5},"title":{"value":null}},"recordName":"f","recordType":"PublicFeed"}"#,
          "the same true without true",
          #"{"fields":{"qualityScore":{"type":"DOUBLE","value":0.5},"title":{"type":"STRING","value":"b"}},"recordName":"f","recordType":"PublicFeed"}"#,
          "error: the field PublicFeed.qualityScore has the type STRING, expected DOUBLE",
          "error: expected a record of type FeedCategory, found PublicFeed",
        ])

      try await shell(
        "celestra-admin schema generate schema/celestra.ckdb --language typescript --output generated",
        in: folder)
      try Data(Self.nodeTypes.utf8).write(to: URL(filePath: "\(folder)/node.d.ts"))
      try await shell("\(Self.tsc) --outDir js node.d.ts roundtrip.ts", in: folder)
      let script = try await shell("node js/roundtrip.js records.jsonl", in: folder).out.split(
        separator: "\n"
      )
      .map(String.init)
      #expect(Set(try script.prefix(5).map(Self.canonical)) == wanted)
      #expect(
        Array(script.dropFirst(5)) == [
          #"{"qualityScore":{"type":"DOUBLE","value":0.5},"title":{"value":null}}"#,
          "error: the field PublicFeed.title has the type INT64, expected STRING",
        ])
    }
  }

  /// A filter that must not compile, and a part of the message.
  private static let wrongFilters = [
    ("Every.Query.count == 1", "this field has no QUERYABLE index"),
    ("Every.Query.names == [\"a\"]", "a query asks only what a list contains"),
    ("Every.Query.text.isAny(of: [\"a\"])", "this field has no QUERYABLE index"),
    ("Every.Query.int64.ascending", "this field has no SORTABLE index"),
    ("Every.SystemQuery.createdTimestamp.descending", "this field has no SORTABLE index"),
    ("Every.Query.int64.containsAllWords(\"a\")", "this field has no SEARCHABLE index"),
    ("Every.Query.secret == \"a\"", "has no member 'secret'"),
    ("Every.Query.asset", "has no member 'asset'"),
    ("Every.Query.int64 == \"a\"", "error:"),
    ("[Every.Query.int64 == 1] as [Filter<Empty>]", "error:"),
  ]

  @Test("a filter whose index is missing does not compile, and the message names the index")
  func missingIndex() async throws {
    try await withScratchFolder { folder in
      try await shell(
        "celestra-admin schema generate \(Self.fixtures)/words.ckdb --language swift --output swift",
        in: folder)
      // One run of the compiler reports the errors of all files.
      for (number, (expression, _)) in Self.wrongFilters.enumerated() {
        try Data("let found\(number) = \(expression)\n".utf8).write(
          to: URL(filePath: "\(folder)/Wrong\(number).swift"))
      }
      let outcome = try await shell(
        "\(Self.swiftc) -wmo -typecheck swift/*.swift Wrong?.swift 2>&1", in: folder, status: 1)
      let errors = outcome.out.split(separator: "\n").filter { $0.contains(": error:") }
      for (number, (expression, message)) in Self.wrongFilters.enumerated() {
        #expect(
          errors.contains { $0.contains("Wrong\(number).swift:1:") && $0.contains(message) },
          "\(expression)\n\(outcome.out)")
      }
      #expect(errors.allSatisfy { $0.contains("Wrong") }, "\(outcome.out)")
    }
  }

  @Test("what the schema allows compiles, and in TypeScript each missing index is an error")
  func filters() async throws {
    try await withScratchFolder { folder in
      try await shell(
        "celestra-admin schema generate \(Self.fixtures)/words.ckdb --language swift --output swift && celestra-admin schema generate \(Self.fixtures)/words.ckdb --language typescript --output ts",
        in: folder)
      let right = """
        let filters: [Filter<Every>] = [
          Every.Query.string_ == "a", Every.Query.int64 >= 1, Every.Query.names.contains("a"),
          Every.Query.string_.hasPrefix("b"), Every.Query.string_.containsAllWords("c d"),
          Every.Query.timestamp < Date(), Every.Query.parent == Reference(RecordName("x")),
        ]
        let sorts: [Sort<Every>] = [Every.Query.double.ascending, Every.Query.string_.descending]
        """
      try Data("import Foundation\n\(right)\n".utf8).write(to: URL(filePath: "\(folder)/Right.swift"))
      try await shell("\(Self.swiftc) -typecheck swift/*.swift Right.swift", in: folder)
      let lines = [
        ("equals(EveryQuery.string, \"a\")", true), ("sortBy(EveryQuery.double)", true),
        ("containsAllWords(EveryQuery.text, \"a\")", true), ("equals(EveryQuery.count, 1)", false),
        ("sortBy(EveryQuery.int64)", false), ("containsAllWords(EveryQuery.int64, \"a\")", false),
        ("equals(EveryQuery.int64, \"a\")", false), ("greaterThan(EveryQuery.text, \"a\")", false),
        ("contains(EveryQuery.names, \"a\")", true), ("equals(EveryQuery.names, [\"a\"])", false),
      ]
      for (number, (line, _)) in lines.enumerated() {
        let text =
          "import { EveryQuery, contains, containsAllWords, equals, greaterThan, sortBy } from \"./ts\";\n\(line);\n"
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/use\(number).ts"))
      }
      let found = try await shell(
        "tsc --strict --target es2015 --module commonjs --noEmit use?.ts", in: folder, status: 2)
      let errors = found.out.split(separator: "\n").filter { $0.contains(": error ") }
      for (number, (line, isRight)) in lines.enumerated() {
        #expect(
          errors.contains { $0.hasPrefix("use\(number).ts(2,") } == !isRight, "\(line)\n\(found.out)")
      }
      #expect(errors.allSatisfy { $0.contains("(2,") }, "\(found.out)")
    }
  }

  // MARK: Fixtures

  /// A line of an export with sorted keys, and without fields that have no value.
  private static func canonical(_ line: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return String(
      decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
  }

  private static let nodeTypes = """
    declare module "fs" { export function readFileSync(path: string, encoding: "utf8"): string; }
    declare const process: { argv: string[] };
    """

  private static let records = [
    ("FeedCategory", #"{"name": "News", "slug": "news", "sortOrder": 3}"#),
    (
      "PublicFeed",
      #"""
      {"title": "A feed — ünïcode", "feedURL": "https://example.com/feed", "tags": ["a", "b"],
       "qualityScore": 1, "isFeatured": 1, "addedAt": "2026-01-31T12:00:00.123Z",
       "category": {"type": "REFERENCE", "value": {"recordName": "FeedCategory-1", "action": "NONE"}}}
      """#
    ),
    (
      "FeedCollection",
      #"""
      {"title": "Best", "tags": ["x"],
       "feeds": {"type": "REFERENCE_LIST", "value": [{"recordName": "PublicFeed-1", "action": "NONE"}]}}
      """#
    ),
    (
      "FeedMetadata",
      #"""
      {"feedReference": {"type": "REFERENCE", "value": {"recordName": "PublicFeed-1", "action": "DELETE_SELF"}},
       "dailyChecks": {"type": "INT64_LIST", "value": [9007199254740991, -1, 0]}, "uptimePercentage": 99.5}
      """#
    ),
    (
      "PublicArticle",
      #"""
      {"title": "One", "guid": "g", "publishedDate": "2026-01-31T12:00:00Z",
       "feedReference": {"type": "REFERENCE", "value": {"recordName": "PublicFeed-1", "action": "DELETE_SELF"}}}
      """#
    ),
  ]
}
