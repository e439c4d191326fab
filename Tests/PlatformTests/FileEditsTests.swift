import Foundation
import SystemPackage
import Testing

@testable import Platform

@Suite struct FileEditsTests {
  private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func edit(_ path: String, _ before: String?, _ after: String) -> FileEdit {
    FileEdit(path, before: before.map { Array($0.utf8) }, after: Array(after.utf8))
  }

  @Test(
    "files are replaced with their permissions, links stay links, and new ones are made with their folder")
  func written() throws {
    try inFolder { path in
      try Data("old".utf8).write(to: URL(filePath: "\(path)/file"))
      #expect(chmod("\(path)/file", 0o640) == 0)
      try Data("far".utf8).write(to: URL(filePath: "\(path)/target"))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "target")
      try FileEdits.write(
        [
          edit("\(path)/file", "old", "new"), edit("\(path)/link", "far", "near"),
          edit("\(path)/folder/made", nil, "made"),
          edit("\(path)/folder/second", nil, ""),
        ], in: path)
      #expect(try content("\(path)/file") == "new" && content("\(path)/target") == "near")
      #expect(try content("\(path)/folder/made") == "made" && content("\(path)/folder/second") == "")
      #expect(try Stat(FilePath("\(path)/file")).permissions.rawValue == 0o640)
      #expect(try FileStatus.of("\(path)/link")?.kind == .link)
      #expect(try FileKind.names(inFolder: path, named: "") == ["file", "folder", "link", "target"])
      #expect(try FileKind.names(inFolder: "\(path)/folder", named: "") == ["made", "second"])
    }
  }

  @Test("if one file is not as it was read, none is written, and nothing is left beside them")
  func changed() throws {
    try inFolder { path in
      try Data("a".utf8).write(to: URL(filePath: "\(path)/a"))
      try Data("b".utf8).write(to: URL(filePath: "\(path)/b"))
      let refusals: [FileEdit] = [
        edit("\(path)/b", "other", "new"), edit("\(path)/b", nil, "new"), edit("\(path)/b", "", "new"),
      ]
      for refused in refusals {
        let failure = #expect(throws: FileFailure.self) {
          try FileEdits.write([edit("\(path)/a", "a", "new"), refused], in: path)
        }
        #expect(failure?.message == "\(path)/b changed while the command ran; nothing was written")
      }
      #expect(throws: FileFailure.self) {
        try FileEdits.write([edit("\(path)/a", "a", "new"), edit("\(path)/missing", "c", "new")], in: path)
      }
      #expect(try content("\(path)/a") == "a" && content("\(path)/b") == "b")
      #expect(try FileKind.names(inFolder: path, named: "") == ["a", "b"])
    }
  }

  @Test("a folder to which another process writes is left alone, and without edits no folder is needed")
  func locked() throws {
    try inFolder { path in
      let lock = open(path, O_RDONLY)
      #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
      let failure = #expect(throws: FileFailure.self) {
        try FileEdits.write([edit("\(path)/a", nil, "new")], in: path)
      }
      #expect(failure?.message == "another command is writing to \(path); nothing was written")
      #expect(try FileKind.names(inFolder: path, named: "") == [])
      #expect(close(lock) == 0)
      try FileEdits.write([edit("\(path)/a", nil, "new")], in: path)
      #expect(try content("\(path)/a") == "new")
      #expect(throws: Never.self) { try FileEdits.write([], in: "\(path)/missing") }
      #expect(throws: FileFailure.self) {
        try FileEdits.write([edit("\(path)/a", "new", "")], in: "\(path)/missing")
      }
    }
  }
}
