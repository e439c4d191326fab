import Foundation
import Testing

@testable import Platform

@Suite struct FolderTreeTests {
  @Test("files are found by the end of their names, without hidden ones and behind no linked folder")
  func files() throws {
    try inFolder { path in
      for name in [
        "b.x", "a.x", "a.y", ".hidden.x", "folder/c.x", "folder/deep/d.x", ".git/e.x", "folder.x/f.x",
      ] {
        try FolderTree.make(FileKind.folder(of: "\(path)/\(name)"))
        try Data().write(to: URL(filePath: "\(path)/\(name)"))
      }
      try FileManager.default.createSymbolicLink(atPath: "\(path)/linked", withDestinationPath: "folder")
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link.x", withDestinationPath: "a.x")
      try FileManager.default.createSymbolicLink(atPath: "\(path)/dangling.x", withDestinationPath: "nowhere")
      let found = ["a.x", "b.x", "folder.x/f.x", "folder/c.x", "folder/deep/d.x", "link.x"]
      #expect(try FolderTree.files(below: path, endingWith: ".x").sorted() == found.map { "\(path)/\($0)" })
      #expect(
        try FolderTree.files(below: "\(path)/folder/", endingWith: ".x") == [
          "\(path)/folder/c.x", "\(path)/folder/deep/d.x",
        ])
      #expect(try FolderTree.files(below: path, endingWith: ".z").isEmpty)
      #expect(throws: FileFailure.self) { try FolderTree.files(below: "\(path)/missing", endingWith: ".x") }
    }
  }

  @Test("64 levels of folders are searched, and no more")
  func depth() throws {
    try inFolder { path in
      let deepest = path + String(repeating: "/d", count: 63)
      try FolderTree.make(deepest)
      try Data().write(to: URL(filePath: "\(deepest)/a.x"))
      #expect(try FolderTree.files(below: path, endingWith: ".x") == ["\(deepest)/a.x"])
      try FolderTree.make("\(deepest)/d")
      let failure = #expect(throws: FileFailure.self) { try FolderTree.files(below: path, endingWith: ".x") }
      #expect(failure?.message == "\(deepest)/d has more than 64 levels of folders")
    }
  }

  @Test("a folder is made with those above it, and one that exists is left as it is")
  func make() throws {
    try inFolder { path in
      for _ in 0..<2 { try FolderTree.make("\(path)/a/b/c") }
      try FolderTree.make("\(path)/a/d")
      #expect(try FileKind("\(path)/a/b/c") == .folder && FileKind("\(path)/a/d") == .folder)
      try Data().write(to: URL(filePath: "\(path)/file"))
      #expect(throws: FileFailure.self) { try FolderTree.make("\(path)/file/below") }
      #expect(try FileKind.names(inFolder: path, named: "") == ["a", "file"])
    }
  }
}
