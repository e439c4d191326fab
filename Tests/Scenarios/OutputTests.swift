import Foundation
import Testing

/// What people read, as it was last looked at: one file for each command in `outputs/`, with a part for each width of the
/// terminal. After a wanted change, run the tests once with CELESTRA_RECORD_SNAPSHOTS=1 and read the difference.
@Suite struct OutputTests {
  private static let folder = projectRoot.appending(path: "Tests/Scenarios/outputs")

  /// A line of `commands.txt`.
  private struct Command {
    let name: String
    /// Of the terminals; 0 for a file.
    let widths: [UInt16]
    let words: [String]

    init?(_ line: Substring) {
      let parts = line.split(separator: " ").map(String.init)
      guard !line.hasPrefix("#"), parts.count > 2 else { return nil }
      name = parts[0]
      widths = parts[1].split(separator: ",").compactMap { UInt16($0) }
      words = Array(parts[2...])
    }
  }

  @Test("what is printed is as recorded, and no line with a blank is wider than the terminal")
  func recorded() async throws {
    let list = try String(contentsOf: Self.folder.appending(path: "commands.txt"), encoding: .utf8)
    let commands = list.split(separator: "\n").compactMap(Command.init)
    #expect(commands.count > 15)
    try await withScratchFolder { folder in
      let tool = Tool(
        directory: folder, environment: ["CELESTRA_ADMIN_CLOCK": "2026-03-02T12:00:00Z", "NO_COLOR": "1"])
      try await Self.prepare(tool)
      for command in commands {
        var found = "$ celestra-admin \(command.words.joined(separator: " "))\n"
        for width in command.widths {
          let text = try await Self.output(of: command.words, tool, width)
          found += "== \(width == 0 ? "file" : "\(width) columns")\n\(text)"
          guard width > 0 else { continue }
          for line in text.split(separator: "\n") where line.dropFirst(8).contains(" ") {
            #expect(line.count <= Int(width), "\(command.name): \(line)")
          }
        }
        let file = Self.folder.appending(path: "\(command.name).txt")
        if ProcessInfo.processInfo.environment["CELESTRA_RECORD_SNAPSHOTS"] != nil {
          try Data(found.utf8).write(to: file)
        }
        let recorded = try String(contentsOf: file, encoding: .utf8)
        #expect(recorded == found, "\(command.name)")
      }
    }
  }

  @Test(
    "what cannot be written is an error, also of texts that are no reports",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      "--version", "version", "cktool version", "help", "help all", "status --help", "man", "completion fish",
      "explain CK0203",
    ])
  func unwritten(_ words: String) async throws {
    try await withScratchFolder { folder in
      let run = try await Tool(directory: folder).shell("celestra-admin \(words) > /dev/full")
      #expect(run.status == 1)
      // Of a long text, the reason may be gone with what was written first.
      let reasons = ["", ": No space left on device"]
      #expect(reasons.map { "error: cannot write the output\($0)\n" }.contains(run.err))
    }
  }

  /// A catalog with feeds of every state, changed seeds and an older schema.
  private static func prepare(_ tool: Tool) async throws {
    for file in ["world.jsonl", "older.ckdb", "feed.xml"] {
      try FileManager.default.copyItem(
        atPath: folder.appending(path: file).path, toPath: "\(tool.directory)/\(file)")
    }
    let lines = [
      "container init --schema schema/celestra.ckdb", "seed apply seeds --yes",
      "records import world.jsonl --yes",
    ]
    for line in lines {
      let outcome = try await tool.shell("celestra-admin \(line)")
      try #require(outcome.status == 0, "\(line): \(outcome.err)")
    }
    let edit = try await tool.shell(
      "cp -R seeds changed && sed -i.old 's/\"title\": \"Daring Fireball\"/\"title\": \"Daring | Fireball\"/; s/\"isFeatured\": true/\"isFeatured\": false/' changed/feeds/technology.json; rm changed/feeds/*.old"
    )
    try #require(edit.status == 0)
  }

  /// What a terminal of a width shows, or a file gets, without what differs from run to run.
  private static func output(of words: [String], _ tool: Tool, _ width: UInt16) async throws -> String {
    var text: String
    if width == 0 {
      let outcome = try await tool.run(words)
      text = outcome.out + outcome.err
    } else {
      text = try await Terminal(columns: width).output(of: tool, words)
    }
    text = text.replacing("\r\n", with: "\n").replacing(
      /[0-9]{8}T[0-9]{6}-[0-9a-f]{6}/, with: "20260302T120000-abcdef")
    return text.hasSuffix("\n") || text.isEmpty ? text : text + "\n"
  }
}
