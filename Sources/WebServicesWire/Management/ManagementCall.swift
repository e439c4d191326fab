public import CloudKitModel

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
