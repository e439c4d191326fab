internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import HTTPTransport

/// The URL of a service, with the origin of its setting. ``text(for:)`` checks which credentials may be sent to it
/// (Documentation/ThreatModel.md#tokens-and-hosts).
struct ServiceAddress: Sendable {
  let key: SettingKey
  let url: URLParts
  /// The origin of the setting; `nil` for Apple's default URL.
  let origin: Setting.Origin?

  /// - Parameter setting: the setting with the URL; `nil` for Apple's.
  init(_ setting: Setting?, of key: SettingKey, plainHTTPHosts: Set<String>) throws {
    self.key = key
    origin = setting?.origin
    // That user would receive signed requests, also on this machine, where a port does not show whose program listens.
    if let file = origin?.foreignFile {
      throw CommandFailure(
        "\(key.name) is not taken from \(file.path), because another user (\(file.user)) owns that file",
        code: "untrusted-address",
        hint:
          "Set \(key.variable) in the environment if requests belong there, or remove the file, or make it your "
          + "own with chown.", status: .denied)
    }
    let text = setting?.value ?? key.defaultValue ?? ""
    guard let url = URLParts(text), !url.hasUserInfo, !text.contains(where: { "?#".contains($0) }) else {
      let what = "an address such as https://host:port, without user name and query"
      throw setting?.refused(mustBe: what) ?? CommandFailure.usage("\(key.variable) must be \(what)")
    }
    guard url.scheme == "https" || url.isLoopback || plainHTTPHosts.contains(url.host) else {
      throw CommandFailure(
        "\(key.variable) must be an https address: plain http is allowed only to this machine, not to \(url.origin)",
        code: "untrusted-address",
        hint: "Use https, or set CELESTRA_ADMIN_HTTP_HOSTS=\(url.host) in the environment.", status: .denied)
    }
    self.url = url
  }

  /// The URL for requests with these credentials. Throws if a credential must not be sent to it.
  func text(for credentials: [Credential]) throws -> String {
    for credential in credentials {
      guard let objection = objection(to: credential) else { continue }
      throw CommandFailure(
        "\(objection.what) is not sent to \(url.origin)\(origin.map { ", the address in \($0.name)" } ?? "")",
        code: "untrusted-address", hint: objection.remedy, status: .denied)
    }
    return url.text
  }

  var isApple: Bool { Self.appleOrigins.contains(url.origin) }

  private func objection(to credential: Credential) -> (what: String, remedy: String)? {
    switch credential {
    case .signature:
      guard !isApple, origin?.trust == .folder, !url.isLoopback else { return nil }
      return ("a signed request", "Set \(key.variable) in the environment if requests belong there.")
    case .token(let token):
      guard !isApple, let origin, origin.trust < token.origin.trust else { return nil }
      let place = token.origin.trust == .user ? "in the user's file or the environment" : "in the environment"
      return (
        token.label,
        "Set \(key.variable) \(place) if the token belongs there."
      )
    case .saved(let saved):
      let isItsOwn = saved.address.map { URLParts($0)?.origin == url.origin } ?? isApple
      if isItsOwn { return nil }
      let owner = saved.address.map { "for \($0)" } ?? "for Apple's service"
      return (
        "the saved token \(owner)",
        "Set CLOUDKIT_MANAGEMENT_TOKEN to the token of that address, or save it with 'auth save-token --force' "
          + "while \(key.variable) names the address in the environment."
      )
    }
  }

  private static let appleOrigins = Set(
    [SettingKey.managementBaseURL, .baseURL].compactMap { $0.defaultValue.flatMap { URLParts($0) }?.origin })
}

/// A credential, with the facts that decide which hosts it may be sent to.
enum Credential: Sendable {
  /// A request signature. It does not cover the host, so another host could replay it.
  case signature
  case token(Setting)
  case saved(TokenStore.Saved)

  /// The token; `nil` for a signature.
  var secret: Secret? {
    switch self {
    case .signature: nil
    case .token(let setting): Secret(setting.value)
    case .saved(let saved): saved.token
    }
  }
}

extension CommandContext {
  func address(_ key: SettingKey) throws -> ServiceAddress {
    try ServiceAddress(try settings.lookup(key), of: key, plainHTTPHosts: process.plainHTTPHosts)
  }

  /// A configured token. Throws if it does not have the form of a token, because it becomes part of a header or a
  /// URL.
  func token(_ key: SettingKey) throws -> Setting? {
    guard let setting = try settings.lookup(key) else { return nil }
    _ = try TokenFormat.checked(setting.value, in: setting.label)
    return setting
  }

  /// The URL to save with a token; `nil` for Apple's. A project file or `.env` cannot set it.
  func addressOfToken(_ kind: TokenStore.Kind) throws -> String? {
    let address = try address(kind.address)
    if address.isApple { return nil }
    guard address.origin?.trust != .folder else {
      throw CommandFailure(
        "a token is not saved for \(address.url.origin), the address in \(address.origin?.name ?? "")",
        code: "untrusted-address",
        hint: "Set \(address.key.variable) in the environment if the token belongs there.", status: .denied)
    }
    return address.url.text
  }
}
