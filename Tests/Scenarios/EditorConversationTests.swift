import Foundation
import Testing

/// The command `lsp`, spoken with as an editor does.
@Suite("An editor and the language server") struct EditorConversationTests {
  @Test("'schema format' prints a file with CRLF as the server leaves it in the editor")
  func lineEnds() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      let text = "DEFINE SCHEMA\r\nRECORD TYPE T (a STRING, GRANT READ TO \"_world\");\r\n"
      let formatted = try await tool.run(["schema", "format", "-"], stdin: text).out
      #expect(
        formatted.utf8.count { $0 == UInt8(ascii: "\n") } == formatted.utf8.count { $0 == UInt8(ascii: "\r") }
      )
      #expect(try await tool.run(["schema", "format", "-"], stdin: formatted).out == formatted)
    }
  }

  @Test("a project file that cannot be read is shown in the editor, and the server goes on with the defaults")
  func brokenSettings() async throws {
    try await withScratchFolder { folder in
      try #"{"schema": {"database": "public","#.write(
        toFile: "\(folder)/celestra-admin.json", atomically: true, encoding: .utf8)
      let done = try await fixes(
        of: #"DEFINE SCHEMA\nRECORD TYPE T (a STRING SORTABEL, GRANT READ TO \"_world\");\n"#, in: folder)
      #expect(done.status == 0 && done.err.isEmpty, "\(done)")
      #expect(done.out.ranges(of: "window/showMessage").count == 1, "\(done.out)")
      #expect(done.out.contains("celestra-admin.json:1: ") && done.out.contains("SORTABLE"), "\(done.out)")
    }
  }

  @Test("a fix that would remove a comment is not the one that an editor applies by itself")
  func commentedFix() async throws {
    try await withScratchFolder { folder in
      try #"{"schema": {"database": "public"}}"#.write(
        toFile: "\(folder)/celestra-admin.json", atomically: true, encoding: .utf8)
      for (comment, isPreferred) in [("", true), ("// why", false)] {
        let done = try await fixes(
          of:
            #"DEFINE SCHEMA\nRECORD TYPE T (a STRING, GRANT READ, \#(comment)\n CREATE TO \"_creator\");\n"#,
          in: folder)
        #expect(done.status == 0 && done.out.contains(#"with 'GRANT READ TO \"_creator\"'"#), "\(done)")
        let fix = done.out.ranges(of: #"\"_creator\"'","kind":"quickfix","isPreferred":\#(isPreferred)"#)
        #expect(fix.count == 1, "\(done)")
      }
    }
  }

  /// What the server says to an editor that opens a text, a part of JSON, and asks for all fixes.
  private func fixes(of text: String, in folder: String) async throws -> Tool.Outcome {
    let document = #""textDocument":{"uri":"file://\#(folder)/a.ckdb""#
    let range = #""range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}"#
    let messages = [
      #""id":1,"method":"initialize","params":{"capabilities":{}}"#,
      #""method":"textDocument/didOpen","params":{\#(document),"version":1,"text":"\#(text)"}}"#,
      #""id":2,"method":"textDocument/codeAction","params":{\#(document)},\#(range),"context":{"diagnostics":[]}}"#,
      #""id":3,"method":"shutdown""#, #""method":"exit""#,
    ]
    let input = messages.map { #"{"jsonrpc":"2.0",\#($0)}"# }
      .map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
    return try await Tool(directory: folder).run(["lsp"], stdin: input)
  }
}
