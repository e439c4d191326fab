public import CloudKitModel
internal import Diagnostics
public import Platform
internal import Synchronization

/// A journal as a file of JSON lines: a head, then an entry before and after each request, then an end.
///
/// Every entry is on the disk before the call returns. A journal without an end belongs to a run that was cut
/// off: the container itself tells what of it arrived, and the journal tells that there was one.
public final class JournalFile: ChangeJournal {
  /// In its folder.
  public let name: String
  private let folder: StateFolder
  private let file: Mutex<StateFile>

  /// Starts a journal in `folder`.
  public init(
    in folder: StateFolder, command: String, target: ContainerIdentity, changes: Int, now: Timestamp
  ) throws {
    let stem = "\(now.milliseconds)-\(command.replacing(" ", with: "-"))"
    name = try JournalFile.unused(stem, in: folder) + JournalFile.openSuffix
    file = Mutex(try folder.file(name, .readAndAppend))
    self.folder = folder
    try write([
      "journal": 1, "command": .string(command), "container": .string(target.name),
      "environment": .string(target.environment.rawValue), "changes": .integer(Int64(changes)),
    ])
  }

  public func willSend(_ changes: [RecordChange]) throws {
    try write(["sending": .array(changes.map(\.json))])
  }

  public func didSettle(_ outcomes: [(recordName: String, outcome: ChangeReport.Outcome)]) throws {
    let settled = outcomes.map { JSONValue.array([.string($0.recordName), .string($0.outcome.word)]) }
    try write(["settled": .array(settled)])
  }

  /// Marks the run as ended, whatever became of it, and keeps the last twenty of its kind.
  public func end(_ report: ChangeReport) throws {
    try write([
      "end": report.isComplete ? "complete" : "incomplete", "left": .integer(Int64(report.remaining.count)),
    ])
    try JournalFile.close([name], in: folder)
    try JournalFile.prune(folder)
  }

  private func write(_ entry: JSONValue) throws {
    try file.withLock { try $0.append(entry.bytes() + [UInt8(ascii: "\n")]) }
  }
}

extension JournalFile {
  private static let openSuffix = ".open.jsonl"
  private static let endedSuffix = ".ended.jsonl"
  private static let kept = 20
  /// Bytes of a journal that are read for its head. A container's name in it is at most a path.
  private static let headLimit = 1 << 16

  /// The stem, with a number when an earlier run of the same moment has a journal of that name.
  private static func unused(_ stem: String, in folder: StateFolder) throws -> String {
    var candidate = stem
    var number = 1
    while try [openSuffix, endedSuffix].contains(where: { try folder.contains(candidate + $0) }) {
      number += 1
      candidate = "\(stem)-\(number)"
    }
    return candidate
  }

  /// The names of the journals of runs of `command` on `target` that were cut off, oldest first.
  public static func unfinished(
    of command: String, in folder: StateFolder, target: ContainerIdentity
  ) throws -> [String] {
    try folder.names().filter { $0.hasSuffix(openSuffix) }.filter {
      try head(of: $0, in: folder, names: command, target)
    }
  }

  /// Closes the journals of runs that were cut off, once a later run has finished their work.
  public static func close(_ names: [String], in folder: StateFolder) throws {
    for name in names {
      try folder.rename(name, to: name.replacingSuffix(openSuffix, with: endedSuffix))
    }
  }

  private static func head(
    of name: String, in folder: StateFolder, names command: String, _ target: ContainerIdentity
  ) throws -> Bool {
    let line = try folder.file(name, .read).content(upTo: headLimit).prefix { $0 != UInt8(ascii: "\n") }
    // A head cut off while it was written is a run that sent nothing.
    guard let head = try? JSONValue(parsing: line) else { return false }
    return head["command"]?.string == command && head["container"]?.string == target.name
      && head["environment"]?.string == target.environment.rawValue
  }

  private static func prune(_ folder: StateFolder) throws {
    let ended = try folder.names().filter { $0.hasSuffix(endedSuffix) }
    for name in ended.dropLast(kept) { try folder.remove(name) }
  }
}

extension ChangeReport.Outcome {
  var word: String {
    switch self {
    case .applied: "applied"
    case .alreadyApplied: "already there"
    case .conflict: "conflict"
    case .failed(let error): error.code.rawValue
    case .notAttempted: "again"
    }
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
    hasSuffix(suffix) ? dropLast(suffix.count) + other : self
  }
}
