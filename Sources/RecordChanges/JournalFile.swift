public import CloudKitModel
internal import FoundationEssentials
internal import PositionedJSON
internal import Synchronization

/// A journal as a file of JSON lines: a head, then an entry before and after each request, then an end.
///
/// Every entry is on the disk before the call returns. A journal without an end belongs to a run that was cut
/// off: the container itself tells what of it arrived, and the journal tells that there was one.
public final class JournalFile: ChangeJournal {
  public let path: String
  private let file: Mutex<OwnFile>

  /// Starts a journal in `directory`, which is made when it is not there.
  public init(
    directory: String, command: String, target: ContainerIdentity, changes: Int, now: Timestamp
  ) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let name = command.replacing(" ", with: "-")
    path = JournalFile.unused("\(directory)/\(now.milliseconds)-\(name)") + JournalFile.openSuffix
    file = Mutex(try OwnFile(appendingTo: path))
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
    let finished = path.replacingSuffix(JournalFile.openSuffix, with: JournalFile.endedSuffix)
    try FileManager.default.moveItem(atPath: path, toPath: finished)
    try JournalFile.prune(directory: String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
  }

  private func write(_ entry: JSONValue) throws {
    try file.withLock { try $0.append(entry.bytes() + [UInt8(ascii: "\n")]) }
  }
}

extension JournalFile {
  private static let openSuffix = ".open.jsonl"
  private static let endedSuffix = ".ended.jsonl"
  private static let kept = 20

  /// The stem, with a number when an earlier run of the same moment has a journal of that name.
  private static func unused(_ stem: String) -> String {
    var candidate = stem
    var number = 1
    while [openSuffix, endedSuffix].contains(where: { FileManager.default.fileExists(atPath: candidate + $0) }
    ) {
      number += 1
      candidate = "\(stem)-\(number)"
    }
    return candidate
  }

  /// The journals of runs of `command` on `target` that were cut off, oldest first.
  public static func unfinished(
    of command: String, in directory: String, target: ContainerIdentity
  ) throws -> [String] {
    guard FileManager.default.fileExists(atPath: directory) else { return [] }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(openSuffix)
    }
    return try names.sorted().map { "\(directory)/\($0)" }.filter { try head(of: $0, names: command, target) }
  }

  /// Closes the journals of runs that were cut off, once a later run has finished their work.
  public static func close(_ paths: [String]) throws {
    for path in paths {
      try FileManager.default.moveItem(
        atPath: path, toPath: path.replacingSuffix(openSuffix, with: endedSuffix))
    }
  }

  private static func head(
    of path: String, names command: String, _ target: ContainerIdentity
  ) throws -> Bool {
    let line = try OwnFile(appendingTo: path).content().prefix { $0 != UInt8(ascii: "\n") }
    // A head cut off while it was written is a run that sent nothing.
    guard let head = try? JSONValue(parsing: line) else { return false }
    return head["command"]?.string == command && head["container"]?.string == target.name
      && head["environment"]?.string == target.environment.rawValue
  }

  private static func prune(directory: String) throws {
    let ended = try FileManager.default.contentsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(endedSuffix)
    }
    for name in ended.sorted().dropLast(kept) {
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
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
