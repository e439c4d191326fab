import CloudKitModel
import Diagnostics

/// An unpublished detail of the management API, as this tool assumes it; a setting can correct each
/// (Documentation/reference/schema-language.md#management-routes). `Documentation/Fidelity.md` gives the certainty of
/// each.
package enum ManagementAPIAssumption: String, Sendable, Hashable, CaseIterable {
  case host, tokenHeader, exportRoute, importRoute, validateRoute, resetRoute, deployRoute, teamsRoute,
    filePart

  /// Routes may hold `{team}`, `{container}` and `{environment}`, the last in capitals.
  package var defaultValue: String {
    switch self {
    case .host: "https://api.icloud.apple.com"
    case .tokenHeader: "X-Apple-CloudKit-Management-Token"
    case .exportRoute: Self.environmentRoute + "/schema"
    case .importRoute: Self.environmentRoute + "/schema"
    case .validateRoute: Self.environmentRoute + "/schema/validate"
    case .resetRoute: "/v1/database/teams/{team}/containers/{container}/reset"
    case .deployRoute: "/v1/database/teams/{team}/containers/{container}/deploy"
    case .teamsRoute: "/v1/teams"
    case .filePart: "file"
    }
  }

  private static let environmentRoute =
    "/v1/database/teams/{team}/containers/{container}/environments/{environment}"
}

/// The assumptions about the management API, with the corrections from a setting.
package struct ManagementAPIAssumptions: Sendable, Hashable {
  private var overrides: [ManagementAPIAssumption: String]

  package init(_ overrides: [ManagementAPIAssumption: String] = [:]) { self.overrides = overrides }

  package subscript(item: ManagementAPIAssumption) -> String {
    get { overrides[item] ?? item.defaultValue }
    set { overrides[item] = newValue }
  }

  /// A route with its parts filled in, each percent-encoded.
  package func path(_ route: ManagementAPIAssumption, _ target: ManagementTarget) -> String {
    self[route]
      .replacing("{team}", with: PercentEncoding.encode(target.team))
      .replacing("{container}", with: PercentEncoding.encode(target.container))
      .replacing("{environment}", with: target.environment.rawValue.uppercased())
  }

  /// Which call a request is, and for what; `nil` when the path fits no route with that method.
  package func call(method: String, path: String) -> ManagementCall? {
    for kind in ManagementCall.Kind.allCases where kind.method == method {
      if let parts = Self.match(self[kind.route], path) { return ManagementCall(kind: kind, parts: parts) }
    }
    return nil
  }

  package func methods(of path: String) -> [String] {
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
