import Foundation
import SystemPackage
import Testing

@testable import Platform

@Suite struct PlainFileTests {
  @Test(
    "a regular file is read up to its limit; pipes, devices and folders are refused", .timeLimit(.minutes(1)))
  func regularFiles() throws {
    try inFolder { path in
      try Data([1, 2, 3]).write(to: URL(filePath: "\(path)/file"))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "file")
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      #expect(try RegularFile.read("\(path)/file", upTo: 3) == [1, 2, 3])
      #expect(try RegularFile.read("\(path)/link", upTo: 3) == [1, 2, 3])
      for (name, limit) in [
        ("file", 2), ("pipe", 9), ("../../../../../../dev/zero", 9), ("", 9), ("missing", 9),
      ] {
        #expect(throws: FileFailure.self, "\(name)") { try RegularFile.read("\(path)/\(name)", upTo: limit) }
      }
    }
  }

  @Test("the size of a regular file is known before it is read, and that of nothing else")
  func sizes() throws {
    try inFolder { path in
      try Data([1, 2, 3]).write(to: URL(filePath: "\(path)/file"))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "file")
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      #expect(RegularFile.size("\(path)/file") == 3 && RegularFile.size("\(path)/link") == 3)
      for name in ["pipe", "missing", ""] { #expect(RegularFile.size("\(path)/\(name)") == nil, "\(name)") }
    }
  }

  @Test("a file of several pieces is read as a whole, and up to each limit")
  func largeFiles() throws {
    try inFolder { path in
      let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
      try Data(bytes).write(to: URL(filePath: "\(path)/file"))
      #expect(try RegularFile.read("\(path)/file", upTo: 150_000) == bytes)
      let failure = #expect(throws: FileFailure.self) { try RegularFile.read("\(path)/file", upTo: 149_999) }
      #expect(failure?.message == "\(path)/file is larger than 146 KB")
      let file = try StateFolder.open(path, making: false).file("file", .read)
      for limit in [0, 1, 65_535, 65_536, 65_537, 131_072, 150_001] {
        #expect(try file.content(upTo: limit) == Array(bytes.prefix(limit)), "\(limit)")
      }
    }
  }

  @Test("why a file cannot be read is said of folders, pipes and standard input")
  func reasons() throws {
    try inFolder { path in
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      for (name, reason) in [
        ("pipe", "cannot read \(path)/pipe: it is a pipe or a device"),
        ("", "cannot read \(path)/: Is a directory"),
        ("none", "cannot read \(path)/none: No such file or directory"),
      ] {
        let failure = #expect(throws: FileFailure.self) { try RegularFile.read("\(path)/\(name)", upTo: 9) }
        #expect(failure?.message == reason && failure?.action == .read)
      }
      let secret = #expect(throws: FileFailure.self) { try PrivateFile.read(path, upTo: 9, content: "token") }
      #expect(secret?.message == "cannot read \(path): Is a directory")
    }
  }

  @Test("standard input has no owner, and is open after it was read")
  func standardInput() throws {
    do {
      let input = try ReadableFile(nil, named: "<stdin>")
      #expect(try input.owner() == FileOwner(users: []))
    }
    #expect(fcntl(STDIN_FILENO, F_GETFD) >= 0)
  }

  @Test("a file that was read is closed")
  func closed() throws {
    try inFolder { path in
      try Data([1]).write(to: URL(filePath: "\(path)/file"))
      let lock = open("\(path)/file", O_RDONLY)
      for _ in 0..<3 { #expect(try ReadableFile("\(path)/file", named: "file").piece(atMost: 1) == [1]) }
      let open = try FileKind.names(inFolder: "/proc/self/fd", named: "").count { name in
        (try? FileKind.resolvedPath("/proc/self/fd/\(name)")) == (try? FileKind.resolvedPath("\(path)/file"))
      }
      #expect(open == 1 && close(lock) == 0)
    }
  }

  @Test("a file is this user's own when every owner is this user")
  func owners() throws {
    for (users, isOwn) in [
      ([], true), ([1000], true), ([1000, 1000], true), ([0], false), ([1000, 0], false), ([0, 1000], false),
    ]
      as [([UInt32], Bool)]
    {
      #expect(FileOwner(users: users).isUser(1000) == isOwn, "\(users)")
    }
    try inFolder { path in
      try Data([1]).write(to: URL(filePath: "\(path)/file"))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "file")
      #expect(try FileKind.isOwnedByUser("\(path)/file") && FileKind.isOwnedByUser("\(path)/link"))
      #expect(try FileOwner(at: "\(path)/file").isUser() && FileOwner(at: "\(path)/link").isUser())
      #expect(throws: FileFailure.self) { try FileKind.isOwnedByUser("\(path)/missing") }
    }
  }

  @Test("a stranger owns a file when neither this user nor root does, or the link to it")
  func strangers() throws {
    for (users, user, stranger) in [
      ([], 1000, nil), ([1000, 1000], 1000, nil), ([0, 1000], 1000, nil), ([0, 0], 1000, nil),
      ([1001, 1001], 1000, 1001), ([1000, 1001], 1000, 1001), ([0, 1001], 1000, 1001),
      ([1001, 1000], 1000, 1001),
      ([1000, 1000], 0, 1000), ([0, 0], 0, nil), ([1, UInt32.max], 0, 1),
    ] as [([UInt32], UInt32, UInt32?)] {
      #expect(FileOwner(users: users).stranger(to: user) == stranger, "\(users) to \(user)")
    }
    try inFolder { path in
      try Data([1]).write(to: URL(filePath: "\(path)/file"))
      let (bytes, owner) = try RegularFile.readOwned("\(path)/file", upTo: 1)
      #expect(bytes == [1] && owner == FileOwner(users: [ProcessUser.id, ProcessUser.id]))
      #expect(try ReadableFile("\(path)/file", named: "file").owner() == owner)
    }
  }

  @Test(
    "the owners of a link and of its target both count",
    .enabled(if: ProcessUser.id == 0, "only root can change owners"))
  func linkOwners() throws {
    try inFolder { path in
      try Data([1]).write(to: URL(filePath: "\(path)/file"))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "file")
      #expect(lchown("\(path)/link", 1234, 0) == 0)
      #expect(try !FileKind.isOwnedByUser("\(path)/link") && FileKind.isOwnedByUser("\(path)/file"))
      #expect(try FileOwner(at: "\(path)/link").stranger() == 1234)
      #expect(try RegularFile.readOwned("\(path)/link", upTo: 1).owner.stranger() == 1234)
      #expect(try RegularFile.readOwned("\(path)/file", upTo: 1).owner.stranger() == nil)
      #expect(lchown("\(path)/link", 0, 0) == 0 && lchown("\(path)/file", 4321, 0) == 0)
      #expect(try !FileKind.isOwnedByUser("\(path)/link") && FileOwner(at: "\(path)/link").isUser())
      #expect(try RegularFile.readOwned("\(path)/link", upTo: 1).owner.stranger() == 4321)
    }
  }

  @Test("a file is read to its end when it is shorter than asked, and only a regular file has a size")
  func readableFiles() throws {
    try inFolder { path in
      try Data([1, 2, 3]).write(to: URL(filePath: "\(path)/file"))
      let file = try ReadableFile("\(path)/file", named: "file")
      #expect(try file.size() == 3)
      #expect(try file.piece(atMost: 2) == [1, 2])
      #expect(try file.piece(atMost: 10) == [3])
      #expect(try file.piece(atMost: 10) == [])
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      let pipe = try ReadableFile("\(path)/pipe", named: "pipe", waitsForWriter: false)
      #expect(try pipe.size() == nil)
      let failure = #expect(throws: FileFailure.self) { _ = try ReadableFile("\(path)/none", named: "none") }
      #expect(failure?.message == "cannot read none: No such file or directory")
    }
  }

  @Test("a private file is the owner's alone, never made behind a link, and replaced in one step")
  func privateFiles() throws {
    try inFolder { path in
      try PrivateFile.create("\(path)/empty", [])
      try PrivateFile.create("\(path)/new", [1])
      try Data([9]).write(to: URL(filePath: "\(path)/open"))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "open")
      try PrivateFile.replace("\(path)/link", [2])
      for name in ["empty", "new", "link"] {
        let status = try Stat(FilePath("\(path)/\(name)"), followTargetSymlink: false)
        #expect(status.type == .regular && status.permissions == .ownerReadWrite, "\(name)")
      }
      #expect(try Data(contentsOf: URL(filePath: "\(path)/open")) == Data([9]))
      #expect(try Data(contentsOf: URL(filePath: "\(path)/link")) == Data([2]))
      let refused = #expect(throws: FileFailure.self) { try PrivateFile.create("\(path)/new", [1]) }
      #expect(refused?.action == .write)
      try FileManager.default.createSymbolicLink(atPath: "\(path)/dangling", withDestinationPath: "made")
      #expect(throws: FileFailure.self) { try PrivateFile.create("\(path)/dangling", []) }
      #expect(throws: FileFailure.self) { try PrivateFile.replace("\(path)", []) }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
          == ["dangling", "empty", "link", "new", "open"])
    }
  }

  @Test("a complete file gets its name, unless another file or a link has it, also one to nowhere")
  func publish() throws {
    try inFolder { path in
      try PrivateFile.create("\(path)/partial", [1])
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "nowhere")
      #expect(try PrivateFile.publish("\(path)/partial", as: "\(path)/link") == false)
      #expect(try PrivateFile.publish("\(path)/partial", as: "\(path)/file"))
      try PrivateFile.create("\(path)/other", [2])
      #expect(try PrivateFile.publish("\(path)/other", as: "\(path)/file") == false)
      #expect(try Data(contentsOf: URL(filePath: "\(path)/file")) == Data([1]))
      try PrivateFile.removeIfPresent("\(path)/link")
      try PrivateFile.removeIfPresent("\(path)/link")
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["file", "other"])
      #expect(throws: FileFailure.self) { try PrivateFile.publish("\(path)/gone", as: "\(path)/new") }
    }
  }

  @Test("a file's status is its own and not that of what a link names")
  func status() throws {
    try inFolder { path in
      try PrivateFile.create("\(path)/file", [1, 2])
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "file")
      try FileManager.default.linkItem(atPath: "\(path)/file", toPath: "\(path)/same")
      let file = try #require(try FileStatus.of("\(path)/file"))
      #expect(file.kind == .file && file.size == 2 && file.owner == ProcessUser.id)
      #expect(!file.isWritableByGroup && !file.isWritableByOthers)
      #expect(try FileStatus.of("\(path)/same")?.identity == file.identity)
      let link = try #require(try FileStatus.of("\(path)/link"))
      #expect(link.kind == .link && link.identity != file.identity)
      #expect(try FileStatus.of(path)?.kind == .folder)
      #expect(try FileStatus.of("\(path)/none") == nil)
      #expect(throws: FileFailure.self) { try FileStatus.of("\(path)/file/below") }
      for (mode, group, others) in [(0o620, true, false), (0o602, false, true), (0o644, false, false)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/file")
        let changed = try #require(try FileStatus.of("\(path)/file"))
        #expect(changed.isWritableByGroup == group && changed.isWritableByOthers == others)
      }
    }
  }

  @Test("what stands at a path")
  func places() throws {
    try inFolder { path in
      try PrivateFile.create("\(path)/file", [])
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      #expect(try FileKind(path) == .folder)
      #expect(try FileKind("\(path)/file") == .file)
      #expect(try FileKind("\(path)/pipe") == .other)
      #expect(try FileKind("\(path)/missing") == .missing)
      #expect(throws: FileFailure.self) { try FileKind("\(path)/file/below") }
    }
  }
}

@Suite struct SecretFileCheckTests {
  @Test(
    "warns about an own file that the group or others can access", arguments: [0o644, 0o640, 0o602, 0o610])
  func open(mode: Int) throws {
    let warning = try withFile(mode: mode) { SecretFileCheck.warning(path: $0, content: "key") }
    #expect(warning?.contains("reach the key file ") == true)
    #expect(warning?.contains("mode 0\(String(mode, radix: 8))") == true)
  }

  @Test("does not warn about a private or a missing file")
  func closed() throws {
    #expect(try withFile(mode: 0o600) { SecretFileCheck.warning(path: $0, content: "key") } == nil)
    #expect(SecretFileCheck.warning(path: "/nonexistent/key.pem", content: "key") == nil)
  }

  @Test("a file of the administrator may be readable through the group, and no further")
  func mounted() {
    #expect(SecretFileCheck.objection(mode: 0o440, owner: 0, userID: 1000) == nil)
    #expect(SecretFileCheck.objection(mode: 0o440, owner: 1000, userID: 1000) != nil)
    for mode: UInt32 in [0o460, 0o444, 0o450] {
      #expect(SecretFileCheck.objection(mode: mode, owner: 0, userID: 1000) != nil)
    }
  }

  @Test("warns about a file of another user, who can change it")
  func foreign() {
    let objection = SecretFileCheck.objection(mode: 0o600, owner: 65534, userID: 1000)
    #expect(objection == "FILE belongs to another user (65534), who can change it")
    #expect(SecretFileCheck.objection(mode: 0o600, owner: 1000, userID: 1000) == nil)
  }

  private func withFile<Result>(mode: Int, _ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID()).pem").path
    try Data("x".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return try body(path)
  }
}
