public import CloudKitModel
public import Diagnostics

/// The reply to a validation; an invalid schema is HTTP 200, too
/// (Documentation/reference/schema-language.md#management-operations, A).
public struct SchemaValidationReply: WireMessage, Hashable {
  public var isValid: Bool
  public var errorMessage: String?

  public init(errorMessage: String?) {
    isValid = errorMessage == nil
    self.errorMessage = errorMessage
  }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    isValid = try json.require("isValid", json.bool("isValid"))
    errorMessage = try json.string("errorMessage")
  }

  public var json: JSONValue {
    var object: JSONObject = ["isValid": .bool(isValid)]
    object.set("errorMessage", errorMessage)
    return .object(object)
  }
}

/// An error of the management API, whose names differ from Web Services'.
public struct ManagementErrorBody: WireMessage, Hashable {
  public var error: ServerError

  public init(_ error: ServerError) { self.error = error }

  /// `message` holds the error's code, `reason` the explanation.
  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    error = ServerError(
      ServerError.Code(rawValue: try json.requiredString("message")), try json.string("reason") ?? "",
      retryAfter: json["retryAfterSeconds"]?.waitingTime, uuid: try json.string("requestUuid"),
      redirectURL: try json.string("redirectUrl"))
  }

  public var json: JSONValue {
    var object: JSONObject = [
      "code": JSONValue(error.code.httpStatus), "message": .string(error.code.rawValue),
      "reason": .string(error.reason),
    ]
    object.set("requestUuid", error.uuid)
    if let wait = error.retryAfter { object["retryAfterSeconds"] = .integer(wait.wholeSeconds) }
    object.set("redirectUrl", error.redirectURL)
    return .object(object)
  }
}

/// The teams that a management token belongs to. The exact format of the reply is unknown: accepts a list of objects
/// with an id and a name, either alone or under `teams`.
public struct TeamsReply: WireMessage, Hashable {
  /// A developer team that the token belongs to.
  public struct Team: Sendable, Hashable {
    public var id: String
    public var name: String

    public init(id: String, name: String) {
      self.id = id
      self.name = name
    }
  }

  public var teams: [Team]

  public init(_ teams: [Team]) { self.teams = teams }

  public init(json: JSONValue) throws(WireFormatError) {
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

  public var json: JSONValue {
    ["teams": .array(teams.map { ["teamId": .string($0.id), "name": .string($0.name)] })]
  }
}

/// The team, container and environment of a call to the management API.
public struct ManagementTarget: Sendable, Hashable {
  public var team: String
  public var container: String
  public var environment: Environment

  public init(team: String, container: String, environment: Environment) {
    self.team = team
    self.container = container
    self.environment = environment
  }
}

/// A request to the management API, as a server recognizes it by method and path.
public struct ManagementCall: Sendable, Hashable {
  /// The operations of the management API.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case exportSchema, importSchema, validateSchema, resetSchema, deploySchema, teams

    public var method: String { self == .exportSchema || self == .teams ? "GET" : "POST" }

    public var route: ManagementAPIAssumption {
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
    public var successStatus: Int {
      [.importSchema, .resetSchema, .deploySchema].contains(self) ? 202 : 200
    }
  }

  public var kind: Kind
  public var team: String?
  public var container: String?
  /// As written in the path; a reset has none.
  public var environment: String?

  init(kind: Kind, parts: [String: String]) {
    self.kind = kind
    team = parts["{team}"]
    container = parts["{container}"]
    environment = parts["{environment}"]
  }
}
