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
      let run = RunRecord("seed apply", id: id, kind: kind, target: target, started: moment)
      try history.newFile(for: run).append(RunFileCoding.head(run).bytes() + [UInt8(ascii: "\n")])
    }
    try history.prune(now: Self.now)
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
}
