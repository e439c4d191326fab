public import CloudKitModel
public import Diagnostics

/// The body of every `records/…` reply: an outcome for each entry, in order.
public struct RecordsReply: Sendable, Hashable {
  public var outcomes: [RecordOutcome]
  /// After a query, while there is more.
  public var continuationMarker: String?

  public init(_ outcomes: [RecordOutcome], continuationMarker: String? = nil) {
    self.outcomes = outcomes
    self.continuationMarker = continuationMarker
  }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let outcomes = try json.list("records") { entry throws(WireFormatError) in try RecordOutcome(json: entry)
    }
    self.outcomes = try json.require("records", outcomes)
    continuationMarker = try json.string("continuationMarker")
  }

  public func json(_ format: RecordReplyFormat = RecordReplyFormat()) -> JSONValue {
    var object: JSONObject = ["records": .array(outcomes.map { $0.json(format) })]
    object.set("continuationMarker", continuationMarker)
    return .object(object)
  }
}

extension RecordOutcome {
  /// An error in an entry's place is an entry's error, whatever HTTP said.
  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    if let error = ServerError(errorDictionary: json) {
      self = .failed(recordName: try json.string("recordName"), error)
    } else if try json.bool("deleted") == true {
      self = .deleted(recordName: try json.requiredString("recordName"))
    } else {
      self = .record(try Record(json: json))
    }
  }

  public func json(_ format: RecordReplyFormat = RecordReplyFormat()) -> JSONValue {
    switch self {
    case .record(let record): record.json(format)
    case .deleted(let recordName): ["recordName": .string(recordName), "deleted": true]
    case .failed(let recordName, let error):
      error.errorDictionary(for: "recordName", recordName.map(JSONValue.string))
    }
  }
}
