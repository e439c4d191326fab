import ArgumentParser
import Diagnostics
import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite struct FeedInspectTests {
  private func inspect(_ words: [String], in test: TestProcess) async throws -> Diagnostics.ExitStatus {
    await CommandRunner(command: try FeedInspect.parse(words), process: test.process()).run()
  }

  @Test(
    "if nothing could be read, standard error says so unless the document does",
    arguments: [
      (["--format", "json", "--output", "FOLDER/o.json"], true), (["--format", "json"], false),
      (["--format", "jsonl"], true), (["--format", "text"], true),
    ])
  func unreadable(options: [String], isTold: Bool) async throws {
    let test = try TestProcess()
    let options = options.map { $0.replacing("FOLDER", with: test.folder) }
    #expect(try await inspect(["\(test.folder)/missing.xml"] + options, in: test) == .failed)
    #expect(test.err.contains("none of the inputs could be read") == isTold)
  }

  @Test("files are reported in their order, including an unreadable one")
  func order() async throws {
    let test = try TestProcess()
    for name in ["a", "b"] {
      try test.write("<rss version='2.0'><channel><title>\(name)</title></channel></rss>", to: "\(name).xml")
    }
    let files = ["b.xml", "none.xml", "a.xml"].map { "\(test.folder)/\($0)" }
    let status = try await inspect(files + ["--format", "jsonl"], in: test)
    #expect(status == .done)
    let lines = test.out.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      zip(lines, [#""title":"b""#, #""code":"unreadable""#, #""title":"a""#]).allSatisfy { $0.contains($1) })
    #expect(test.err.isEmpty)
  }
}
