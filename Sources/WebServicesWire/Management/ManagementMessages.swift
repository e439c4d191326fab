package import CloudKitModel
package import Diagnostics

/// The reply to a validation; an invalid schema is HTTP 200, too
/// (Documentation/reference/schema-language.md#management-operations, A).
package struct SchemaValidationReply: WireMessage, Hashable {
  package var isValid: Bool
  package var errorMessage: String?

  package init(errorMessage: String?) {
    isValid = errorMessage == nil
    self.errorMessage = errorMessage
  }

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    isValid = try json.require("isValid", json.bool("isValid"))
    errorMessage = try json.string("errorMessage")
  }

  package var json: JSONValue {
    .object(["isValid": isValid.json, "errorMessage": errorMessage?.json])
  }
}

/// An error of the management API, whose names differ from Web Services'.
package struct ManagementErrorBody: WireMessage, Hashable {
  package var error: ServerError

  package init(_ error: ServerError) { self.error = error }

  /// `message` holds the error's code, `reason` the explanation.
  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    error = ServerError(
      ServerError.Code(rawValue: try json.requiredString("message")),
      try json.string("reason")?.withoutUserRecordNames ?? "",
      retryAfter: json["retryAfterSeconds"]?.waitingTime, uuid: try json.string("requestUuid"),
      redirectURL: try json.string("redirectUrl"))
  }

  package var json: JSONValue {
    .object([
      "code": error.code.httpStatus.json, "message": error.code.rawValue.json, "reason": error.reason.json,
      "requestUuid": error.uuid?.json, "retryAfterSeconds": error.retryAfter?.wholeSeconds.json,
      "redirectUrl": error.redirectURL?.json,
    ])
  }
}

/// The teams that a management token belongs to. The exact format of the reply is unknown: accepts a list of objects
/// with an id and a name, either alone or under `teams`.
package struct TeamsReply: WireMessage, Hashable {
  package struct Team: Sendable, Hashable {
    package var id: String
    package var name: String

    package init(id: String, name: String) {
      self.id = id
      self.name = name
    }
  }

  package var teams: [Team]

  package init(_ teams: [Team]) { self.teams = teams }

  package init(json: JSONValue) throws(WireFormatError) {
    let holder: JSONValue = json.array == nil ? json : ["teams": json]
    try holder.requireObject()
    let teams = try holder.list("teams") { team throws(WireFormatError) -> Team in
      guard let id = try team.string("teamId") else {
        return Team(id: try team.requiredString("id"), name: try team.string("name") ?? "")
      }
      return Team(id: id, name: try team.string("name") ?? "")
    }
    self.teams = try holder.require("teams", teams)
  }

  package var json: JSONValue {
    ["teams": .array(teams.map { ["teamId": .string($0.id), "name": .string($0.name)] })]
  }
}

/// The team, container and environment of a call to the management API.
package struct ManagementTarget: Sendable, Hashable {
  package var team: String
  package var container: String
  package var environment: Environment

  package init(team: String, container: String, environment: Environment) {
    self.team = team
    self.container = container
    self.environment = environment
  }
}

/// A request to the management API, as a server recognizes it by method and path.
package struct ManagementCall: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case exportSchema, importSchema, validateSchema, resetSchema, deploySchema, teams

    package var method: String { self == .exportSchema || self == .teams ? "GET" : "POST" }

    package var route: ManagementAPIAssumption {
      switch self {
      case .exportSchema: .exportRoute
      case .importSchema: .importRoute
      case .validateSchema: .validateRoute
      case .resetSchema: .resetRoute
      case .deploySchema: .deployRoute
      case .teams: .teamsRoute
      }
    }

    /// What success is answered with (Documentation/reference/schema-language.md#management-operations, A).
    package var successStatus: Int {
      [.importSchema, .resetSchema, .deploySchema].contains(self) ? 202 : 200
    }
  }

  package var kind: Kind
  package var team: String?
  package var container: String?
  /// As written in the path; a reset has none.
  package var environment: String?

  init(kind: Kind, parts: [String: String]) {
    self.kind = kind
    team = parts["{team}"]
    container = parts["{container}"]
    environment = parts["{environment}"]
  }
}
