import Catalog
import CloudKitModel
import Foundation

/// What other clients do to the container: editors in the Console, users of the app, health checks.
extension CatalogWorld {
  /// One write by an editor.
  func editorsWrites() -> (words: String, operations: [RecordOperation]) {
    let feeds = records("PublicFeed")
    let number = next()
    let address = newAddress()
    guard let feed = pick(feeds), !chance(8) else {
      let record = RecordOperation(
        .create, recordType: "PublicFeed", recordName: "hand-\(number)",
        fields: [
          "title": .string("Hand \(number)"), "feedURL": .string(address),
          "category": .reference(Reference("c1")),
          "language": .string("en"), "isFeatured": .int64(0), "isVerified": .int64(0),
        ])
      return ("an editor creates hand-\(number) at \(address)", [record])
    }
    let other = pick(feeds.filter { $0.recordName != feed.recordName }) ?? feed
    func set(_ fields: [String: FieldValue?]) -> [RecordOperation] {
      [RecordOperation(.forceUpdate, recordType: "PublicFeed", recordName: feed.recordName, fields: fields)]
    }
    let name = feed.recordName
    switch index(below: 12) {
    case 0...2: return ("an editor sets the title of \(name)", set(["title": .string("Editor's \(number)")]))
    case 3:
      return ("an editor sets the subtitle of \(name)", set(["subtitle": .string("Editor's \(number)")]))
    case 4: return ("an editor clears the subtitle of \(name)", set(["subtitle": nil]))
    case 5: return ("an editor sets the tags of \(name)", set(["tags": .strings(["e\(number)"])]))
    case 6: return ("an editor features \(name)", set(["isFeatured": .int64(chance(50) ? 1 : 0)]))
    case 7: return ("an editor moves \(name) to \(address)", set(["feedURL": .string(address)]))
    case 8: return ("an editor sets the category of \(name)", set(["category": .reference(Reference("c2"))]))
    case 9:
      return (
        "an editor gives \(name) the title of \(other.recordName)", set(["title": other.fields["title"]])
      )
    case 10:
      let (one, two) = (feed.fields["feedURL"], other.fields["feedURL"])
      var operations = set(["feedURL": two])
      if chance(70) {
        operations.append(
          RecordOperation(
            .forceUpdate, recordType: "PublicFeed", recordName: other.recordName, fields: ["feedURL": one]))
      }
      return name == other.recordName
        ? ("an editor does nothing", [])
        : (
          "an editor gives \(name) the address of \(other.recordName), \(operations.count) writes", operations
        )
    default:
      return ("an editor deletes \(name)", [RecordOperation(.forceDelete, recordName: name)])
    }
  }

  func editContainer() async throws {
    let (words, operations) = editorsWrites()
    say(words)
    if !operations.isEmpty { _ = try await client("editor\(next())").modify(operations) }
  }

  /// Users subscribe to feeds and leave them.
  func usersComeAndGo() async throws {
    let feeds = records("PublicFeed").map(\.recordName)
    let leaving = records("FeedSubscription").filter { _ in chance(15) }
    for subscription in leaving {
      try await user(
        subscription.fields["feedRecordName"]?.string ?? "", nil, leaves: subscription.recordName)
    }
    var joined: [String] = []
    for _ in 0..<index(below: 6) {
      guard let feed = pick(feeds) else { break }
      try await user(feed, "_user\(index(below: 12))", leaves: nil)
      joined.append(feed)
    }
    say("\(leaving.count) users leave, users subscribe to \(joined.joined(separator: " "))")
  }

  private func user(_ feed: String, _ user: String?, leaves: String?) async throws {
    if let leaves {
      // The record's creator: a server key cannot delete it.
      let creator = log.records[leaves]?.created?.userRecordName ?? ""
      _ = try await signedIn(creator).modify([RecordOperation(.forceDelete, recordName: leaves)])
    } else if let user {
      _ = try await signedIn(user).modify([
        RecordOperation(
          .create, recordType: "FeedSubscription",
          recordName: CatalogRecordNames.subscription(feed: feed, user: user),
          fields: ["feedRecordName": .string(feed)])
      ])
    }
  }

  private func signedIn(_ user: String) -> LoggedContainer {
    LoggedContainer(container(of: user), log, writer: "user")
  }

  /// A health check records what it knows about some feeds, for some of them a permanent redirect.
  func checkHealth() async throws {
    let feeds = records("PublicFeed").filter { _ in chance(50) }
    let operations = feeds.map { feed in
      var fields: [String: FieldValue?] = [
        "feedReference": .reference(Reference(feed.recordName)), "healthStatus": .string("healthy"),
        "totalAttempts": .int64(Int64(next())),
      ]
      if chance(20) { fields["redirectURL"] = .string(pick(catalog.feeds.map(\.feedURL)) ?? newAddress()) }
      return RecordOperation(
        .forceUpdate, recordType: "FeedMetadata",
        recordName: CatalogRecordNames.metadata(feed: feed.recordName),
        fields: fields)
    }
    say("a health check writes about \(feeds.map(\.recordName).joined(separator: " "))")
    if !operations.isEmpty { _ = try await client("health\(next())").modify(operations) }
  }
}
