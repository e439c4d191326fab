import CloudKitModel
import Diagnostics

/// An unpublished detail of the management API, as this tool assumes it; a setting can replace the host
/// (Documentation/reference/schema-language.md#management-routes). `Documentation/Fidelity.md` gives the certainty of
/// each.
package enum ManagementAPIAssumption: String, Sendable, Hashable, CaseIterable {
  case host, tokenHeader, exportRoute, importRoute, validateRoute, resetRoute, deployRoute, teamsRoute,
    filePart

  /// Routes may hold `{team}`, `{container}` and `{environment}`, the last in capitals.
  package var value: String {
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

extension ManagementCall.Kind {
  /// The route with its parts filled in, each percent-encoded.
  package func path(_ target: ManagementTarget) -> String {
    route.value
      .replacing("{team}", with: PercentEncoding.encode(target.team))
      .replacing("{container}", with: PercentEncoding.encode(target.container))
      .replacing("{environment}", with: target.environment.rawValue.uppercased())
  }

  /// The parts of a path that fits the route; `nil` if it does not.
  fileprivate func parts(of path: String) -> [String: String]? {
    let wanted = route.value.split(separator: "/", omittingEmptySubsequences: false)
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

extension ManagementCall {
  /// Which call a request is, and for what; `nil` when the path fits no route with that method.
  package init?(method: String, path: String) {
    for kind in Kind.allCases where kind.method == method {
      guard let parts = kind.parts(of: path) else { continue }
      self.init(kind: kind, parts: parts)
      return
    }
    return nil
  }

  package static func methods(of path: String) -> [String] {
    Kind.allCases.filter { $0.parts(of: path) != nil }.map(\.method)
  }
}
