import Foundation
import Testing

/// A run and its undo while the disk of the history is full, the process is killed, or the container refuses.
@Suite struct UndoTroubleTests {
  private static let apply = ["seed", "apply", "made", "--yes"]

  /// Undoes a run until nothing of it is left.
  private func undoAll(_ tool: Tool, _ run: String) async throws {
    for _ in 0..<5 {
      let undo = try await tool.run(["undo", run, "--yes", "--accept-risk", "subscriber-loss"])
      checkWords(undo)
      if undo.err.contains("cannot be undone: it") { break }
    }
    #expect(try await tool.export() == [], "\(tool.directory)")
    #expect(try await tool.run(["history"]).status == 0)
  }

  /// Standard output says that a run is undone only when nothing went wrong.
  private func checkWords(_ undo: Tool.Outcome) {
    let saysDone = undo.out.hasPrefix("undid ")
    #expect(saysDone == (undo.status == 0 && !undo.out.isEmpty), "\(undo)")
    #expect(!saysDone || !undo.err.contains("error:"), "\(undo)")
  }

  /// The ids of the runs in a state folder, oldest first.
  private func runs(in state: String) throws -> [String] {
    let folder = "\(state)/history"
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .compactMap { $0.split(separator: ".").dropFirst().first.map(String.init) }
  }

  // MARK: A full disk

  @Test(
    "a run and an undo whose history has no room end with an error, and with room the undo leaves nothing",
    .enabled(
      if: SmallDisk.isAvailable, "file systems can be mounted only by root, and not in every container"))
  func fullDisk() async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: 300)
      _ = try await tool.makeContainer("empty.sqlite")
      var ends: Set<String> = []
      // In pages of 4 KiB: less than a file, the first line, a part of the intents, one request, two requests, nothing of
      // the undo, a part of it.
      for pages in [1, 2, 28, 54, 66, 90, 130] {
        _ = try tool.copy("empty.sqlite", to: "container-\(pages).sqlite")
        try await SmallDisk.with(pages: pages, at: "\(tool.directory)/state-\(pages)") { disk in
          var tool = tool.on(file: "container-\(pages).sqlite")
          tool.environment["CELESTRA_ADMIN_STATE_DIRECTORY"] = disk.path
          let run = try await tool.run(Self.apply)
          let written = try await tool.export().count
          #expect((run.status == 0) == (written == 300), "\(pages) pages: \(run)")
          #expect(run.status == 0 || run.err.contains("error:"), "\(pages) pages: \(run)")
          let undo = try await tool.run(["undo", "--yes", "--accept-risk", "subscriber-loss"])
          if written > 0 { checkWords(undo) }
          ends.insert("\(run.status) \(undo.status)")
          try await disk.grow()
          if let first = try runs(in: disk.path).first, written > 0 { try await undoAll(tool, first) }
          #expect(try await tool.export() == [], "\(pages) pages")
          // The history goes on.
          let again = try await tool.run(Self.apply)
          #expect(again.status == 0, "\(pages) pages: \(again.err)")
        }
      }
      // No request sent, a part of them, and all: the sizes meet each end of a run.
      #expect(ends.count >= 3, "\(ends)")
    }
  }

  // MARK: Kills

  @Test("killed after each line of its history, a run is undone until nothing of it is left")
  func killedAtEachWrite() async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: 401)
      _ = try await tool.makeContainer("empty.sqlite")
      var cut = 0
      // Head, intents, and two lines for each of three requests.
      for lines in 0...8 {
        _ = try tool.copy("empty.sqlite", to: "container-\(lines).sqlite")
        var tool = tool.on(file: "container-\(lines).sqlite")
        let state = "\(tool.directory)/state-\(lines)"
        tool.environment["CELESTRA_ADMIN_STATE_DIRECTORY"] = state
        let status = try await tool.run(Self.apply) { process in
          while try self.lines(in: state) < lines, !process.hasEnded {
            try await Task.sleep(for: .microseconds(200))
          }
          if !process.hasEnded { process.send(SIGKILL) }
        }
        if status == 128 + SIGKILL { cut += 1 }
        if let run = try runs(in: state).first { try await undoAll(tool, run) }
        #expect(try await tool.export() == [], "killed after \(lines) lines")
        let again = try await tool.run(Self.apply)
        #expect(again.status == 0, "killed after \(lines) lines: \(again.err)")
      }
      #expect(cut >= 5)
    }
  }

  /// The whole lines in the history.
  private func lines(in state: String) throws -> Int {
    let folder = "\(state)/history"
    guard let file = try? FileManager.default.contentsOfDirectory(atPath: folder).max() else { return 0 }
    return try Data(contentsOf: URL(filePath: "\(folder)/\(file)")).count { $0 == UInt8(ascii: "\n") }
  }

  // MARK: Refusals

  @Test(
    "an undo that the container refuses in part or as a whole does not say done, and the next one leaves nothing",
    arguments: [
      "status,status=403,endpoint=records/modify",
      "status,status=403,endpoint=records/modify,after=1,count=1",
      "status,status=403,endpoint=records/modify,after=2",
      "status,status=400,endpoint=records/modify,every=2",
    ])
  func refused(_ fault: String) async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: 401)
      _ = try await tool.makeContainer("container.sqlite")
      try await withEmulator(for: tool, file: "container.sqlite") { tool in
        let applied = try await tool.run(Self.apply)
        #expect(applied.status == 0, "\(applied.err)")
      }
      let run = try #require(try runs(in: "\(tool.directory)/.celestra").first)
      try await withEmulator(for: tool, file: "container.sqlite", options: ["--fault", fault]) { tool in
        let undo = try await tool.run(["undo", run, "--yes", "--accept-risk", "subscriber-loss"])
        #expect(undo.status != 0 && !undo.out.hasPrefix("undid "), "\(undo)")
      }
      try await withEmulator(for: tool, file: "container.sqlite") { tool in try await undoAll(tool, run) }
    }
  }
}

/// A file system of a few pages, as root.
private struct SmallDisk {
  let path: String

  /// Whether this process may mount: tried, because root in a container often may not.
  static let isAvailable: Bool = {
    #if os(Linux)
      let path = FileManager.default.temporaryDirectory.appending(path: "mount-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=4096", "none", path])
        try run("/usr/bin/umount", [path])
        return true
      } catch {
        return false
      }
    #else
      return false
    #endif
  }()

  struct Failed: Error { let words: [String] }

  private static func run(_ program: String, _ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(words: [program] + words) }
  }

  static func with(pages: Int, at path: String, _ body: (SmallDisk) async throws -> Void) async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try run("/usr/bin/mount", ["-t", "tmpfs", "-o", "mode=700,size=\(pages * 4096)", "none", path])
    let result: Result<Void, any Error>
    do { result = .success(try await body(SmallDisk(path: path))) } catch { result = .failure(error) }
    try run("/usr/bin/umount", [path])
    try result.get()
  }

  /// Makes room.
  func grow() async throws { try Self.run("/usr/bin/mount", ["-o", "remount,size=64m", path]) }
}
