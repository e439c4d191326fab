internal import CloudKitEmulator
internal import CommandLine
internal import Cryptography
internal import FoundationEssentials

/// The tokens that an emulator accepts.
struct EmulatorTokens: Sendable {
  var api: Secret?
  var webAuth: Secret?
  /// The management token; `nil` lets the emulator generate one.
  var management: Secret?

  /// Generated tokens, which are valid for one emulator only.
  static var throwAway: EmulatorTokens { EmulatorTokens(api: Secret(UUID().uuidString)) }

  func add(to configuration: inout EmulatorConfiguration) {
    if let api { configuration.apiTokens = [api] }
    if let webAuth { configuration.admitUser(webAuth) }
    if let management { configuration.managementToken = management }
  }
}

extension EmulatorTokens {
  /// The configured tokens.
  init(_ context: CommandContext) throws {
    api = try context.token(.cloudKitAPIToken).map { Secret($0.value) }
    webAuth = try context.token(.cloudKitWebAuthToken).map { Secret($0.value) }
    management = try context.token(.managementToken).map { Secret($0.value) }
  }
}
