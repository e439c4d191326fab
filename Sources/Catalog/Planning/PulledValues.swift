package import CloudKitModel
internal import Cryptography
package import Diagnostics
package import RecordChanges

/// The values that `seed pull` took from a container since the last apply, as digests. They show that a value was changed
/// back in the container, and not edited in the files. The job's lease record keeps them, so that any machine knows
/// (Documentation/reference/curation.md#pulling).
package struct PulledValues: Sendable, Hashable {
  /// The values that are remembered, at most, so that the lease record stays small.
  static let limit = 2_000

  private struct Key: Hashable {
    let recordName: String
    let key: String
  }

  private var digests: [Key: String] = [:]

  package init() {}

  package var isEmpty: Bool { digests.isEmpty }

  /// - Parameter value: as a seed publishes it; `nil` for none.
  package mutating func add(_ value: JSONValue?, _ key: String, of recordName: String) {
    set(Self.digest(value), Key(recordName: recordName, key: key))
  }

  /// Adds what a later pull took.
  package mutating func merge(_ other: PulledValues) {
    for (key, digest) in other.digests { set(digest, key) }
  }

  private mutating func set(_ digest: String, _ key: Key) {
    guard digests.count < Self.limit || digests[key] != nil else { return }
    digests[key] = digest
  }

  /// Whether this value was pulled.
  package func contains(_ value: JSONValue?, _ key: String, of recordName: String) -> Bool {
    digests[Key(recordName: recordName, key: key)] == Self.digest(value)
  }

  private static func digest(_ value: JSONValue?) -> String {
    String(SHA256.hex((value ?? .null).sorted.bytes()).prefix(16))
  }

  // MARK: In the lease record

  private static let member = "pulled"

  /// What the memory of the last apply holds; empty without one.
  package init(_ last: LastJobRun?) {
    for (name, digests) in last?.result[Self.member]?.object?.members ?? [] {
      for (key, digest) in digests.object?.members ?? [] {
        self.digests[Key(recordName: name, key: key)] = digest.string
      }
    }
  }

  /// What the container remembers; empty where the record cannot be read: a plan then says less, and is the same.
  package static func remembered(in container: any Container) async -> PulledValues {
    PulledValues(try? await LastJobRun.last(of: .seed, in: container))
  }

  /// The memory of the last apply with these values in it.
  ///
  /// - Parameter now: the time of a container that no apply has completed in.
  package func lastRun(after last: LastJobRun?, at now: Timestamp) -> LastJobRun {
    let records = Dictionary(grouping: digests, by: \.key.recordName).sorted { $0.key < $1.key }
    let members = records.map { name, values in
      let keys = values.sorted { $0.key.key < $1.key.key }.map { ($0.key.key, JSONValue.string($0.value)) }
      return (name, JSONValue.object(JSONObject(keys)))
    }
    var result = last?.result ?? [:]
    result[Self.member] = .object(JSONObject(members))
    return LastJobRun(
      finishedAt: last?.finishedAt ?? now, result: result, revision: last?.revision)
  }
}
