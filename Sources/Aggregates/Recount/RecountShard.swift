internal import Cryptography
package import Diagnostics

/// One of N equal parts of all names, so that N runs can divide the work without communication.
///
/// A shard is an interval of the first eight bytes of the name's SHA-256, so it is the same in all runs.
package struct RecountShard: Sendable, Hashable, CustomStringConvertible {
  /// 1...count.
  package let index: Int
  /// 1...10,000.
  package let count: Int

  package static let whole = RecountShard(known: 1, of: 1)
  package static let maxCount = 10_000

  /// `nil` unless 1 <= index <= count <= 10,000.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.maxCount).contains(count), (1...count).contains(index) else { return nil }
    self.init(known: index, of: count)
  }

  /// Reads the form of the command line: `3/8`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]) else { return nil }
    self.init(index, of: count)
  }

  private init(known index: Int, of count: Int) {
    self.index = index
    self.count = count
  }

  package var isWhole: Bool { count == 1 }
  package var description: String { "\(index)/\(count)" }

  package func contains(_ name: String) -> Bool {
    if isWhole { return true }
    let hash = SHA256.digest(name).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(hash.multipliedFullWidth(by: UInt64(count)).high) == index - 1
  }
}

extension RecountShard {
  /// The shard that a scheduler gives this process, or `nil` without such variables.
  ///
  /// - `CELESTRA_SHARD` holds the shard itself, such as `3/8`.
  /// - Kubernetes sets `JOB_COMPLETION_INDEX`, from 0, in an Indexed Job. The manifest adds `CELESTRA_SHARD_COUNT`.
  /// - A GitHub Actions matrix passes `strategy.job-index` as `CELESTRA_SHARD_INDEX`, from 0, and
  ///   `strategy.job-total` as `CELESTRA_SHARD_COUNT`.
  ///
  /// - Throws: a usage error for incomplete or contradictory variables, because counting everything instead would be worse.
  package static func scheduled(in environment: [String: String]) throws(CommandFailure) -> RecountShard? {
    if let text = environment["CELESTRA_SHARD"] {
      if let shard = RecountShard(text) { return shard }
      throw .usage("CELESTRA_SHARD is '\(text)': expected I/N, for example 3/8")
    }
    let names = ["CELESTRA_SHARD_INDEX", "JOB_COMPLETION_INDEX"]
    guard let name = names.first(where: { environment[$0] != nil }), let index = environment[name] else {
      return nil
    }
    guard let count = environment["CELESTRA_SHARD_COUNT"] else {
      throw .usage("\(name) is set, but CELESTRA_SHARD_COUNT, the number of shards, is not")
    }
    if let index = Int(index), let count = Int(count), index < maxCount,
      let shard = RecountShard(index + 1, of: count)
    {
      return shard
    }
    throw .usage("\(name) is '\(index)' of CELESTRA_SHARD_COUNT '\(count)': expected 0 to N-1 of N")
  }
}
