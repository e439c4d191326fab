import Foundation
import Platform
import SystemPackage
import Testing

@Suite struct StateFolderTests {
  private func permissions(_ path: String) throws -> FilePermissions {
    try Stat(FilePath(path), followTargetSymlink: false).permissions
  }

  private func setPermissions(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("folders and files are made for their owner alone, missing folders above included")
  func modes() throws {
    try inFolder { path in
      let folder = try StateFolder.open("\(path)/a/b", making: true)
      try folder.folder("journal").file("x", .readAndAppend).append(Array("x".utf8))
      for made in ["a", "a/b", "a/b/journal"] {
        #expect(try permissions("\(path)/\(made)") == .ownerReadWriteExecute, "\(made)")
      }
      #expect(try permissions("\(path)/a/b/journal/x") == .ownerReadWrite)
      #expect(throws: FileFailure.self) { _ = try StateFolder.open("\(path)/c", making: false) }
    }
  }

  @Test("a folder that is a link, a file or open to others is refused", arguments: ["", "/inside"])
  func refusedFolders(_ inside: String) throws {
    try inFolder { path in
      let parent = try StateFolder.open(path + "/state", making: true)
      func open(_ name: String) -> String? {
        message {
          _ =
            inside.isEmpty
            ? try StateFolder.open("\(path)/state/\(name)", making: true) : try parent.folder(name)
        }
      }
      let real = "\(path)/real"
      try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
      try link("\(path)/state/link", to: real)
      try link("\(path)/state/dangling", to: "\(path)/nothing")
      try Data().write(to: URL(filePath: "\(path)/state/file"))
      #expect(open("link") == "the state folder \(path)/state/link is a link")
      #expect(open("link/")?.hasSuffix("is a link") != false)
      #expect(open("dangling") == "the state folder \(path)/state/dangling is a link")
      #expect(open("file") == "the state folder \(path)/state/file is not a folder")
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["real", "state"])
      for mode in [0o720, 0o702, 0o777] {
        try setPermissions(mode, real)
        #expect(
          message { _ = try StateFolder.open(real, making: true) }
            == "the state folder \(real) is not safe: other users may write to it")
      }
      try setPermissions(0o755, real)
      #expect(message { _ = try StateFolder.open(real, making: true) } == nil)
    }
  }

  @Test("another user's folder is refused", .enabled(if: ProcessInfo.processInfo.userName == "root"))
  func otherOwner() throws {
    try inFolder { path in
      let state = "\(path)/state"
      _ = try StateFolder.open(state, making: true)
      try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: state)
      #expect(
        message { _ = try StateFolder.open(state, making: true) }
          == "the state folder \(state) belongs to another user")
    }
  }

  @Test(
    "only regular files are opened: a link's target keeps its content, a pipe holds up nobody",
    .timeLimit(.minutes(1)))
  func refusedFiles() throws {
    try inFolder { path in
      let folder = try StateFolder.open("\(path)/state", making: true)
      try Data("keep".utf8).write(to: URL(filePath: "\(path)/target"))
      try link("\(path)/state/link", to: "../target")
      try link("\(path)/state/dangling", to: "../made")
      try link("\(path)/state/zero", to: "/dev/zero")
      _ = try folder.folder("folder")
      #expect(mkfifo("\(path)/state/pipe", 0o600) == 0)
      for name in ["link", "dangling", "zero", "folder", "pipe"] {
        for use in [StateFolder.Use.read, .readAndAppend] {
          #expect(
            message { _ = try folder.file(name, use) }
              == "\(path)/state/\(name) is not a regular file")
        }
        #expect(throws: FileFailure.self) { try folder.checkFile(name) }
        #expect(try folder.contains(name))
      }
      #expect(try String(contentsOfFile: "\(path)/target", encoding: .utf8) == "keep")
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["state", "target"])
      try folder.remove("link")
      #expect(FileManager.default.fileExists(atPath: "\(path)/target"))
    }
  }

  @Test("files are appended to, rewritten, listed, removed, and read up to a limit")
  func files() throws {
    try inFolder { path in
      let folder = try StateFolder.open(path, making: true)
      do {
        let file = try folder.file("b", .readAndAppend)
        try file.append([1, 2])
        try file.append([3])
        #expect(try file.content(upTo: 2) == [1, 2])
        #expect(try file.content(upTo: 100) == [1, 2, 3])
        try folder.file("b", .rewrite).rewrite([4])
      }
      #expect(try folder.file("b", .read).content(upTo: 100) == [4])
      #expect(message { try folder.checkFile("missing") } == nil)
      #expect(throws: FileFailure.self) { _ = try folder.file("missing", .read) }
      _ = try folder.file("a", .readAndAppend)
      #expect(try folder.names() == ["a", "b"])
      #expect(try folder.names() == ["a", "b"])
      try folder.remove("a")
      #expect(try !folder.contains("a"))
    }
  }

  @Test("of lines that several add at once none is lost")
  func linesAtOnce() throws {
    try inFolder { path in
      DispatchQueue.concurrentPerform(iterations: 40) { number in
        let folder = try? StateFolder.open(path, making: false)
        _ = try? folder?.changeLines(of: "list", upTo: 1 << 20) { $0 + ["\(number)"] }
      }
      let folder = try StateFolder.open(path, making: false)
      #expect(try folder.lines(of: "list", upTo: 1 << 20).compactMap(Int.init).sorted() == Array(0..<40))
      #expect(try folder.names() == ["list"])
      #expect(try folder.lines(of: "missing", upTo: 1).isEmpty)
    }
  }

  @Test("a file is locked by one opener at a time")
  func lock() throws {
    try inFolder { path in
      let folder = try StateFolder.open(path, making: true)
      let first = try folder.file("lock", .readAndAppend)
      let second = try folder.file("lock", .readAndAppend)
      #expect(try first.tryLock())
      #expect(try !second.tryLock())
    }
  }

  @Test("the folder beside a file is behind its links, and a file in such a folder has that one")
  func beside() throws {
    try inFolder { path in
      let real = try FileKind.resolvedPath(path)
      try FileManager.default.createDirectory(atPath: "\(path)/sub", withIntermediateDirectories: false)
      try Data().write(to: URL(filePath: "\(path)/sub/file"))
      try link("\(path)/link", to: "sub/file")
      try link("\(path)/folder", to: "sub")
      for (file, folder) in [
        ("missing", ".celestra"), ("link", "sub/.celestra"), ("folder/missing", "sub/.celestra"),
        ("sub/file", "sub/.celestra"),
        (".celestra/file", ".celestra"),
      ] {
        _ = try StateFolder.open("\(path)/.celestra", making: true)
        #expect(try StateFolder.path(beside: "\(path)/\(file)") == "\(real)/\(folder)", "\(file)")
      }
      #expect(try StateFolder.path(beside: "\(path)/none/file") == "\(path)/none/.celestra")
    }
    let here = try FileKind.resolvedPath(".")
    #expect(try StateFolder.path(beside: "a file that is not here") == "\(here)/.celestra")
  }

  @Test("an existing folder is opened, a missing one is none, and a link is neither")
  func existing() throws {
    try inFolder { path in
      #expect(try StateFolder.existing("\(path)/missing") == nil)
      #expect(try FileKind("\(path)/missing") == .missing)
      #expect(try StateFolder.existing(path)?.path == path)
      try link("\(path)/dangling", to: "\(path)/nothing")
      #expect(
        message { _ = try StateFolder.existing("\(path)/dangling") }
          == "the state folder \(path)/dangling is a link")
    }
  }

  @Test("a failure says whether a file was to be read or written, and git ignores a new folder")
  func failures() throws {
    try inFolder { path in
      let folder = try StateFolder.open("\(path)/state", making: true)
      #expect(
        message { _ = try folder.file("none", .read) }
          == "cannot read \(path)/state/none: No such file or directory")
      #expect(
        message { _ = try folder.file("none/file", .readAndAppend) }
          == "cannot write \(path)/state/none/file: No such file or directory")
      #expect(try String(contentsOfFile: "\(path)/state/.gitignore", encoding: .utf8) == "*\n")
      #expect(try folder.names() == [".gitignore"])
    }
  }
}
