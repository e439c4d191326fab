public import Diagnostics

/// A seed that a plan cannot apply, because an editor must decide.
public struct PlanConflict: Sendable, Hashable {
  public var recordType: String
  /// A readable name of the record.
  public var slug: String
  /// The reason, in one sentence without a full stop.
  public var reason: String
  /// How to resolve the conflict.
  public var help: String?

  public init(recordType: String, slug: String, reason: String, help: String? = nil) {
    self.recordType = recordType
    self.slug = slug
    self.reason = reason
    self.help = help
  }

  public var json: JSONValue {
    var json: JSONObject = [
      "recordType": .string(recordType), "slug": .string(slug), "reason": .string(reason),
    ]
    json["help"] = help.map(JSONValue.string)
    return .object(json)
  }

  init(json: JSONValue) throws {
    guard let recordType = json["recordType"]?.string, let slug = json["slug"]?.string,
      let reason = json["reason"]?.string
    else { throw ChangeCodingError("a conflict lacks its record type, slug or reason") }
    self.init(recordType: recordType, slug: slug, reason: reason, help: json["help"]?.string)
  }
}
