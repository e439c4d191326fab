internal import CloudKitEmulator
internal import CommandLine
internal import Cryptography
internal import FoundationEssentials

/// The tokens that an emulator takes.
struct EmulatorTokens: Sendable {
  var api: Secret?
  var webAuth: Secret?
  /// `nil` has the emulator make one.
  var management: Secret?

  /// Tokens of one emulator, which open nothing else.
  static var throwAway: EmulatorTokens { EmulatorTokens(api: Secret(UUID().uuidString)) }

  func add(to setup: inout EmulatorSetup) {
    if let api { setup.configuration.apiTokens = [api] }
    if let webAuth { setup.admitUser(webAuth) }
    if let management { setup.configuration.managementToken = management }
  }
}

extension EmulatorTokens {
  /// Those of the settings.
  init(_ context: CommandContext) throws {
    api = try context.token(.cloudKitAPIToken).map { Secret($0.value) }
    webAuth = try context.token(.cloudKitWebAuthToken).map { Secret($0.value) }
    management = try context.token(.managementToken).map { Secret($0.value) }
  }
}
