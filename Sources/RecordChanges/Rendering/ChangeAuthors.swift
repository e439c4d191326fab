package import CloudKitModel
package import Diagnostics

/// Who made a change of a record, as far as outputs may say: never which user.
package enum ChangeAuthor: String, Sendable, Hashable, CaseIterable {
  case thisKey = "this-key"
  /// A key that ran jobs in the container. The service does not say whose user record belongs to a key, so that two
  /// keys of a team cannot be distinguished.
  case toolKey = "tool-key"
  case anotherUser = "another-user"
  case unknown

  /// `this key`
  package var words: String {
    switch self {
    case .thisKey: "this key"
    case .toolKey: "a key of this tool"
    case .anotherUser: "another user"
    case .unknown: "this key or another user (not known)"
    }
  }
}

/// Tells the changes that this key, or a key of this tool, made from those of other users.
package struct ChangeAuthors: Sendable {
  private let own: String?
  /// Digests.
  private let tool: Set<String>

  /// From the container's own knowledge, or else from the lease records, which only keys of this tool write. Without
  /// either, every author is unknown.
  package init(of container: any Container) async {
    own = container.callerRecordName
    guard own == nil else {
      tool = []
      return
    }
    // A key without the right to read leases still has a use for the times.
    var keys: Set<String> = []
    try? await container.forEachRecord(of: Query(LeaseRecord.recordType)) { keys.formUnion($0.keysOfTool) }
    tool = keys
  }

  package func author(of stamp: RecordStamp) -> ChangeAuthor {
    if let own { return stamp.userRecordName == own ? .thisKey : .anotherUser }
    if tool.contains(CreatorNames.keyDigest(of: stamp.userRecordName)) { return .toolKey }
    return tool.isEmpty ? .unknown : .anotherUser
  }

  /// `2026-11-20T10:00:00Z by another user`
  package func text(_ stamp: RecordStamp) -> String {
    "\(stamp.timestamp.iso8601) by \(author(of: stamp).words)"
  }

  /// `{"at": …, "by": …}`; an unknown author is left out.
  package func json(_ stamp: RecordStamp) -> JSONValue {
    let author = author(of: stamp)
    return .object([
      "at": stamp.timestamp.iso8601.json, "by": author == .unknown ? nil : author.rawValue.json,
    ])
  }
}
