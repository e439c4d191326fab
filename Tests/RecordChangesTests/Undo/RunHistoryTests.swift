import CloudKitModel
import Diagnostics
import Foundation
import Platform
import Testing

@testable import RecordChanges

@Suite("Keeping runs") struct RunHistoryTests {
  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  private static func moment(daysAgo: Int) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds - Int64(daysAgo) * 86_400_000)
  }

  /// Starts so many runs on that day and prunes now. Returns what is left, newest first.
  private func kept(_ kind: RunRecord.Kind, _ count: Int, daysAgo: Int) throws -> [String] {
    let path = NSTemporaryDirectory() + "history-\(UUID().uuidString)"
    // Left behind where it cannot be removed: the folder is temporary.
    defer { try? FileManager.default.removeItem(atPath: path) }
    let history = try RunHistory(in: try StateFolder.open(path, making: true))
    let target = ContainerIdentity(name: "memory:", environment: .development)
    let moment = Self.moment(daysAgo: daysAgo)
    for number in 0..<count {
      let id = RunID.make(at: moment, random: UInt32(number))
      let run = RunRecord(id: id, command: "seed apply", kind: kind, target: target, started: moment)
      try history.newFile(for: run).append(run.head.bytes() + [UInt8(ascii: "\n")])
    }
    try history.prune(after: RunID.make(at: Self.now, random: 0))
    return try history.runs().read.map(\.id)
  }

  @Test(
    "young runs are kept up to the most, old ones down to the fewest, and people's longer than jobs'",
    arguments: [
      (RunRecord.Kind.job, 205, 1, 200), (.job, 25, 8, 20), (.job, 25, 6, 25), (.person, 205, 1, 205),
      (.person, 55, 91, 50), (.person, 55, 89, 55),
    ])
  func limits(_ kind: RunRecord.Kind, _ count: Int, _ daysAgo: Int, _ expected: Int) throws {
    let runs = try kept(kind, count, daysAgo: daysAgo)
    #expect(runs.count == expected)
    #expect(runs.first == RunID.make(at: Self.moment(daysAgo: daysAgo), random: UInt32(count - 1)))
  }

  @Test("reading ends when the newest runs have as many bytes as are read, and says how many it left out")
  func readLimit() throws {
    let path = NSTemporaryDirectory() + "history-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let history = try RunHistory(in: try StateFolder.open(path, making: true))
    let target = ContainerIdentity(name: "memory:", environment: .development)
    var size = 0
    for number in 0..<5 {
      let run = RunRecord(
        id: RunID.make(at: Self.now, random: UInt32(number)), command: "seed apply", kind: .person,
        target: target,
        started: Self.now)
      let bytes = run.head.bytes() + [UInt8(ascii: "\n")]
      size = bytes.count
      try history.newFile(for: run).append(bytes)
    }
    let newest = RunID.make(at: Self.now, random: 4)
    for (maxBytes, count) in [(size * 5, 5), (size * 5 - 1, 4), (size * 2, 2), (size, 1), (1, 1)] {
      let (read, leftOut) = try history.runs(upTo: maxBytes)
      #expect(read.count == count && leftOut == 5 - count && read.first?.id == newest)
    }
    let report = try HistoryReport(history, limit: nil, maxBytes: size * 2)
    #expect(report.json["leftOut"] == 3)
    #expect(
      report.text(.plain).description.contains(
        "… and 3 older runs, not read because the history is larger than"))
    // A user who asks for one run is not bothered with runs that were not asked for.
    #expect(try HistoryReport(history, limit: 1, maxBytes: size * 2).json["leftOut"] == nil)
  }
}
