package import CloudKitModel
package import Diagnostics
package import Platform
package import SchemaLanguage

/// The runs in a state folder. Each is a file that only its owner can read (mode 0600).
package struct RunHistory: Sendable {
  package static let folderName = "history"
  /// The maximum size of a run's file in bytes. The recorder writes no larger one.
  static let maxSize = 1 << 28
  /// The bytes of runs that a list of runs is made from, at most.
  package static let maxReadBytes = 1 << 28
  private static let maxHeadSize = 1 << 20

  private let folder: StateFolder
  /// Where the runs have their locks; `nil` for a copied folder.
  private var locks: StateFolder?

  /// The history in a state folder, for writing.
  package init(in state: StateFolder) throws(FileFailure) {
    folder = try state.folder(Self.folderName)
    locks = state
  }

  /// The history in another folder, such as a downloaded CI artifact.
  package init(folder: StateFolder) { self.folder = folder }

  /// Opens the history of a state folder for reading; `nil` if it does not exist yet.
  package static func existing(in path: String) throws -> RunHistory? {
    guard let state = try StateFolder.existing(path), try state.contains(folderName) else { return nil }
    return try RunHistory(in: state)
  }

  /// The history in a copied folder, which is a state folder or its folder of runs; `nil` if the folder does not
  /// exist.
  package static func existing(at path: String) throws -> RunHistory? {
    guard let folder = try StateFolder.existing(path) else { return nil }
    return try folder.contains(folderName) ? try RunHistory(in: folder) : RunHistory(folder: folder)
  }

  // MARK: Reading

  /// A run, or why its file cannot be read.
  package typealias Reading = (id: String, kind: RunRecord.Kind, run: Result<RunRecord, FileFormError>)

  /// The newest runs, newest first, and how many older ones were left out because the files of these have
  /// `maxBytes` together. A run that ended before its first line, because the disk was full or the process was
  /// killed, has sent nothing and is left out without a word.
  package func runs(upTo maxBytes: Int = RunHistory.maxReadBytes) throws -> (read: [Reading], leftOut: Int) {
    let files = try files().reversed()
    var readings: [Reading] = []
    var size = 0
    var empty = 0
    for file in files {
      let bytes = try content(of: file, upTo: Self.maxSize)
      guard !bytes.isEmpty else {
        empty += 1
        continue
      }
      size += bytes.count
      guard size <= maxBytes || readings.isEmpty else { break }
      readings.append((file.id, file.kind, parse(file, bytes)))
    }
    return (readings, files.count - readings.count - empty)
  }

  /// The ids of the runs, newest first, all or those of people only; their files are not read.
  package func ids(onlyOfPeople: Bool) throws -> [String] {
    try files().reversed().filter { ($0.kind == .person || !onlyOfPeople) && RunID.moment(of: $0.id) != nil }
      .map(\.id)
  }

  /// The run with this id, or the only one whose id begins or ends so. Throws ``UnknownRunError``, and
  /// ``FileFormError`` when its file is damaged.
  package func run(_ id: String) throws -> RunRecord {
    let files = try files()
    let matching = files.filter { $0.id == id || $0.id.hasPrefix(id) || $0.id.hasSuffix(id) }
    guard matching.count == 1 || matching.contains(where: { $0.id == id }), !id.isEmpty else {
      throw UnknownRunError(id: id, matching: matching.map(\.id), last: files.last?.id)
    }
    let file = matching.first { $0.id == id } ?? matching[0]
    return try parse(file, try content(of: file, upTo: Self.maxSize)).get()
  }

  /// Whether a run applied seeds, or goes back to such a run as an undo of it, or as an undo of that.
  ///
  /// An undone run that cannot be read counts as another one: then plans mark what an undo of its undo changes.
  package func isOfApply(_ run: RunRecord) -> Bool {
    var (run, known) = (run, Set<String>())
    while let id = run.undoes?.runID, known.insert(id).inserted, let undone = try? self.run(id) {
      run = undone
    }
    return run.command == StandingChanges.seedApply
  }

  /// What later runs left standing of a run: of their files only those are read that undo it, or undo such an undo; of a run
  /// with unknown outcomes all, because any may have found them.
  ///
  /// A later file that cannot be read is passed over: the records show what it took back.
  package func standing(of run: RunRecord) throws -> StandingChanges {
    var undos = [run.id]
    var runs: [RunRecord] = []
    let isOpen = run.unknownCounts.total > 0
    for file in try files(after: run) {
      let start = try content(of: file, upTo: Self.maxHeadSize)
      guard let head = try? RunRecord(parsing: Array(start.prefix { $0 != UInt8(ascii: "\n") })) else {
        continue
      }
      let isUndo = head.undoes.map { undos.contains($0.runID) } ?? false
      if isUndo { undos.append(head.id) }
      guard isUndo || isOpen,
        case .success(let later) = parse(file, try content(of: file, upTo: Self.maxSize))
      else { continue }
      runs.append(later)
    }
    return StandingChanges(runs.reversed() + [run])
  }

  /// The names of the records that a run and later ones in its container deleted; empty for a run without deletions.
  ///
  /// A later file that cannot be read is passed over: then as much is known as on another machine.
  func deletions(since run: RunRecord) throws -> Set<String> {
    func names(_ run: RunRecord) -> [String] {
      run.entries.filter { $0.change.action == .delete && $0.outcome.mayStand }.map(\.change.recordName)
    }
    var deleted = Set(names(run))
    guard !deleted.isEmpty else { return [] }
    for file in try files(after: run) {
      guard case .success(let later) = parse(file, try content(of: file, upTo: Self.maxSize)),
        later.target.isSameContainer(as: run.target)
      else { continue }
      deleted.formUnion(names(later))
    }
    return deleted
  }

  /// The names of the records of some types that runs by people created in a container in the last hour: the service's
  /// queries may not show them yet (Documentation/reference/web-services.md#index-delay).
  ///
  /// A file that cannot be read is passed over: then as much is known as on another machine.
  package func recentlyCreated(
    _ recordTypes: [String], in target: ContainerIdentity, now: Timestamp
  ) throws -> Set<String> {
    let start = RunID.make(at: Timestamp(milliseconds: now.milliseconds - 3_600_000), random: 0)
    return try files().filter { $0.kind == .person && $0.id >= start }.reduce(into: []) { names, file in
      guard let run = try? parse(file, try content(of: file, upTo: Self.maxSize)).get(),
        run.target.isSameContainer(as: target)
      else { return }
      for entry in run.entries where entry.change.action == .create && entry.outcome.mayStand {
        if recordTypes.contains(entry.change.recordType) { names.insert(entry.change.recordName) }
      }
    }
  }

  private func content(of file: RunFile, upTo limit: Int) throws -> [UInt8] {
    try folder.file(file.name, .read).content(upTo: limit)
  }

  private func parse(_ file: RunFile, _ bytes: [UInt8]) -> Result<RunRecord, FileFormError> {
    do {
      var run = try RunRecord(parsing: bytes)
      if run.ended == nil, let locks { run.isRunning = RunLock.isHeld(by: run.id, in: locks) }
      return .success(run)
    } catch {
      return .failure(FileFormError("the run \(file.id) cannot be read: \(error)"))
    }
  }

  private func files(after run: RunRecord) throws -> ArraySlice<RunFile> {
    try files().drop { $0.id != run.id }.dropFirst()
  }

  /// Oldest first.
  private func files() throws -> [RunFile] {
    try folder.names().compactMap(RunFile.init).sorted { ($0.number, $0.id) < ($1.number, $1.id) }
  }

  // MARK: Writing

  func newFile(for run: RunRecord) throws -> StateFile {
    let last = try files().last?.number ?? 0
    return try folder.file(RunFile(number: last + 1, id: run.id, kind: run.kind).name, .readAndAppend)
  }

  /// Starts the file of a run that changes a container's schema, which has the one before.
  package func startChange(
    of schema: Schema, by command: String, in target: ContainerIdentity, runID: String, at now: Timestamp
  ) throws -> RunRecord {
    let run = RunRecord(
      id: runID, command: command, kind: .person, target: target, started: now, schema: schema.canonicalText)
    try newFile(for: run).append(run.head.bytes() + [UInt8(ascii: "\n")])
    try prune(after: runID)
    return run
  }

  /// Ends the file of a run that changed a container's schema.
  ///
  /// - Parameters:
  ///   - deleted: how many records went with what the schema lost; `nil` if that is not known.
  ///   - isRefused: the container refused the change, and its schema is the one before.
  package func end(_ run: RunRecord, at moment: Timestamp, deleted: Int?, isRefused: Bool = false) throws {
    var counts = RunRecord.Counts()
    counts.add(.delete, deleted ?? 0)
    let line = RunFileLine(
      ended: moment, counts: deleted == nil ? nil : counts, change: isRefused ? .refused : nil
    ).json
    guard let file = try files().last(where: { $0.id == run.id }) else { return }
    try folder.file(file.name, .readAndAppend).append(line.bytes() + [UInt8(ascii: "\n")])
  }

  /// Removes runs that are old and not among the last ones. Runs by people are kept longer than those of jobs, so that
  /// an hourly check does not push an editor's run out.
  ///
  /// - Parameter run: the id of the present run. Ages are those of ids, which have the time of this machine: what a
  ///   service says of the time removes no history.
  func prune(after run: String) throws {
    guard let now = RunID.moment(of: run) else { return }
    let files = try files()
    for kind in [RunRecord.Kind.person, .job] {
      let (days, most, least) = kind == .person ? (90, 500, 50) : (7, 200, 20)
      let oldest = RunID.make(
        at: Timestamp(milliseconds: now.milliseconds - Int64(days) * 86_400_000), random: 0)
      let kept = files.filter { $0.kind == kind }
      for (place, file) in kept.reversed().enumerated() where place >= least {
        guard place >= most || file.id < oldest else { continue }
        try folder.remove(file.name)
      }
    }
  }
}

/// `0000042.20260102T030405-9f3a1c.person.jsonl`: numbered, because the clock of a run may be set.
private struct RunFile {
  let number: Int
  let id: String
  let kind: RunRecord.Kind

  var name: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 7 - digits.count)) + "\(digits).\(id).\(kind.rawValue).jsonl"
  }
}

extension RunFile {
  /// Far more than a folder can have; a larger number in a file's name is not this tool's.
  private static let numbers = 0..<1_000_000_000_000

  init?(_ name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, parts[3] == "jsonl", let number = Int(parts[0]), Self.numbers.contains(number),
      let kind = RunRecord.Kind(rawValue: parts[2])
    else { return nil }
    self.init(number: number, id: parts[1], kind: kind)
  }
}

/// The error for an id that no run has, or more than one.
package struct UnknownRunError: CommandFailureConvertible, Sendable, Hashable, CustomStringConvertible {
  package let id: String
  /// Oldest first.
  package let matching: [String]
  package let last: String?

  static let place =
    "A run is kept in the state folder, usually .celestra, of the machine that made it: --history DIR reads a copy."

  package init(id: String, matching: [String] = [], last: String? = nil) {
    self.id = id
    self.matching = matching
    self.last = last
  }

  package var description: String {
    matching.isEmpty
      ? "the history has no run '\(id)'"
      : "several runs match '\(id)', the newest first: \(matching.suffix(5).reversed().joined(separator: ", "))"
  }

  package var hint: String? {
    matching.isEmpty
      ? (last.map { "The last run is \($0). List the runs with 'history'. " } ?? "") + Self.place
      : "Give the whole id."
  }

  package var failure: CommandFailure { CommandFailure(description, code: "unknown-run", hint: hint) }
}
