internal import CloudKitModel
internal import Diagnostics

/// Where a person's data may also be: what no search of the public database reaches
/// (Documentation/Privacy.md#what-this-tool-cannot-reach).
struct PersonalDataPlaces {
  /// Copies that were made before, and that keep what is erased.
  let copies: [String]

  /// - Parameter mirrors: the paths of those that are known.
  init(_ container: ContainerIdentity, mirrors: [String] = []) {
    let other = Environment.allCases.first { $0 != container.environment } ?? .development
    copies =
      mirrors.map { "the mirror \($0): renew it with 'container backup \($0) --deletions'" } + [
        "the \(other.rawValue) environment, where the person has another user record name",
        "backups of containers ('container backup') and other copies of their files",
        "exports of records ('records export'), and earlier exports of this person",
        "saved plans and checkpoints of recounts",
      ]
  }

  /// What a server-to-server key cannot read or delete.
  static let unreachable = [
    "the person's private database, and zones that are shared with them",
    "the person's record of type Users, which only the person can change",
    "a block of this person and what moderators decided, which stay: 'moderation unblock' takes a block back",
    "subscriptions to push messages, and tokens on the person's devices",
    "copies on devices and in other programs",
    "lists in records of others, and stamps that say who changed a record last",
  ]

  @ReportBodyBuilder var body: ReportBody {
    ListItem("\("Copies to look through by hand:", .dim)", details: copies.map { "· \($0)" })
    ListItem("\("What this tool cannot reach:", .dim)", details: Self.unreachable.map { "· \($0)" })
  }
}

extension PersonalDataPlaces {
  /// A report's JSON with these places at its end.
  func json(after members: JSONObject) -> JSONValue {
    var json = members
    json["copies"] = .array(copies.map(JSONValue.string))
    json["notReached"] = .array(Self.unreachable.map(JSONValue.string))
    return .object(json)
  }
}

extension TypeSearchPlan {
  /// A type's JSON, with how it is searched at its end.
  func json(_ members: JSONObject) -> JSONValue {
    var json: JSONObject = ["type": .string(recordType)]
    for (key, value) in members.members { json[key] = value }
    json["searchedBy"] = .string(method.rawValue)
    json["derivedNames"] = .bool(!namedAfter.isEmpty)
    json["problem"] = problemText.map(JSONValue.string)
    return .object(json)
  }
}
