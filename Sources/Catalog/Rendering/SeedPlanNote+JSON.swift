import Diagnostics
import RecordChanges

extension SeedPlanNote {
  var json: JSONValue {
    switch self {
    case .unmentioned(let recordType, let recordName, let label, let slug):
      .object([
        "kind": "unmentioned", "recordType": .string(recordType), "recordName": .string(recordName),
        "label": .string(label), "slug": slug.map(JSONValue.string),
      ])
    case .moved(let move):
      [
        "kind": "moved", "slug": .string(move.slug), "recordName": .string(move.recordName),
        "label": .string(move.label), "from": .string(move.from), "to": .string(move.to),
        "readers": .integer(move.readers.number), "evidence": .string(move.evidence.rawValue),
      ]
    case .probablyMoved(let slug, let recordName, let label):
      [
        "kind": "probablyMoved", "slug": .string(slug), "recordName": .string(recordName),
        "label": .string(label),
      ]
    case .renamed(let slug, let from, let recordName):
      [
        "kind": "renamed", "slug": .string(slug), "from": .string(from), "recordName": .string(recordName),
      ]
    case .noSlugs: ["kind": "noSlugs"]
    }
  }

  /// Reads a note of a saved plan. Throws ``FileFormError``.
  init(json: JSONValue) throws {
    func text(_ key: String) throws -> String {
      guard let text = json[key]?.string else { throw FileFormError("a note of the plan lacks '\(key)'") }
      return text
    }
    switch json["kind"]?.string {
    case "unmentioned":
      self = .unmentioned(
        recordType: try text("recordType"), recordName: try text("recordName"), label: try text("label"),
        slug: json["slug"]?.string)
    case "moved":
      self = .moved(
        MovedFeed(
          slug: try text("slug"), recordName: try text("recordName"), label: try text("label"),
          from: try text("from"), to: try text("to"), readers: ReaderCount(),
          evidence: MovedFeed.Evidence(rawValue: try text("evidence")) ?? .recordName))
    case "probablyMoved":
      self = .probablyMoved(
        slug: try text("slug"), recordName: try text("recordName"), label: try text("label"))
    case "renamed":
      self = .renamed(slug: try text("slug"), from: try text("from"), recordName: try text("recordName"))
    case "noSlugs": self = .noSlugs
    default: throw FileFormError("the plan has a note that this version does not know; make it again")
    }
  }
}

extension ReaderCount {
  /// Absent numbers are unknown.
  var json: JSONObject {
    var json: JSONObject = ["readers": .integer(number), "atLeast": .bool(isAtLeast)]
    json["subscriptions"] = subscriptions.map { JSONValue($0) }
    json["published"] = published.map(JSONValue.integer)
    json["reason"] = obstacle.map(JSONValue.string)
    return json
  }
}
