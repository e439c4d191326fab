public import CloudKitModel
internal import Cryptography
public import Diagnostics
public import RecordChanges

/// The values that `seed pull` took from a container since the last apply, as digests. They show that a value was changed
/// back in the container, and not edited in the files. The job's lease record keeps them, so that any machine knows
/// (Documentation/reference/curation.md#pulling).
public struct PulledValues: Sendable, Hashable {
  /// The values that are remembered, at most, so that the lease record stays small.
  static let limit = 2_000

  /// By record name and key.
  private var digests: [String: [String: String]] = [:]

  public init() {}

  public var isEmpty: Bool { digests.isEmpty }
  private var count: Int { digests.values.reduce(0) { $0 + $1.count } }

  /// - Parameter value: as a seed publishes it; `nil` for none.
  public mutating func add(_ value: JSONValue?, _ key: String, of recordName: String) {
    guard count < Self.limit || digests[recordName]?[key] != nil else { return }
    digests[recordName, default: [:]][key] = Self.digest(value)
  }

  /// Adds what a later pull took.
  public mutating func merge(_ other: PulledValues) {
    for (name, values) in other.digests where count < Self.limit {
      digests[name, default: [:]].merge(values) { $1 }
    }
  }

  /// Whether this value was pulled.
  public func contains(_ value: JSONValue?, _ key: String, of recordName: String) -> Bool {
    digests[recordName]?[key] == Self.digest(value)
  }

  private static func digest(_ value: JSONValue?) -> String {
    String(SHA256.hex((value ?? .null).sorted.bytes()).prefix(16))
  }

  // MARK: In the lease record

  private static let member = "pulled"

  /// What the container remembers; empty where it has no such record, or the key may not read it.
  public static func remembered(in container: any Container) async -> PulledValues {
    let found = try? await container.lookupAll(["lease-seed"], desiredKeys: ["result"])
    let result = found?.first?.record?["result"]?.string.flatMap { try? JSONValue(parsing: $0) }
    var values = PulledValues()
    for (name, digests) in result?[member]?.object?.members ?? [] {
      for (key, digest) in digests.object?.members ?? [] {
        values.digests[name, default: [:]][key] = digest.string
      }
    }
    return values
  }

  /// The memory of the last apply with these values in it.
  ///
  /// - Parameter now: the time of a container that no apply has completed in.
  public func memory(in container: any Container, at now: Timestamp) async throws -> LastJobRun {
    let last = try await LastJobRun.last(of: .seed, in: container)
    let members = digests.sorted { $0.key < $1.key }.map { name, values in
      (
        name,
        JSONValue.object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
      )
    }
    return LastJobRun(
      finishedAt: last?.finishedAt ?? now,
      result: JSONValue.object([Self.member: .object(JSONObject(members))]).text(),
      revision: last?.revision)
  }
}
