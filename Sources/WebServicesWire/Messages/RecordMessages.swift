package import CloudKitModel
package import Diagnostics

package struct QueryMessage: WireMessage, Hashable {
  package var request: QueryRequest
  package var zoneID: ZoneID?
  package var numbersAsStrings = false

  package init(_ request: QueryRequest) { self.request = request }

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let query = try json.member("query", Query.init(json:))
    let limit = try json.optional("resultsLimit", "a whole number", \.looseInteger)
    let marker = try json.string("continuationMarker")
    request = QueryRequest(
      try json.require("query", query), desiredKeys: try json.strings("desiredKeys"),
      resultsLimit: limit.map(Int.init(clamping:)), continuationMarker: marker == "" ? nil : marker)
    zoneID = try json.zoneID()
    // All zones: means nothing in the public database, which has one.
    _ = try json.bool("zoneWide")
    numbersAsStrings = try json.bool("numbersAsStrings") ?? false
  }

  package var json: JSONValue {
    .object([
      "query": request.query.json, "zoneID": zoneID?.json,
      "resultsLimit": request.resultsLimit?.json, "desiredKeys": request.desiredKeys?.json,
      "continuationMarker": request.continuationMarker?.json, "numbersAsStrings": numbersAsStrings.jsonIfTrue,
    ])
  }
}

package struct LookupMessage: WireMessage, Hashable {
  package struct Entry: WireMessage, Hashable {
    package var recordName: String
    /// Overrides the request's own.
    package var desiredKeys: [String]?

    init(_ recordName: String) { self.recordName = recordName }

    package init(json: JSONValue) throws(WireFormatError) {
      recordName = try json.requiredString("recordName")
      desiredKeys = try json.strings("desiredKeys")
    }

    package var json: JSONValue {
      .object(["recordName": .string(recordName), "desiredKeys": desiredKeys?.json])
    }
  }

  package var records: [Entry]
  package var desiredKeys: [String]?
  package var zoneID: ZoneID?
  package var numbersAsStrings = false

  package init(_ request: LookupRequest) {
    records = request.recordNames.map { Entry($0) }
    desiredKeys = request.desiredKeys
  }

  package init(json: JSONValue) throws(WireFormatError) {
    records = try json.requiredList("records", Entry.init(json:))
    desiredKeys = try json.strings("desiredKeys")
    zoneID = try json.zoneID()
    numbersAsStrings = try json.bool("numbersAsStrings") ?? false
  }

  package var json: JSONValue {
    .object([
      "records": .array(records.map(\.json)), "zoneID": zoneID?.json, "desiredKeys": desiredKeys?.json,
      "numbersAsStrings": numbersAsStrings.jsonIfTrue,
    ])
  }
}

/// The body of every `records/…` reply: an outcome for each entry, in order.
package struct RecordsReply: Sendable, Hashable {
  package var outcomes: [RecordOutcome]
  /// After a query, while there is more.
  package var continuationMarker: String?

  package init(_ outcomes: [RecordOutcome], continuationMarker: String? = nil) {
    self.outcomes = outcomes
    self.continuationMarker = continuationMarker
  }

  package init(json: JSONValue) throws(WireFormatError) {
    outcomes = try json.requiredList("records", RecordOutcome.init(json:))
    continuationMarker = try json.string("continuationMarker")
  }

  package func json(_ format: RecordReplyFormat = RecordReplyFormat()) -> JSONValue {
    .object([
      "records": .array(outcomes.map { $0.json(format) }), "continuationMarker": continuationMarker?.json,
    ])
  }
}

extension RecordOutcome {
  /// An error in an entry's place is an entry's error, whatever HTTP said.
  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    if let error = ServerError(errorDictionary: json) {
      self = .failed(recordName: try json.string("recordName"), error)
    } else if try json.bool("deleted") == true {
      self = .deleted(recordName: try json.requiredString("recordName"))
    } else {
      self = .record(try Record(json: json))
    }
  }

  package func json(_ format: RecordReplyFormat = RecordReplyFormat()) -> JSONValue {
    switch self {
    case .record(let record): record.json(format)
    case .deleted(let recordName): ["recordName": .string(recordName), "deleted": true]
    case .failed(let recordName, let error): error.errorDictionary(for: "recordName", recordName?.json)
    }
  }
}
