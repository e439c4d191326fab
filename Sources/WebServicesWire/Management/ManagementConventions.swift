import CloudKitModel

/// How sure one piece of the protocol is (web-services.md, head).
public enum Certainty: String, Sendable, Hashable, CaseIterable {
  /// Apple states it.
  case documented = "A"
  /// Somebody reports it from the live service.
  case reported = "L"
  /// Run here once, with independent programs.
  case run = "R"
  /// Inferred or unknown.
  case unknown = "?"
}

/// Everything about the management API that Apple has not published, in one table that a setting can correct
/// (schema-language.md section 2.3).
public enum ManagementItem: String, Sendable, Hashable, CaseIterable {
  case host, tokenHeader, exportRoute, importRoute, validateRoute, resetRoute, teamsRoute, filePart

  /// Routes may hold `{team}`, `{container}` and `{environment}`, the last in capitals.
  public var defaultValue: String {
    switch self {
    case .host: "https://api.icloud.apple.com"
    case .tokenHeader: "X-Apple-CloudKit-Management-Token"
    case .exportRoute: Self.environmentRoute + "/schema"
    case .importRoute: Self.environmentRoute + "/schema"
    case .validateRoute: Self.environmentRoute + "/schema/validate"
    case .resetRoute: "/v1/database/teams/{team}/containers/{container}/reset"
    case .teamsRoute: "/v1/teams"
    case .filePart: "file"
    }
  }

  private static let environmentRoute =
    "/v1/database/teams/{team}/containers/{container}/environments/{environment}"

  public var certainty: Certainty {
    switch self {
    case .host: .reported
    case .tokenHeader: .documented
    case .exportRoute, .importRoute, .validateRoute, .resetRoute, .teamsRoute: .unknown
    case .filePart: .documented
    }
  }

  /// Where the default comes from, for the ledger and for `-v`.
  public var evidence: String {
    switch self {
    case .host: "seen in cktool's own failure log and in Console traffic"
    case .tokenHeader: "documented by Apple for other endpoints on the same host"
    case .exportRoute: "base path published by a program that read cktool; the last part is inferred"
    case .importRoute: "inferred from the operation's name 'schema' in the service's error texts"
    case .validateRoute: "inferred from the operation's name 'validate' in the service's error texts"
    case .resetRoute: "unknown: the call exists and takes no environment"
    case .teamsRoute: "the Console uses /teams without a version"
    case .filePart: "the name of the single property of the documented request body"
    }
  }
}

/// The table with some values replaced.
public struct ManagementConventions: Sendable, Hashable {
  private var overrides: [ManagementItem: String]

  public init(_ overrides: [ManagementItem: String] = [:]) { self.overrides = overrides }

  public subscript(item: ManagementItem) -> String {
    get { overrides[item] ?? item.defaultValue }
    set { overrides[item] = newValue }
  }

  /// A route with its parts filled in, each percent-encoded.
  public func path(_ route: ManagementItem, _ target: ManagementTarget) -> String {
    self[route]
      .replacing("{team}", with: PercentEncoding.encode(target.team))
      .replacing("{container}", with: PercentEncoding.encode(target.container))
      .replacing("{environment}", with: target.environment.rawValue.uppercased())
  }

  /// Which call a request is, and for what; `nil` when the path fits no route with that method.
  public func call(method: String, path: String) -> ManagementCall? {
    for kind in ManagementCall.Kind.allCases where kind.method == method {
      if let parts = Self.match(self[kind.route], path) { return ManagementCall(kind: kind, parts: parts) }
    }
    return nil
  }

  /// The methods of the routes that the path fits; none when it fits none.
  public func methods(of path: String) -> [String] {
    ManagementCall.Kind.allCases.filter { Self.match(self[$0.route], path) != nil }.map(\.method)
  }

  private static func match(_ route: String, _ path: String) -> [String: String]? {
    let wanted = route.split(separator: "/", omittingEmptySubsequences: false)
    let given = path.split(separator: "/", omittingEmptySubsequences: false)
    guard wanted.count == given.count else { return nil }
    var parts: [String: String] = [:]
    for (pattern, text) in zip(wanted, given) {
      if pattern.hasPrefix("{"), let value = PercentEncoding.decode(text), !value.isEmpty {
        parts[String(pattern)] = value
      } else if pattern != text {
        return nil
      }
    }
    return parts
  }
}
