import Foundation
import SystemPackage
import Testing

@testable import Platform

@Suite struct OutputFileTests {
  @Test("a result takes the place of a file when it is complete, with the file's mode, and through a link")
  func replaced() throws {
    try inFolder { path in
      try Data("old".utf8).write(to: URL(filePath: "\(path)/file"))
      #expect(chmod("\(path)/file", 0o604) == 0)
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "file")
      for name in ["file", "link", "new"] {
        do {
          let output = try OutputFile("\(path)/\(name)")
          try output.append("one, ")
          try output.append(name)
          let before = name == "new" ? nil : name == "file" ? "old" : "one, file"
          #expect(
            try before
              == FileStatus.of("\(path)/\(name)").map { _ in
                try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
              })
          try output.finish()
        }
        #expect(try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) == "one, \(name)")
      }
      #expect(try String(contentsOfFile: "\(path)/file", encoding: .utf8) == "one, link")
      #expect(try Stat(FilePath("\(path)/file")).permissions.rawValue == 0o604)
      #expect(try FileStatus.of("\(path)/link")?.kind == .link)
      #expect(try FileKind.names(inFolder: path, named: "") == ["file", "link", "new"])
    }
  }

  @Test("an unfinished result is removed, and what was there stays")
  func unfinished() throws {
    try inFolder { path in
      try Data("old".utf8).write(to: URL(filePath: "\(path)/file"))
      for name in ["file", "new"] {
        do { try OutputFile("\(path)/\(name)").append("half") }
        #expect(try FileKind.names(inFolder: path, named: "") == ["file"])
      }
      #expect(try String(contentsOfFile: "\(path)/file", encoding: .utf8) == "old")
      let failure = #expect(throws: FileFailure.self) { _ = try OutputFile("\(path)/none/file") }
      #expect(failure?.message == "cannot write \(path)/none/file: No such file or directory")
    }
  }

  @Test("a pipe is written directly and stays a pipe", .timeLimit(.minutes(1)))
  func pipes() throws {
    try inFolder { path in
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      // An open reader, so that opening the other end does not wait.
      let reader = try ReadableFile("\(path)/pipe", named: "pipe", waitsForWriter: false)
      try OutputFile.write("text", to: "\(path)/pipe")
      #expect(try reader.piece(atMost: 10) == Array("text".utf8))
      #expect(try FileKind("\(path)/pipe") == .other)
      #expect(try FileKind.names(inFolder: path, named: "") == ["pipe"])
    }
  }
}
