internal import Catalog
package import CloudKitModel
internal import Cryptography
package import Diagnostics
internal import Platform
package import SchemaLanguage

/// Simulated FeedSubscription records. The same seed gives the same records. Only the feeds of one user are in memory
/// at a time.
///
/// Record names are made as apps make them, and creators are those users, who do not exist. Made-up names are added on
/// request, as one person could create them to raise the number of readers.
package struct SubscriptionSimulation: RecordSimulation {
  package let users: Int
  /// Subscriptions of each user, at most the number of feeds.
  package let perUser: Int
  package let seed: UInt64
  /// Subscriptions whose names their creator cannot have.
  package let madeUp: Int
  private let feeds: [String]
  private let popularity: ZipfDistribution

  /// - Parameters:
  ///   - feeds: record names to subscribe to; repeated names count once. The seed decides which feeds are popular.
  ///   - skew: how unequal the popularity of feeds is: 0 is equal, 1 is realistic.
  package init(
    users: Int, perUser: Int, skew: Double, seed: UInt64, feeds: some Sequence<String>, madeUp: Int = 0
  ) {
    let ranked = Set(feeds).map { (SHA256.hex("\(seed)/\($0)"), $0) }.sorted { $0 < $1 }.map(\.1)
    self.feeds = ranked
    self.users = ranked.isEmpty ? 0 : Swift.max(0, users)
    self.perUser = Swift.min(Swift.max(0, perUser), ranked.count)
    self.seed = seed
    self.madeUp = ranked.isEmpty ? 0 : Swift.max(0, madeUp)
    popularity = ZipfDistribution(count: ranked.count, skew: skew.isFinite ? Swift.max(0, skew) : 0)
  }

  package var count: Int { users * perUser + madeUp }
  package var types: [(name: String, fields: [String])] {
    [(CatalogRecordType.feedSubscription, ["feedRecordName"])]
  }
  package var noun: String { "subscription" }

  package var origin: String {
    counted(users, "user") + (madeUp > 0 ? ", \(madeUp) of them with made-up names" : "")
  }

  package func json(present: Int) -> JSONObject {
    ["subscriptions": present.json, "users": users.json, "madeUp": madeUp.json]
  }

  /// Generates the subscriptions one after the other, so that they need not all be in memory.
  package func makeIterator() -> AnyIterator<Record> {
    var random = SeededGenerator(seed: seed)
    var (user, userName, invented) = (0, "", 0)
    var chosen: [Int] = []
    return AnyIterator {
      if chosen.isEmpty {
        guard user < users, perUser > 0 else {
          guard invented < madeUp else { return nil }
          defer { invented += 1 }
          return madeUpRecord(invented, feed: popularity.pick(using: &random))
        }
        userName = "_" + SHA256.digest("\(seed)/user/\(user)").prefix(16).hexadecimal
        chosen = choose(using: &random)
        user += 1
      }
      return chosen.popLast().map { feed in
        record(SHA256.hex("\(feeds[feed])-\(userName)"), feed: feed, creator: userName)
      }
    }
  }

  /// Different feeds for one user. When random picks repeat too often, the most popular remaining feeds fill the rest.
  private func choose(using random: inout SeededGenerator) -> [Int] {
    var chosen: [Int] = []
    var taken: Set<Int> = []
    var tries = perUser * 8
    while chosen.count < perUser, tries > 0 {
      tries -= 1
      let feed = popularity.pick(using: &random)
      if taken.insert(feed).inserted { chosen.append(feed) }
    }
    return chosen + feeds.indices.lazy.filter { !taken.contains($0) }.prefix(perUser - chosen.count)
  }

  private func madeUpRecord(_ number: Int, feed: Int) -> Record {
    let creator = "_" + SHA256.digest("\(seed)/inventor").prefix(16).hexadecimal
    return record(SHA256.hex("\(seed)/made up/\(number)"), feed: feed, creator: creator)
  }

  private func record(_ recordName: String, feed: Int, creator: String) -> Record {
    Record(
      recordType: CatalogRecordType.feedSubscription, recordName: recordName,
      fields: ["feedRecordName": .string(feeds[feed])],
      created: RecordStamp(timestamp: Timestamp(milliseconds: 0), userRecordName: creator, deviceID: ""))
  }

  /// Subscriptions to the feeds of a container: PublicFeed or Feed, as its schema has it.
  ///
  /// Throws ``CommandFailure`` when the schema has no such types or the container has no feeds.
  package init(
    of container: any Container, _ schema: Schema, users: Int, perUser: Int, skew: Double, seed: UInt64,
    madeUp: Int = 0
  ) async throws {
    let types = [CatalogRecordType.publicFeed, CatalogRecordType.cloudFeed]
    guard let type = types.first(where: { schema[recordType: $0] != nil }) else {
      throw CommandFailure.schemaLacks("neither a record type PublicFeed nor Feed")
    }
    guard schema[recordType: CatalogRecordType.feedSubscription] != nil else {
      throw CommandFailure.schemaLacks("no record type FeedSubscription")
    }
    let feeds = try await container.allRecords(Query(type), desiredKeys: []).map(\.recordName)
    self.init(users: users, perUser: perUser, skew: skew, seed: seed, feeds: feeds, madeUp: madeUp)
    guard count > 0 else {
      throw CommandFailure(
        "the container has no feeds, so no subscriptions can be simulated", hint: "Apply the seeds first.")
    }
  }
}

/// Picks items by Zipf's law: the probability of rank r is proportional to 1 / r to the power of the skew.
struct ZipfDistribution: Sendable {
  let sums: [Double]

  /// - Parameter skew: 0 makes all items equally likely; 1 is typical for feeds and words.
  init(count: Int, skew: Double) {
    var sum = 0.0
    sums = (0..<count).map { rank in
      sum += pow(Double(rank + 1), -skew)
      return sum
    }
  }

  /// A rank, from 0. There must be at least one item.
  func pick(using random: inout SeededGenerator) -> Int {
    let point = random.unit() * (sums.last ?? 0)
    return min(sums.partitioningIndex { $0 > point }, sums.count - 1)
  }
}
